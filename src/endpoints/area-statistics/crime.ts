// The crime object of /area/statistics: what the police published in a year for the LSOA of a postcode, and how that
// compares with every other LSOA. Where the force responsible has gaps there are no figures, and the text says why.

import type { Context } from '../../contract/endpoint.ts';
import type { Need } from '../../contract/needs.ts';
import { integer, nullable, number, object, oneOf, type Static, string } from '../../contract/shape.ts';
import type { DatasetName } from '../../datasets.ts';
import { censusDatasets, openCensus } from '../../tables/census/census.ts';
import type { AreaCounts } from '../../tables/crime/areas.ts';
import { openCrimes } from '../../tables/crime/crimes.ts';
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
import { nationOf } from '../crime/answer.ts';
import { forceByName } from '../crime/lacking.ts';
import { statisticalAreas } from '../postcodes/areas.ts';
import { type Basis, basis } from './basis.ts';
import { residentsTable } from './census-tables.ts';

const count = (what: string) =>
  nullable(integer({ minimum: 0, description: `${what} Null if \`last12Months\` is.` }));

export const crime = object(
  'AreaCrime',
  {
    overall: oneOf(['Very low', 'Low', 'Average', 'High', 'Very high', 'Unavailable'], {
      description:
        'The score in words: Very low (below 2), Low (below 4), Average (below 6), High (below 8) or Very high. Like the score, it compares with the areas that are loaded; see `comparison` in `basis`. Unavailable: there is no score.',
    }),
    score: nullable(
      number({
        description:
          'From 0 (least crime) to 10 (most crime), with one decimal. It ranks the crimes of the year per 1,000 usual residents (Census 2021) among the LSOAs of all forces whose whole year is loaded. `comparison` in `basis` says how many areas and forces those are; if that is not all of England and Wales, `comparedToNational` begins with it. 0 is the lowest rate of all, 10 the highest, and equal rates share the middle of their ranks. Null if `last12Months` is, if the census is not loaded or counts no residents, or if fewer than 1,000 LSOAs can be compared.',
      }),
    ),
    last12Months: nullable(
      integer({
        minimum: 0,
        description:
          "Crimes and anti-social behaviour that the police published for the LSOA of the postcode, whichever force reported them, in the twelve months up to the newest month of the responsible force. If the figure is null, `comparedToNational` says why: nothing is published (Scotland, Channel Islands, Isle of Man); the crimes have no LSOA (Northern Ireland); one of the force's twelve months is not loaded or has fewer than half of the usual number of crimes; the force has stopped publishing (Greater Manchester since July 2019); its newest month is more than six months behind the newest of all; more than 25% of its crimes in the year have no LSOA; or crime data is not loaded. Crimes without an LSOA are in no area's figure. If they are 1% or more of the force's crimes, `comparedToNational` gives their share.",
      }),
    ),
    changeVsPreviousYear: nullable(
      number({
        description:
          'Change against the twelve months before, in percent with one decimal, including anti-social behaviour. Both years are counted by place: each crime counts for the LSOA that the newest loaded month gives the point at which the police put it, whatever code its own row has. The police went over from the LSOAs of 2011 to those of 2021 in 2023, and by code an area whose borders or code changed then would seem to lose or gain crime. So adding up the codes of the files gives another figure for the year before. Null if those months had fewer than 20 crimes, if any of the 24 months is missing or partial, or if the share of crimes without an LSOA differs by more than 5 percentage points between the two years.',
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
      { description: 'The same crimes by kind. The five counts add up to `last12Months`.' },
    ),
    comparedToNational: string({
      description:
        'Compares the rate with the rate of all compared LSOAs together, or says why it cannot. Unless the year of every force of England and Wales is loaded, it begins "Not national (4 of 43 forces are loaded):". Within 5% the text says "about the same". It names what is compared: England and Wales, or the forces whose year is loaded. Visitors inflate the rate where few people live; the text says so below 1,000 residents and from a score of 9.5.',
    }),
    basis,
  },
  {
    description:
      'Street-level crime from data.police.uk, counted by LSOA. The police move each crime to the nearest of a fixed set of points.',
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
      'Not available: the loaded postcodes do not say which police force is responsible here.',
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
      return 'Not available: the crimes published for Northern Ireland have no statistical area.';
    default:
      return lsoaCode === null
        ? 'Not available: the loaded postcodes do not have the statistical area (LSOA) of this postcode.'
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
      return `Not available: no data of ${force} is loaded.`;
    case 'force-without-data':
      return `Not available: every loaded month of ${force} has too few crimes, or only a part of them.`;
    case 'outdated':
      return `Not available: the newest complete month of ${force} that is loaded is ${formatMonth(year.last)}.`;
    case 'months-missing': {
      const [first, ...more] = year.missing.map(formatMonth);
      const others = more.length === 0 ? '' : ` and ${more.length} more`;
      return `Not available: in the year to ${formatMonth(year.year.to)}, the loaded data of ${force} lacks all or part of ${first}${others}.`;
    }
    case 'too-many-unplaced':
      return `Not available: ${oneDecimal(100 * year.unplacedShare)}% of the crimes of ${force} in the year to ${formatMonth(year.year.to)} have no statistical area, which is too many for figures of one area.`;
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
  const { comparison, ...words } = compared;
  const ranked = comparison === undefined ? [] : comparisons;
  const period = `${formatMonth(year.from)} to ${formatMonth(year.to)}`;
  return {
    ...words,
    comparedToNational: `${words.comparedToNational}${unplaced}`,
    last12Months,
    changeVsPreviousYear: change,
    breakdown: counts,
    basis: [
      ...standOn(release, 'crime', [...counted, ...ranked], {
        ...at,
        period,
        ...(comparison && { comparison }),
      }),
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
    : ` ${oneDecimal(100 * unplacedShare)}% of the crimes of ${force} in the year have no place and are in no area's figures.`;
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

type Compared = Pick<Crime, (typeof comparisons)[number]> & Pick<Basis[number], 'comparison'>;

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
    return notCompared('the census, which says how many people live here, is not loaded');
  }
  if (rank === undefined) {
    const isCounted = typeof openCensus(release).find(areaCode)?.population === 'number';
    return notCompared(
      isCounted
        ? 'the census counts no residents in this area'
        : 'the loaded census does not say how many people live in this area',
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
  const forces = nationOf(release, openCrimes(release)).forces;
  const loaded = forces.filter((force) => rates.comparedForces.includes(force)).length;
  const where = isFictional ? 'the fictional town' : whatIsCompared(rates);
  const figures = `${perThousand.toFixed(1)} against ${rates.pooledPerThousand.toFixed(1)} per 1,000 residents, year to ${formatMonth(year.to)}, ${inWords(rates.size)} areas`;
  const inflated =
    residents < fewResidents || score >= inflatedScore
      ? ' Visitors inflate the rate where few people live, as in town centres.'
      : '';
  const difference = differenceOf(perThousand, rates.pooledPerThousand);
  const sentence = `${notNational(loaded, forces.length)}${difference} the average of ${where} (${figures})`;
  return {
    overall: wordOf(score),
    score,
    comparedToNational: `${sentence.charAt(0).toUpperCase()}${sentence.slice(1)}.${inflated}`,
    comparison: {
      areas: rates.size,
      forcesLoaded: loaded,
      forcesOfNation: forces.length,
      rate: oneDecimal(perThousand),
      averageRate: oneDecimal(rates.pooledPerThousand),
      percentile: oneDecimal(100 * rank),
    },
  };
}

/** What a reader who sees only the beginning has to know. */
const notNational = (loaded: number, all: number): string =>
  loaded === all ? '' : `Not national (${loaded} of ${all} forces ${loaded === 1 ? 'is' : 'are'} loaded): `;

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
  if (Math.abs(percent) <= sameWithinPercent) return 'about the same as';
  return `${inWords(Math.abs(percent))}% ${percent < 0 ? 'below' : 'above'}`;
}

function wordOf(score: number): Compared['overall'] {
  if (score < 2) return 'Very low';
  if (score < 4) return 'Low';
  if (score < 6) return 'Average';
  return score < 8 ? 'High' : 'Very high';
}
