// The schools around a postcode, for /area/statistics. The descriptions below define the figures and are published, so
// that they say everything: source, radius, period, scale, and when a figure is null.

import type { Context } from '../../contract/endpoint.ts';
import type { Need } from '../../contract/needs.ts';
import { integer, list, nullable, number, object, type Static, string } from '../../contract/shape.ts';
import type { PostcodeRow } from '../../tables/postcodes/postcodes.ts';
import {
  type NearbySchool,
  openSchools,
  type School,
  type SchoolNation,
  schoolLists,
  schoolNations,
} from '../../tables/schools/schools.ts';
import { isInPart } from '../../tables/whole.ts';
import { type Basis, basis } from './basis.ts';
import { describeRating } from './school-rating.ts';

/** About a mile, and two. */
const primaryRadiusMetres = 1600;
const secondaryRadiusMetres = 3200;
const mostTopSchools = 5;

const sources =
  'Sources: in England the register Get Information about Schools (Department for Education), in Wales the address list of schools (Welsh Government), in Scotland School Contact Details and School Roll and Locations (Scottish Government). `basis` has the day of each.';
const border =
  'The circle does not stop at a border: schools on every loaded list count. If the list of the neighbouring nation is not loaded, figures near the border lack its schools. `basis` names the lists that were counted.';
const nullRule =
  "Null if the list of the postcode's own nation is not loaded (there is none for Northern Ireland, the Channel Islands and the Isle of Man), or if the postcode has no coordinates. Null instead of 0 also if only a part of that list is loaded; then a count may be too low, and X-Data-Coverage says so. 0 means that there is none.";
const scale =
  "The tiers put Ofsted's judgements on one scale, where 4 is best. A report card (since November 2025) is 1 if safeguarding is not met or any area needs urgent improvement. Otherwise it is 2 if any area needs attention, 4 if at least half of its graded areas are exceptional or strong standard, and 3 in all other cases. Without a report card, the latest overall grade under the old framework (OEIF) counts: Outstanding 4, Good 3, Requires improvement 2, Inadequate 1. If there is no overall grade (since September 2024), the grade for quality of education counts. If there is none either, an ungraded inspection counts if it found that the school remains outstanding (4) or good (3). A school in a category of concern (special measures, serious weaknesses, requires significant improvement) is 1. A grade of the predecessor school counts until there is another.";

const topSchool = object(
  'TopSchool',
  {
    name: string({ description: 'Name of the school, as the list has it.' }),
    urn: nullable(
      string({
        description: 'Unique reference number. Null for schools in Wales and Scotland.',
        examples: ['100000'],
      }),
    ),
    phase: string({
      description: 'Phase of education, as the list words it.',
      examples: ['Primary', 'Secondary', 'All-through', 'Not applicable'],
    }),
    rating: nullable(
      string({
        description:
          'The rating as Ofsted published it: the overall grade; "Quality of education: …" if there is no overall grade; the outcome of an ungraded inspection; or, for a report card, how many areas have each grade. A category of concern follows after a semicolon. "(predecessor school)" marks a grade of the school before. Null if Ofsted published none, does not inspect the school as state-funded, or its list is not loaded. Always null in Wales and Scotland, where no such grade is published.',
        examples: ['Outstanding', 'Strong standard 3, Expected standard 4; safeguarding met'],
      }),
    ),
    framework: nullable(
      string({
        description: 'Inspection framework of the rating: OEIF, Report card, or Ungraded inspection.',
        examples: ['OEIF', 'Report card', 'Ungraded inspection'],
      }),
    ),
    inspectionDate: nullable(
      string({ format: 'date', description: 'First day of the inspection that gave the rating.' }),
    ),
    distanceKm: number({
      description: 'Distance from the postcode in a straight line, in kilometres with two decimals.',
    }),
  },
  { description: 'One school.' },
);

export const schools = object(
  'Schools',
  {
    averageRating: nullable(
      number({
        description: `Mean tier, from 1 to 4 (best), with one decimal. It covers the state-funded schools in England that count in \`primary\` or \`secondary\` and have a tier, each once. ${scale} The scale is this service's own: it mixes two frameworks that, according to Ofsted, cannot be compared. \`basis\` says how many schools have a tier. Source: Ofsted's management information on state-funded schools. Null if no school has a tier, if that list or the schools are not loaded, and outside England.`,
      }),
    ),
    primary: nullable(
      integer({
        description: `Open schools for ages 5 to 10 within 1.6 km in a straight line. In England: phase primary, middle deemed primary or all-through. If the phase says nothing (special and independent schools, referral units), statutory ages from 6 or less to 10 or more. Nurseries, colleges, universities, online and overseas schools do not count. In Wales: sector primary or middle, without independent schools and others whose ages the list does not give. In Scotland: publicly funded schools with a primary department. ${sources} ${border} ${nullRule}`,
        minimum: 0,
      }),
    ),
    secondary: nullable(
      integer({
        description:
          'Open schools for ages 12 to 15 within 3.2 km in a straight line. In England: phase secondary, middle deemed secondary or all-through. If the phase says nothing, statutory ages from 12 or less to 15 or more. In Wales: sector secondary or middle. In Scotland: publicly funded schools with a secondary department. An all-through school counts in both `primary` and `secondary`. Sources, borders and null as for `primary`.',
        minimum: 0,
      }),
    ),
    ofstedOutstanding: nullable(
      integer({
        description:
          'Schools that count in `primary` or `secondary` and whose latest overall grade is Outstanding (under OEIF, or an ungraded inspection that found that the school remains outstanding). Schools with a later report card do not count. Ofsted no longer gives overall grades, so no school can gain one. Source and null as for `averageRating`, but 0 if there are schools and none is outstanding, and both lists are loaded as a whole.',
        minimum: 0,
      }),
    ),
    topSchools: list(topSchool, {
      description:
        "Up to five of the schools that count in `primary` or `secondary`. In England the highest tier comes first, nearest school first, then the next tier, and unrated schools last. In Wales and Scotland, and if Ofsted's list is not loaded, they are the nearest five. Empty if no school counts or the list is not loaded.",
    }),
    basis,
  },
  { description: 'Schools near the postcode.' },
);

type Answer = Static<typeof schools>;

const listed = ['primary', 'secondary', 'topSchools'] as const;
const rated = ['averageRating', 'ofstedOutstanding'] as const;
type Field = keyof Answer | `topSchools.${keyof Answer['topSchools'][number]}`;

export const schoolsNeeds: readonly Need<Field>[] = [
  { dataset: 'schools-england', fields: [...listed, ...rated], where: 'in England' },
  {
    dataset: 'ofsted',
    fields: [...rated, 'topSchools.rating', 'topSchools.framework', 'topSchools.inspectionDate'],
    where: 'in England',
  },
  { dataset: 'schools-wales', fields: listed, where: 'in Wales' },
  { dataset: 'schools-scotland', fields: listed, where: 'in Scotland' },
];

const nothing: Answer = {
  averageRating: null,
  primary: null,
  secondary: null,
  ofstedOutstanding: null,
  topSchools: [],
  basis: [],
};

export function describeSchools(place: PostcodeRow, release: Context['release']): Answer {
  const table = openSchools(release);
  const { point } = place;
  if (point === null) return nothing;
  const circle = { ...point, radiusMetres: secondaryRadiusMetres };
  const nation = table.findList(place.nation, circle);
  if (nation === undefined) return nothing;
  const near = table.within(circle);
  const counted = near.filter((school) => countsAsPrimary(school) || school.teachesSecondary);
  const isRated = nation === 'England' && table.hasRatings;
  const rated = counted.filter(({ tier }) => tier > 0);
  const sum = rated.reduce((total, { tier }) => total + tier, 0);
  // In a part of a list, none is not known to be none.
  const inPart = isInPart(release, schoolLists[nation]);
  if (inPart && counted.length === 0) return nothing;
  const ratedInPart = inPart || isInPart(release, 'ofsted');
  const outstanding = counted.filter(({ isOutstanding }) => isOutstanding).length;
  const primary = counted.filter(countsAsPrimary).length;
  const secondary = counted.filter(({ teachesSecondary }) => teachesSecondary).length;
  const figures = {
    averageRating: isRated && rated.length > 0 ? Math.round((10 * sum) / rated.length) / 10 : null,
    primary: primary === 0 && inPart ? null : primary,
    secondary: secondary === 0 && inPart ? null : secondary,
    ofstedOutstanding: !isRated || (outstanding === 0 && ratedInPart) ? null : outstanding,
    topSchools: chooseTop(counted, isRated ? 'by tier' : 'by distance').map((school) =>
      describeSchool(school, table.describe(school)),
    ),
  };
  const basis = [
    ...basisOfCounts(nation, counted, release),
    ...(isRated ? basisOfRatings(rated.length, counted.length, release) : []),
  ];
  return { ...figures, basis: inPart || ratedInPart ? withoutUnknown(basis, figures) : basis };
}

const withoutUnknown = (basis: Basis, figures: Readonly<Record<string, unknown>>): Basis =>
  basis
    .map((entry) => ({ ...entry, fields: entry.fields.filter((field) => figures[field] !== null) }))
    .filter(({ fields }) => fields.length > 0);

const countsAsPrimary = ({ teachesPrimary, metres }: NearbySchool) =>
  teachesPrimary && metres <= primaryRadiusMetres;

function chooseTop(
  counted: readonly NearbySchool[],
  order: 'by tier' | 'by distance',
): readonly NearbySchool[] {
  const tierOf = ({ tier }: NearbySchool) => (order === 'by tier' ? tier : 0);
  return counted
    .toSorted((a, b) => tierOf(b) - tierOf(a) || a.metres - b.metres || a.number - b.number)
    .slice(0, mostTopSchools);
}

function describeSchool(
  { nation, metres }: NearbySchool,
  { number, name, phase, rating }: School,
): Answer['topSchools'][number] {
  return {
    name,
    urn: nation === 'England' ? String(number) : null,
    phase,
    ...describeRating(rating),
    distanceKm: Math.round(metres / 10) / 100,
  };
}

/** The nation's own list always, a neighbour's where a school of it was counted. */
function basisOfCounts(
  nation: SchoolNation,
  counted: readonly NearbySchool[],
  release: Context['release'],
): Basis {
  return schoolNations
    .filter((one) => one === nation || counted.some((school) => school.nation === one))
    .flatMap((one) => {
      const dataset = release.findDataset(schoolLists[one]);
      if (dataset === undefined) return [];
      const common = {
        dataset: schoolLists[one],
        source: `${dataset.source}, ${dataset.publisher}`,
        period: dataset.asOf,
        geographyCode: null,
        geographyName: null,
      };
      return [
        { fields: ['primary'], ...common, radiusMetres: primaryRadiusMetres },
        { fields: ['secondary', 'topSchools'], ...common, radiusMetres: secondaryRadiusMetres },
      ];
    });
}

function basisOfRatings(rated: number, counted: number, release: Context['release']): Basis {
  const dataset = release.findDataset('ofsted');
  if (dataset === undefined) return [];
  return [
    {
      fields: ['averageRating', 'ofstedOutstanding', 'topSchools'],
      dataset: 'ofsted',
      source: `${dataset.source}, ${dataset.publisher}; ${rated} of the ${counted} schools counted have a tier`,
      period: dataset.asOf,
      geographyCode: null,
      geographyName: null,
      radiusMetres: secondaryRadiusMetres,
    },
  ];
}
