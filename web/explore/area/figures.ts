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

/** `text`: how it is written where it is known. */
const figure = <Field extends string>(
  told: { readonly [field in Field]: number | null },
  field: Field,
  label: string,
  unknown: string,
  text: (value: number) => string = numberText,
): Figure => ({ field, label, value: told[field] === null ? null : text(told[field]), unknown });

/** As exact as its publisher tells it. */
const oneDecimal = (value: number): string => fixedText(value, 1);
const signed = (value: number): string =>
  `${value > 0 ? '+' : value < 0 ? '−' : '±'}${oneDecimal(Math.abs(value))}%`;

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

const noIncome =
  'HM Revenue & Customs publishes no median for this authority, or its table 3.14 is not loaded.';

const people = ({ demographics: told }: Statistics): readonly Figure[] => [
  figure(told, 'population', 'Residents', census),
  figure(told, 'populationDensity', 'Residents per km²', census),
  figure(told, 'medianAge', 'Median age', census, oneDecimal),
  figure(told, 'households', 'Households', census),
  figure(told, 'averageHouseholdSize', 'People per household', census, (value) => fixedText(value, 2)),
  figure(told, 'employmentRate', 'In work, aged 16 and over', census, (value) => `${oneDecimal(value)}%`),
  figure(told, 'medianIncome', 'Median income before tax', noIncome, poundsText),
];

const closeBy = ({ amenities: told }: Statistics): readonly Figure[] => [
  figure(told, 'nearestSupermarketMetres', 'To a supermarket', map, distanceText),
  figure(told, 'nearestParkMetres', 'To a park', map, distanceText),
  figure(told, 'nearestGpMetres', 'To a GP', map, distanceText),
  figure(told, 'supermarkets', 'Supermarkets', map),
  figure(told, 'convenienceStores', 'Corner shops', map),
  figure(told, 'restaurants', 'Restaurants', map),
  figure(told, 'cafes', 'Cafés', map),
  figure(told, 'takeaways', 'Takeaways', map),
  figure(told, 'pubsAndBars', 'Pubs and bars', map),
  figure(told, 'gps', 'GP surgeries', map),
  figure(told, 'pharmacies', 'Pharmacies', map),
  figure(told, 'dentists', 'Dentists', map),
  figure(told, 'hospitals', 'Hospitals', map),
  figure(told, 'parks', 'Parks', map),
  figure(told, 'playgrounds', 'Playgrounds', map),
  figure(told, 'gyms', 'Gyms', map),
  figure(told, 'libraries', 'Libraries', map),
  figure(told, 'postOffices', 'Post offices', map),
  figure(told, 'banks', 'Banks', map),
];

/** Where areas of a part of the nation are compared. */
function noteOfComparison(basis: readonly Basis[]): Pick<Figure, 'note'> {
  const comparison = basis.find((entry) => entry.comparison !== undefined)?.comparison;
  if (comparison === undefined || comparison.forcesLoaded === comparison.forcesOfNation) return {};
  return { note: `not national: ${comparison.forcesLoaded} of ${comparison.forcesOfNation} forces` };
}

function crime({ crime: told }: Statistics): readonly Figure[] {
  const { breakdown, overall, last12Months } = told;
  const comparedToNational = comparedWords(told);
  // The answer itself says why it has no figure.
  const unknown = last12Months === null ? comparedToNational : notWhole;
  const level = { field: 'overall', label: 'Level', value: overall === 'Unavailable' ? null : overall };
  const part = (name: keyof typeof breakdown, label: string): Figure => ({
    ...figure(breakdown, name, label, unknown),
    field: 'breakdown',
  });
  const note = noteOfComparison(told.basis);
  return [
    { ...level, unknown: comparedToNational, ...note },
    { ...figure(told, 'score', 'Score (10 is most crime)', comparedToNational, oneDecimal), ...note },
    figure(told, 'last12Months', 'Crimes in a year', unknown),
    figure(told, 'changeVsPreviousYear', 'Compared with the year before', unknown, signed),
    part('violent', 'Violence and robbery'),
    part('burglary', 'Burglary'),
    part('vehicleCrime', 'Vehicle crime'),
    part('antisocial', 'Anti-social behaviour'),
    part('other', 'All other crime'),
  ];
}

const noOfsted = 'Ofsted inspects in England only, or its list is not loaded.';
const noneRated =
  'No school here is rated by Ofsted, which inspects in England only, or its list is not loaded.';

function schools({ schools: told }: Statistics): readonly Figure[] {
  // Without a list of schools there is none that Ofsted could have rated.
  const unrated = (why: string) => (told.primary === null ? schoolLists : why);
  const average = 'Average rating (our scale, 4 is best)';
  return [
    figure(told, 'primary', 'Primary schools', schoolLists),
    figure(told, 'secondary', 'Secondary schools', schoolLists),
    figure(told, 'ofstedOutstanding', 'Rated Outstanding', unrated(noOfsted)),
    figure(told, 'averageRating', average, unrated(noneRated), oneDecimal),
  ];
}

const timetables =
  'The timetables of the Bus Open Data Service are not loaded, or none of their stops is within 400 m.';
const cycleMaps =
  'No loaded map covers the whole circle. The sources are Transport for London and OpenStreetMap.';
const noTraffic = 'The Department for Transport counts no road within 1 km, or its counts are not loaded.';
const noCommute =
  'Nobody publishes a current figure: the Department for Transport stopped its journey times after 2019.';
const minutes = (value: number): string => `${numberText(value)} min`;

function transport({ transport: told }: Statistics): readonly Figure[] {
  const traffic = told.trafficLevel === 'Unknown' ? null : told.trafficLevel;
  return [
    figure(told, 'railStations', 'Railway stations', stops),
    figure(told, 'tubeStations', 'Tube stations', stops),
    figure(told, 'busRoutes', 'Bus routes', timetables),
    figure(told, 'cycleHireStations', 'Cycle hire stations', cycleMaps),
    { field: 'trafficLevel', label: 'Traffic', value: traffic, unknown: noTraffic },
    figure(told, 'averageCommuteToCity', 'Minutes to the nearest city', noCommute, minutes),
  ];
}

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
