// A postcode of England of which nothing is known but its point, for what is found in a circle around it.

import type { PostcodeRow } from '../../src/tables/postcodes/postcodes.ts';

export const postcodeAt = (latitudeDegrees: number, longitudeDegrees: number): PostcodeRow => ({
  postcode: 'EC4M 9AD',
  nation: 'England',
  point: { latitudeDegrees, longitudeDegrees },
  authorityCode: null,
  wardCode: null,
  countyCode: null,
  regionCode: null,
  lsoaCode: null,
  msoaCode: null,
  policeForceCode: null,
  terminated: null,
  usage: null,
});
