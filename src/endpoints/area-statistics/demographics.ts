// The object `demographics` of /area/statistics: the census figures of the small area that a postcode lies in, and the
// median income of its local authority. Each description is the definition that the documentation prints.

import type { Context } from '../../contract/endpoint.ts';
import type { Need } from '../../contract/needs.ts';
import { integer, nullable, number, object, type Static } from '../../contract/shape.ts';
import { type CensusArea, openCensus } from '../../tables/census/census.ts';
import { openIncome } from '../../tables/census/income.ts';
import { openPlaceNames } from '../../tables/postcodes/place-names.ts';
import type { PostcodeRow } from '../../tables/postcodes/postcodes.ts';
import { statisticalAreas } from '../postcodes/statistical-areas.ts';
import { type Basis, basis } from './basis.ts';
import { censuses } from './census-tables.ts';

type Release = Context['release'];

const smallArea =
  "of the postcode's small area: LSOA of 2021 in England and Wales (Census 2021, 21 March 2021, ONS), data zone of 2022 in Scotland (Census 2022, 20 March 2022, National Records of Scotland), data zone of 2021 in Northern Ireland (Census 2021, 21 March 2021, NISRA)";
const nullRule =
  'Null where the postcode has no small area (Code-Point Open gives none), its table is not loaded, or does not have the area.';

export const demographics = object('Demographics', {
  population: nullable(
    integer({
      description: `Usual residents ${smallArea}. Tables TS001, UV101b; in Northern Ireland the sum of all ages. Null also where nobody lives. ${nullRule}`,
    }),
  ),
  populationDensity: nullable(
    integer({
      description: `Usual residents per square kilometre, rounded to whole numbers, ${smallArea}. Table TS006; where it is loaded for output areas alone, residents of all of them divided by the ground of all of them. Null in Scotland and Northern Ireland, whose tables have no area of ground. ${nullRule}`,
    }),
  ),
  medianAge: nullable(
    number({
      description: `Age in years, to one decimal, that half of the usual residents ${smallArea} are younger than. England and Wales: from five-year bands (TS007A), ages taken as evenly spread within the band of the median; on districts this differs from the median of single years by at most 0.24 years. Scotland: single years (UV103), else bands (UV102b). Null also where the median falls in the open band (85 and over). ${nullRule}`,
    }),
  ),
  households: nullable(
    integer({
      description: `Households with at least one usual resident ${smallArea}. Tables TS041, UV406; in Northern Ireland the sum of all sizes. ${nullRule}`,
    }),
  ),
  averageHouseholdSize: nullable(
    number({
      description: `Usual residents in households divided by households, to two decimals, ${smallArea}. TS001 by TS041; where one of them is not loaded (and in Scotland and Northern Ireland) from the table of household sizes (TS017, UV406), in which 8 or more count as 8. Null also where there are no households. ${nullRule}`,
    }),
  ),
  employmentRate: nullable(
    number({
      description: `Usual residents aged 16 and over in employment, full-time students included, as a percentage of all aged 16 and over, to one decimal, ${smallArea}. Tables TS066, UV601. All ages above 16 are in it, the retired too: England and Wales as a whole have 57.2, so it is not to be compared with rates of those aged 16 to 64. Null also where nobody is 16 or over. ${nullRule}`,
    }),
  ),
  medianIncome: nullable(
    number({
      description:
        "Official median of a year in pounds for the postcode's local authority, never a mean and never of the small area, for which no median is published. Median total income of taxpayers before tax (HM Revenue & Customs, table 3.14); where that has none, median gross annual pay of employee jobs by where the employee lives (ONS, table 8.7a). `basis` says which, and of which tax year. Null where neither is loaded or publishes a median for the authority.",
    }),
  ),
  basis,
});

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
