// Every figure of area statistics with its name, how it is written, and what is said where it is not known.

import type { Answers } from '../../api/answers.ts';
import { distanceText, fixedText, numberText, poundsText, withDates } from '../../formats.ts';
import { pageWords } from '../town.ts';

export type Statistics = Answers['/area/statistics'];
type Subject = keyof Statistics;
export type Basis = Statistics[Subject]['basis'][number];

export type Figure = {
  /** Of the field, as `basis` names it. */
  readonly field: string;
  readonly label: string;
  /** Null where it is not known. */
  readonly value: string | null;
  /** Why it is not known, and where it would come from. */
  readonly unknown: string;
  /** Stands beside the value, which would mislead without it. */
  readonly note?: string;
};

const plain = (value: number | null, unit = ''): string | null =>
  value === null ? null : `${numberText(value)}${unit}`;
const metres = (value: number | null): string | null => (value === null ? null : distanceText(value));
/** As exact as its publisher tells it. */
const fixed = (value: number | null, decimals: 1 | 2, unit = ''): string | null =>
  value === null ? null : `${fixedText(value, decimals)}${unit}`;
const pounds = (value: number | null): string | null => (value === null ? null : poundsText(value));
const signed = (value: number | null): string | null =>
  value === null ? null : `${value > 0 ? '+' : value < 0 ? '−' : '±'}${fixedText(Math.abs(value), 1)}%`;

const census =
  'The census has no figure for this area, or its tables are not loaded: Census 2021 (ONS, NISRA), Scotland’s Census 2022.';
const map =
  'The loaded map does not cover the whole circle, or no map is loaded. Its source is OpenStreetMap.';
const notWhole =
  'Not all of the twelve months before were published, or they are not loaded (data.police.uk).';
const schoolLists =
  'The list of schools for this place is not loaded. The governments of England, Wales and Scotland publish one each.';
const stops = 'The stations of NaPTAN are not loaded, or they do not cover this place.';

export const titles: Readonly<Record<Subject, string>> = {
  demographics: 'People',
  amenities: 'Close by',
  crime: 'Crime in the neighbourhood',
  schools: 'Schools',
  transport: 'Transport',
};

const people = ({ demographics: told }: Statistics): readonly Figure[] => [
  { field: 'population', label: 'Residents', value: plain(told.population), unknown: census },
  {
    field: 'populationDensity',
    label: 'Residents per km²',
    value: plain(told.populationDensity),
    unknown: census,
  },
  { field: 'medianAge', label: 'Median age', value: fixed(told.medianAge, 1), unknown: census },
  { field: 'households', label: 'Households', value: plain(told.households), unknown: census },
  {
    field: 'averageHouseholdSize',
    label: 'People per household',
    value: fixed(told.averageHouseholdSize, 2),
    unknown: census,
  },
  {
    field: 'employmentRate',
    label: 'In work, aged 16 and over',
    value: fixed(told.employmentRate, 1, '%'),
    unknown: census,
  },
  {
    field: 'medianIncome',
    label: 'Median income before tax',
    value: pounds(told.medianIncome),
    unknown: 'HM Revenue & Customs publishes no median for this authority, or its table 3.14 is not loaded.',
  },
];

const closeBy = ({ amenities: told }: Statistics): readonly Figure[] => [
  {
    field: 'nearestSupermarketMetres',
    label: 'To a supermarket',
    value: metres(told.nearestSupermarketMetres),
    unknown: map,
  },
  {
    field: 'nearestParkMetres',
    label: 'To a park',
    value: metres(told.nearestParkMetres),
    unknown: map,
  },
  { field: 'nearestGpMetres', label: 'To a GP', value: metres(told.nearestGpMetres), unknown: map },
  { field: 'supermarkets', label: 'Supermarkets', value: plain(told.supermarkets), unknown: map },
  { field: 'convenienceStores', label: 'Corner shops', value: plain(told.convenienceStores), unknown: map },
  { field: 'restaurants', label: 'Restaurants', value: plain(told.restaurants), unknown: map },
  { field: 'cafes', label: 'Cafés', value: plain(told.cafes), unknown: map },
  { field: 'takeaways', label: 'Takeaways', value: plain(told.takeaways), unknown: map },
  { field: 'pubsAndBars', label: 'Pubs and bars', value: plain(told.pubsAndBars), unknown: map },
  { field: 'gps', label: 'GP surgeries', value: plain(told.gps), unknown: map },
  { field: 'pharmacies', label: 'Pharmacies', value: plain(told.pharmacies), unknown: map },
  { field: 'dentists', label: 'Dentists', value: plain(told.dentists), unknown: map },
  { field: 'hospitals', label: 'Hospitals', value: plain(told.hospitals), unknown: map },
  { field: 'parks', label: 'Parks', value: plain(told.parks), unknown: map },
  { field: 'playgrounds', label: 'Playgrounds', value: plain(told.playgrounds), unknown: map },
  { field: 'gyms', label: 'Gyms', value: plain(told.gyms), unknown: map },
  { field: 'libraries', label: 'Libraries', value: plain(told.libraries), unknown: map },
  { field: 'postOffices', label: 'Post offices', value: plain(told.postOffices), unknown: map },
  { field: 'banks', label: 'Banks', value: plain(told.banks), unknown: map },
];

/** Where areas of a part of the nation are compared. */
function noteOfComparison(basis: readonly Basis[]): Pick<Figure, 'note'> {
  const comparison = basis.find((entry) => entry.comparison !== undefined)?.comparison;
  if (comparison === undefined || comparison.forcesLoaded === comparison.forcesOfNation) return {};
  return { note: `not national: ${comparison.forcesLoaded} of ${comparison.forcesOfNation} forces` };
}

function crime({ crime: told }: Statistics): readonly Figure[] {
  const { breakdown, last12Months } = told;
  const comparedToNational = comparedWords(told);
  // The answer itself says why it has no figure.
  const unknown = last12Months === null ? comparedToNational : notWhole;
  const count = (label: string, value: number | null) => ({
    field: 'breakdown',
    label,
    value: plain(value),
    unknown,
  });
  const compared = { unknown: comparedToNational, ...noteOfComparison(told.basis) };
  return [
    {
      field: 'overall',
      label: 'Level',
      value: told.overall === 'Unavailable' ? null : told.overall,
      ...compared,
    },
    { field: 'score', label: 'Score (10 is most crime)', value: fixed(told.score, 1), ...compared },
    { field: 'last12Months', label: 'Crimes in a year', value: plain(last12Months), unknown },
    {
      field: 'changeVsPreviousYear',
      label: 'Compared with the year before',
      value: signed(told.changeVsPreviousYear),
      unknown,
    },
    count('Violence and robbery', breakdown.violent),
    count('Burglary', breakdown.burglary),
    count('Vehicle crime', breakdown.vehicleCrime),
    count('Anti-social behaviour', breakdown.antisocial),
    count('All other crime', breakdown.other),
  ];
}

function schools({ schools: told }: Statistics): readonly Figure[] {
  // Without a list of schools there is none that Ofsted could have rated.
  const unrated = (why: string) => (told.primary === null ? schoolLists : why);
  return [
    { field: 'primary', label: 'Primary schools', value: plain(told.primary), unknown: schoolLists },
    { field: 'secondary', label: 'Secondary schools', value: plain(told.secondary), unknown: schoolLists },
    {
      field: 'ofstedOutstanding',
      label: 'Rated Outstanding',
      value: plain(told.ofstedOutstanding),
      unknown: unrated('Ofsted inspects in England only, or its list is not loaded.'),
    },
    {
      field: 'averageRating',
      label: 'Average rating (our scale, 4 is best)',
      value: fixed(told.averageRating, 1),
      unknown: unrated(
        'No school here is rated by Ofsted, which inspects in England only, or its list is not loaded.',
      ),
    },
  ];
}

const transport = ({ transport: told }: Statistics): readonly Figure[] => [
  { field: 'railStations', label: 'Railway stations', value: plain(told.railStations), unknown: stops },
  { field: 'tubeStations', label: 'Tube stations', value: plain(told.tubeStations), unknown: stops },
  {
    field: 'busRoutes',
    label: 'Bus routes',
    value: plain(told.busRoutes),
    unknown:
      'The timetables of the Bus Open Data Service are not loaded, or none of their stops is within 400 m.',
  },
  {
    field: 'cycleHireStations',
    label: 'Cycle hire stations',
    value: plain(told.cycleHireStations),
    unknown: 'No loaded map covers the whole circle. The sources are Transport for London and OpenStreetMap.',
  },
  {
    field: 'trafficLevel',
    label: 'Traffic',
    value: told.trafficLevel === 'Unknown' ? null : told.trafficLevel,
    unknown: 'The Department for Transport counts no road within 1 km, or its counts are not loaded.',
  },
  {
    field: 'averageCommuteToCity',
    label: 'Minutes to the nearest city',
    value: plain(told.averageCommuteToCity, ' min'),
    unknown:
      'Nobody publishes a current figure: the Department for Transport stopped its journey times after 2019.',
  },
];

export const subjects: readonly {
  readonly subject: Subject;
  readonly figures: (told: Statistics) => readonly Figure[];
}[] = [
  { subject: 'demographics', figures: people },
  { subject: 'crime', figures: crime },
  { subject: 'schools', figures: schools },
  { subject: 'transport', figures: transport },
  { subject: 'amenities', figures: closeBy },
];

/** "Census 2021 …, 21 Mar 2021, for Zedbury 001A." */
export function sourceText(figure: Figure, basis: readonly Basis[]): string {
  if (figure.value === null) return `Not known. ${reasonText(figure.unknown)}`;
  const found = basis.filter(({ fields }) => fields.includes(figure.field));
  if (found.length === 0) return 'Worked out from the other figures.';
  return found
    .map(({ dataset, source, period, geographyName, geographyCode, radiusMetres }) => {
      const area = geographyName ?? geographyCode;
      const where =
        radiusMetres !== null
          ? `within ${radiusText(radiusMetres)}`
          : area === null
            ? undefined
            : `for ${area}`;
      // Years of income are written as months are: 2011-12.
      const when = dataset === 'income' ? period : withDates(period);
      return [source, when, ...(where === undefined ? [] : [where])].join(', ');
    })
    .map((text) => `${text}.`)
    .join(' ');
}

/** Of the circle that a figure is counted in: "within 1.6 km". Undefined where it is of an area, not known, or a distance itself. */
function withinOf({ field, value }: Figure, basis: readonly Basis[]): string | undefined {
  return value === null || field.startsWith('nearest') ? undefined : withinWords(field, basis);
}

/** What stands beside a value: what it is compared with, or where it is counted. */
export const besideValue = (figure: Figure, basis: readonly Basis[]): string | undefined =>
  figure.note ?? withinOf(figure, basis);

export function withinWords(field: string, basis: readonly Basis[]): string | undefined {
  const [radius, ...others] = new Set(
    basis.flatMap(({ fields, radiusMetres }) =>
      fields.includes(field) && radiusMetres !== null ? [radiusMetres] : [],
    ),
  );
  return radius === undefined || others.length > 0 ? undefined : `within ${radiusText(radius)}`;
}

/** So many figures of one circle say it once, above them. */
const manyFigures = 6;

function sharedWithin(figures: readonly Figure[], basis: readonly Basis[]): string | undefined {
  const counts = new Map<string, number>();
  for (const figure of figures) {
    const within = withinOf(figure, basis);
    if (within !== undefined) counts.set(within, (counts.get(within) ?? 0) + 1);
  }
  return [...counts].find(([, count]) => count >= manyFigures)?.[0];
}

type FigureList = {
  /** "within 800 m", which then stands above them. */
  readonly within: string | undefined;
  readonly figures: readonly Figure[];
};

/** How far it is to something is told before what is counted within a circle. */
export function listsOf(figures: readonly Figure[], basis: readonly Basis[]): readonly FigureList[] {
  const within = sharedWithin(figures, basis);
  if (within === undefined) return [{ within, figures }];
  const isDistance = ({ field }: Figure) => field.startsWith('nearest');
  return [
    { within: undefined, figures: figures.filter(isDistance) },
    { within, figures: figures.filter((figure) => !isDistance(figure)) },
  ].filter(({ figures: own }) => own.length > 0);
}

type Unknown = { readonly reason: string; readonly labels: readonly string[] };

/** Where most of a subject is not known: what, by the reason. A wall of figures that say nothing would hide those that are known. */
export function mostlyUnknown(figures: readonly Figure[]): readonly Unknown[] {
  const unknown = figures.filter(({ value }) => value === null);
  if (2 * unknown.length <= figures.length) return [];
  const reasons = [...new Set(unknown.map((figure) => figure.unknown))];
  return reasons.map((reason) => ({
    reason,
    labels: unknown.filter((figure) => figure.unknown === reason).map(({ label }) => withinSentence(label)),
  }));
}

/** "to a GP", "GP surgeries" */
const withinSentence = (label: string): string =>
  /^\p{Lu}[\p{Ll} ]/u.test(label) ? `${label.slice(0, 1).toLowerCase()}${label.slice(1)}` : label;

export const noPoint =
  'This postcode has no grid reference, so nothing around it can be counted, and it is in no statistical area.';

/** These are of an authority, or nobody publishes them. */
const withoutPlace: ReadonlySet<string> = new Set(['medianIncome', 'averageCommuteToCity']);

/** For a postcode without a grid reference: whatever is loaded, that is why nothing is known. */
export const withoutPoint = (figures: readonly Figure[]): readonly Figure[] =>
  figures.map((figure) => (withoutPlace.has(figure.field) ? figure : { ...figure, unknown: noPoint }));

/** How crime compares, or why it is not known. */
export const comparedWords = ({ comparedToNational }: Statistics['crime']): string =>
  withDates(pageWords(comparedToNational));

export const reasonText = (unknown: string): string =>
  sentence(unknown.replace(/^Not (available|compared): /, ''));

const sentence = (words: string): string => `${words.slice(0, 1).toUpperCase()}${words.slice(1)}`;

/** Number and unit stay in one line. */
const radiusText = (metres: number): string =>
  metres < 1000 ? `${numberText(metres)}\u00a0m` : `${numberText(metres / 1000)}\u00a0km`;
