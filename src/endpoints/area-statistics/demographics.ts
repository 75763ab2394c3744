// The object `demographics` of /area/statistics: the census figures of the small area that a postcode lies in, and the
// median income of its local authority. Each description is the definition that the documentation prints.

import type { Context } from '../../contract/endpoint.ts';
import type { Need } from '../../contract/needs.ts';
import { integer, nullable, number, object, type Static } from '../../contract/shape.ts';
import { type CensusArea, openCensus } from '../../tables/census/census.ts';
import { openIncome } from '../../tables/census/income.ts';
import { openPlaceNames } from '../../tables/postcodes/place-names.ts';
import type { PostcodeRow } from '../../tables/postcodes/postcodes.ts';
import { statisticalAreas } from '../postcodes/areas.ts';
import { type Basis, basis } from './basis.ts';
import { censuses } from './census-tables.ts';

type Release = Context['release'];

const meaning =
  'People and households in the small area of the postcode, and the median income in its local authority. In England and Wales the small area is an LSOA of 2021 (Census 2021 of 21 March 2021, ONS). In Scotland it is a data zone of 2022 (Census 2022 of 20 March 2022, National Records of Scotland). In Northern Ireland it is a data zone of 2021 (Census 2021 of 21 March 2021, NISRA).';
const nullRule =
  'null if the postcode has no small area (Code-Point Open gives none), the table is not loaded, or the table does not have the area.';

export const demographics = object(
  'Demographics',
  {
    population: nullable(
      integer({
        description: `Usual residents of the small area. Tables TS001 and UV101b; in Northern Ireland the sum of all ages. Null if nobody lives there. Also ${nullRule}`,
      }),
    ),
    populationDensity: nullable(
      integer({
        description: `Usual residents per square kilometre in the small area, as a whole number. Table TS006. If that is loaded only for output areas, the figure is their residents divided by their total area. Null in Scotland and Northern Ireland, whose tables have no land area. Also ${nullRule}`,
      }),
    ),
    medianAge: nullable(
      number({
        description: `Median age in the small area: half of the usual residents are younger. In years, with one decimal. England and Wales: from five-year bands (TS007A), as if ages were spread evenly within the band of the median. For districts, this differs from the median of single years by at most 0.24 years. Scotland: from single years (UV103), or else from bands (UV102b). Null if the median falls in the open band (85 and over). Also ${nullRule}`,
      }),
    ),
    households: nullable(
      integer({
        description: `Households in the small area with at least one usual resident. Tables TS041 and UV406; in Northern Ireland the sum of all sizes. It is ${nullRule}`,
      }),
    ),
    averageHouseholdSize: nullable(
      number({
        description: `Usual residents in households divided by the number of households in the small area, with two decimals. England and Wales: TS001 divided by TS041. If one of them is not loaded, and in Scotland and Northern Ireland, it comes from the table of household sizes (TS017, UV406), where 8 or more people count as 8. Null if there are no households. Also ${nullRule}`,
      }),
    ),
    employmentRate: nullable(
      number({
        description: `Share of usual residents aged 16 and over in the small area who are employed, in percent with one decimal. Full-time students with a job count. Tables TS066 and UV601. All ages from 16 are included, also retired people: the figure for England and Wales is 57.2, so do not compare it with rates for ages 16 to 64. Null if nobody is 16 or over. Also ${nullRule}`,
      }),
    ),
    medianIncome: nullable(
      number({
        description:
          'Official median income in the local authority of the postcode, in pounds a year. It is never a mean, and never of the small area, for which no median is published. It is the median total income of taxpayers before tax (HM Revenue & Customs, table 3.14). If there is none, it is the median gross annual pay of employee jobs by where the employee lives (ONS, table 8.7a). `basis` says which one, and of which tax year. Null if neither is loaded or neither has a median for the authority.',
      }),
    ),
    basis,
  },
  { description: meaning },
);

type Demographics = Static<typeof demographics>;

const censusFields = [
  'population',
  'populationDensity',
  'medianAge',
  'households',
  'averageHouseholdSize',
  'employmentRate',
] as const satisfies readonly (keyof CensusArea)[];

/** No ground is published by small area in Scotland and Northern Ireland. */
const censusFieldsElsewhere = censusFields.filter((field) => field !== 'populationDensity');

const nations = [
  { census: censuses.englandAndWales, fields: censusFields, where: 'in England and Wales' },
  { census: censuses.scotland, fields: censusFieldsElsewhere, where: 'in Scotland' },
  { census: censuses.northernIreland, fields: censusFieldsElsewhere, where: 'in Northern Ireland' },
] as const;

export const demographicsNeeds: readonly Need<keyof Demographics | 'basis.geographyName'>[] = [
  { dataset: 'postcodes', holding: statisticalAreas, fields: censusFields },
  ...nations.flatMap(({ census: { dataset, tables }, fields, where }) => [
    { dataset, fields, where },
    ...tables.map(({ holding, gives }) => ({ dataset, holding, fields: gives, where })),
  ]),
  { dataset: 'income', fields: ['medianIncome'] },
  { dataset: 'place-names', fields: ['basis.geographyName'] },
];

export function describeDemographics(place: PostcodeRow, release: Release): Demographics {
  const census = openCensus(release);
  const area = place.lsoaCode === null ? undefined : census.find(place.lsoaCode);
  const income = place.authorityCode === null ? undefined : openIncome(release).find(place.authorityCode);
  const bases: Basis[number][] = [];
  if (area !== undefined) bases.push(...censusBasis(area, censusFields, release));
  if (income !== undefined) {
    bases.push({
      fields: ['medianIncome'],
      dataset: 'income',
      source: `${income.what}: ${income.source}`,
      period: income.period,
      ...geographyOf(place.authorityCode, release),
    });
  }
  return {
    population: area?.population ?? null,
    populationDensity: area?.populationDensity ?? null,
    medianAge: area?.medianAge ?? null,
    households: area?.households ?? null,
    averageHouseholdSize: area?.averageHouseholdSize ?? null,
    employmentRate: area?.employmentRate ?? null,
    medianIncome: income?.medianPounds ?? null,
    basis: bases,
  };
}

/** None where none of the figures is known. */
function censusBasis(
  area: CensusArea,
  fields: readonly (typeof censusFields)[number][],
  release: Release,
): readonly Basis[number][] {
  const given = fields.filter((field) => area[field] !== null);
  const dataset = release.findDataset(area.dataset);
  if (given.length === 0 || dataset === undefined) return [];
  return [
    {
      fields: given,
      dataset: area.dataset,
      source: `${dataset.source}, ${dataset.publisher}`,
      period: dataset.asOf,
      ...geographyOf(area.code, release),
    },
  ];
}

function geographyOf(code: string | null, release: Release) {
  const names = release.findDataset('place-names') === undefined ? undefined : openPlaceNames(release);
  return {
    geographyCode: code,
    geographyName: names?.find(code ?? '') ?? null,
    radiusMetres: null,
  };
}
