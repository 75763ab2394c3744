// The crime object of /area/statistics: what the police published in a year for the LSOA of a postcode, and how that
// compares with every other LSOA. Where the force responsible has gaps there are no figures, and the text says why.

import type { Context } from '../../contract/endpoint.ts';
import type { Need } from '../../contract/needs.ts';
import { integer, nullable, number, object, oneOf, type Static, string } from '../../contract/shape.ts';
import type { DatasetName } from '../../datasets.ts';
import { censusDatasets, openCensus } from '../../tables/census/census.ts';
import { type AreaCounts, crimeAreasPart } from '../../tables/crime/areas.ts';
import {
  type AreaCrime,
  type CrimeRates,
  hasCrimeRates,
  openCrimeRates,
  type Uncovered,
} from '../../tables/crime/rates.ts';
import { findPlaceNames } from '../../tables/postcodes/place-names.ts';
import type { PostcodeRow } from '../../tables/postcodes/postcodes.ts';
import { formatMonth } from '../../uk/calendar.ts';
import { lastMonthOfForce, territorialForces } from '../../uk/police.ts';
import { forceByName } from '../crime/lacking.ts';
import { statisticalAreas } from '../postcodes/statistical-areas.ts';
import { type Basis, basis } from './basis.ts';
import { residentsTable } from './census-tables.ts';

const count = (what: string) =>
  nullable(integer({ minimum: 0, description: `${what} Null where \`last12Months\` is.` }));

export const crime = object(
  'AreaCrime',
  {
    overall: oneOf(['Very low', 'Low', 'Average', 'High', 'Very high', 'Unavailable'], {
      description:
        'The score in words: below 2 Very low, below 4 Low, below 6 Average, below 8 High, else Very high. Unavailable where there is no score.',
    }),
    score: nullable(
      number({
        description:
          'From 0 to 10, one decimal; higher is more crime. Crimes of the year per 1,000 usual residents (Census 2021) are ranked among the LSOAs of forces whose whole year is loaded; `comparedToNational` says of which forces, where it is not all of England and Wales: 0 is the lowest rate of all, 10 the highest, equal rates share the middle of their places. Null where `last12Months` is, where the census is not loaded or counts no residents, and where fewer than 1,000 LSOAs can be compared.',
      }),
    ),
    last12Months: nullable(
      integer({
        minimum: 0,
        description:
          "Crimes and anti-social behaviour that the police published for the postcode's LSOA in the twelve months up to the newest one of the force responsible, whichever force reported them. Null, with the reason in `comparedToNational`, where nothing is published (Scotland, Channel Islands, Isle of Man) or no LSOA is given (Northern Ireland); where one of the twelve months of the force is not loaded, or was published in part only (fewer than half of the crimes of a usual month of the force); where the force has stopped (Greater Manchester since July 2019), or its newest month lies more than six months behind the newest of all; where more than 25% of its crimes in the year name no LSOA; and where crime is not loaded. Crimes that name no LSOA are in no area's figure; from 1% of the force's, `comparedToNational` tells their share.",
      }),
    ),
    changeVsPreviousYear: nullable(
      number({
        description:
          'Percent against the twelve months before, one decimal, anti-social behaviour included. Null where those had fewer than 20 crimes, where any of the 24 months is missing or partial, and where the shares of crimes that name no LSOA differ by more than 5 percentage points between the years.',
      }),
    ),
    breakdown: object(
      'AreaCrimeBreakdown',
      {
        violent: count('Violence and sexual offences, and robbery.'),
        burglary: count('Burglary.'),
        vehicleCrime: count('Vehicle crime.'),
        antisocial: count('Anti-social behaviour.'),
        other: count('The nine other categories of the police.'),
      },
      { description: 'The same crimes by kind; the five add up to `last12Months`.' },
    ),
    comparedToNational: string({
      description:
        'The rate against that of all compared LSOAs together, within 5% "about the same"; or why there is none. The text names what is compared: England and Wales, or the forces whose year is loaded. Rates where few people live are inflated by visitors, and the text says so below 1,000 residents and from a score of 9.5.',
    }),
    basis,
  },
  {
    description:
      'Street-level crime of data.police.uk, counted by LSOA: places are those the police publish, moved to the nearest of a fixed set of points.',
  },
);

type Release = Context['release'];
type Crime = Static<typeof crime>;

const comparisons = ['overall', 'score', 'comparedToNational'] as const;
const allFields = [...comparisons, 'last12Months', 'changeVsPreviousYear', 'breakdown'] as const;

export const crimeNeeds: readonly Need<keyof Crime | 'basis.geographyName'>[] = [
  { dataset: 'crime', fields: allFields },
  { dataset: 'postcodes', holding: statisticalAreas, fields: allFields },
  { dataset: 'census-england-wales', fields: comparisons },
  { dataset: 'census-england-wales', holding: residentsTable.holding, fields: comparisons },
  { dataset: 'place-names', fields: ['basis.geographyName'] },
  { dataset: 'place-names', fields: allFields, where: forceByName },
];

/** Of England and Wales, where the police's areas are. */
const [censusDataset] = censusDatasets;

/** Fewer LSOAs than these tell nothing of a nation. */
const comparedFewest = 1_000;
const previousFewest = 20;
const sameWithinPercent = 5;
const fewResidents = 1_000;
const inflatedScore = 9.5;
/** Smaller shares of crimes without an area are not worth a sentence. */
const unplacedTold = 0.01;
/** More forces than these are counted instead of named. */
const namedMost = 5;

export function describeCrime(place: PostcodeRow, release: Release): Crime {
  const dataset = release.findDataset('crime');
  if (dataset === undefined) return unavailable('Not available: no crime is loaded.');
  if (!release.has(crimeAreasPart)) {
    return unavailable(
      'Not available: crime was loaded by an earlier version of this service; its operator can load the files again.',
    );
  }
  if (!hasCrimeRates(release)) {
    return unavailable(
      'Not available: the loaded data was put together by another version of this service; the next load does it anew.',
    );
  }
  const reason = whyNone(place);
  if (reason !== undefined) return unavailable(reason);
  const areaCode = place.lsoaCode ?? '';
  const rates = openCrimeRates(release);
  const area = rates.find(areaCode);
  if (area === undefined || area.kind === 'force-unknown') {
    return unavailable(
      'Not available: the loaded postcodes do not tell which police force is responsible here.',
    );
  }
  if (area.kind === 'uncovered') return unavailable(whyUncovered(area));
  return describeYear(areaCode, area, rates, release);
}

function unavailable(why: string): Crime {
  return {
    overall: 'Unavailable',
    score: null,
    last12Months: null,
    changeVsPreviousYear: null,
    breakdown: { violent: null, burglary: null, vehicleCrime: null, antisocial: null, other: null },
    comparedToNational: why,
    basis: [],
  };
}

/** Why the police publish nothing for a place, or nothing that can be counted by area. */
function whyNone({ nation, lsoaCode }: PostcodeRow): string | undefined {
  switch (nation) {
    case 'Scotland':
      return 'Not available: Police Scotland does not publish street-level crime.';
    case 'Channel Islands':
    case 'Isle of Man':
      return `Not available: street-level crime is not published for the ${nation}.`;
    case 'Northern Ireland':
      return 'Not available: the crimes published for Northern Ireland name no statistical area.';
    default:
      return lsoaCode === null
        ? 'Not available: the loaded postcodes do not tell the statistical area (LSOA) of this one.'
        : undefined;
  }
}

function whyUncovered({ force, year }: { readonly force: string; readonly year: Uncovered }): string {
  const lastMonth = lastMonthOfForce.get(force);
  if (lastMonth !== undefined) {
    return `Not available: ${force} has published no street-level crime after ${lastMonth}.`;
  }
  switch (year.kind) {
    case 'force-not-loaded':
      return `Not available: nothing of ${force} is loaded.`;
    case 'force-without-data':
      return `Not available: what is loaded of ${force} are too few crimes, or a part of them, in every month.`;
    case 'outdated':
      return `Not available: the newest whole month of ${force} that is loaded is ${formatMonth(year.last)}.`;
    case 'months-missing': {
      const [first, ...more] = year.missing.map(formatMonth);
      const others = more.length === 0 ? '' : ` and ${more.length} more`;
      return `Not available: of the year to ${formatMonth(year.year.to)} of ${force} the loaded data lacks ${first}${others}, wholly or in part.`;
    }
    case 'too-many-unplaced':
      return `Not available: ${oneDecimal(100 * year.unplacedShare)}% of the crimes of ${force} in the year to ${formatMonth(year.year.to)} name no statistical area, too many for the figures of one.`;
  }
}

type Covered = Extract<AreaCrime, { kind: 'covered' }>;

function describeYear(areaCode: string, area: Covered, rates: CrimeRates, release: Release): Crime {
  const { year, counts, previousTotal } = area;
  const last12Months = sumOf(counts);
  const change = previousTotal === undefined ? null : changeOf(last12Months, previousTotal);
  const compared = compare(areaCode, area, last12Months, rates, release);
  const unplaced = unplacedIn(area);
  const geographyName = findPlaceNames(release)?.find(areaCode) ?? null;
  const at = { geographyCode: areaCode, geographyName, radiusMetres: null };
  const counted = ['last12Months', 'breakdown', ...(change === null ? [] : ['changeVsPreviousYear'])];
  const ranked = compared.score === null ? [] : ['overall', 'score', 'comparedToNational'];
  const period = `${formatMonth(year.from)} to ${formatMonth(year.to)}`;
  return {
    ...compared,
    comparedToNational: `${compared.comparedToNational}${unplaced}`,
    last12Months,
    changeVsPreviousYear: change,
    breakdown: counts,
    basis: [
      ...standOn(release, 'crime', [...counted, ...ranked], { ...at, period }),
      ...standOn(release, censusDataset, ranked, {
        ...at,
        period: release.findDataset(censusDataset)?.asOf ?? '',
      }),
    ],
  };
}

/** What the figures of every area of the force lack. */
function unplacedIn({ force, unplacedShare }: Covered): string {
  return unplacedShare < unplacedTold
    ? ''
    : ` ${oneDecimal(100 * unplacedShare)}% of the crimes of ${force} in the year name no place and are in no area's figures.`;
}

function standOn(
  release: Release,
  name: DatasetName,
  fields: readonly string[],
  where: Omit<Basis[number], 'fields' | 'dataset' | 'source'>,
): Basis {
  const dataset = release.findDataset(name);
  if (dataset === undefined || fields.length === 0) return [];
  return [{ fields, dataset: name, source: `${dataset.source}, ${dataset.publisher}`, ...where }];
}

const sumOf = (counts: AreaCounts) => Object.values(counts).reduce((sum, value) => sum + value, 0);
const oneDecimal = (value: number) => Math.round(10 * value) / 10;

const changeOf = (now: number, before: number) =>
  before < previousFewest ? null : oneDecimal((100 * (now - before)) / before);

type Compared = Pick<Crime, 'overall' | 'score' | 'comparedToNational'>;

function compare(
  areaCode: string,
  { year, residents, rank }: Covered,
  total: number,
  rates: CrimeRates,
  release: Release,
): Compared {
  const notCompared = (why: string): Compared => ({
    overall: 'Unavailable',
    score: null,
    comparedToNational: `Not compared: ${why}.`,
  });
  if (release.findDataset(censusDataset) === undefined) {
    return notCompared('the census, which tells how many people live here, is not loaded');
  }
  if (rank === undefined) {
    const isCounted = typeof openCensus(release).find(areaCode)?.population === 'number';
    return notCompared(
      isCounted
        ? 'the census counts no residents in this area'
        : 'the loaded census does not tell how many people live in this area',
    );
  }
  // The fictional town is small, and whoever tries the service with a test key wants to see a whole answer.
  const isFictional = release.findDataset('crime')?.extent === 'fictional';
  if (rates.size < comparedFewest && !isFictional) {
    return notCompared(
      `that needs at least ${inWords(comparedFewest)} areas with crime and residents, and ${inWords(rates.size)} are loaded`,
    );
  }
  const perThousand = (1000 * total) / residents;
  const score = oneDecimal(10 * rank);
  const where = isFictional ? 'the fictional town' : whatIsCompared(rates);
  const figures = `${perThousand.toFixed(1)} against ${rates.pooledPerThousand.toFixed(1)} per 1,000 residents, year to ${formatMonth(year.to)}, ${inWords(rates.size)} areas`;
  const inflated =
    residents < fewResidents || score >= inflatedScore
      ? ' Rates where few people live, as in town centres, are inflated by visitors.'
      : '';
  return {
    overall: wordOf(score),
    score,
    comparedToNational: `${differenceOf(perThousand, rates.pooledPerThousand)} the average of ${where} (${figures}).${inflated}`,
  };
}

/** Never more than what is compared: a few forces are no nation. */
function whatIsCompared({ comparedForces }: CrimeRates): string {
  const absent = territorialForces.filter((force) => !comparedForces.includes(force));
  if (absent.length === 0) return 'England and Wales';
  if (absent.length <= namedMost) return `England and Wales without ${inList(absent)}`;
  return comparedForces.length <= namedMost
    ? `the loaded areas of ${inList(comparedForces)}`
    : `the loaded areas of ${comparedForces.length} forces`;
}

const inList = (names: readonly string[]) =>
  names.length < 2 ? names.join() : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;

/** A whole number with commas. Not by Intl, whose first use takes some 30 ms of every start. */
const inWords = (value: number) => String(value).replace(/\B(?=(\d{3})+$)/g, ',');

function differenceOf(perThousand: number, pooled: number): string {
  const percent = pooled === 0 ? 0 : Math.round(100 * (perThousand / pooled - 1));
  if (Math.abs(percent) <= sameWithinPercent) return 'About the same as';
  return `${inWords(Math.abs(percent))}% ${percent < 0 ? 'below' : 'above'}`;
}

function wordOf(score: number): Compared['overall'] {
  if (score < 2) return 'Very low';
  if (score < 4) return 'Low';
  if (score < 6) return 'Average';
  return score < 8 ? 'High' : 'Very high';
}
