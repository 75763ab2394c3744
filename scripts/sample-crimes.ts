// Draws crime around the bundled places: every incident within reach, how many more each force published, and a year of
// every LSOA of those forces to compare with. Forces that the sample has as a whole stay as they are.

import { readFileSync } from 'node:fs';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import { openCensusTable } from '../src/tables/census/census.ts';
import { openCrimeAreas } from '../src/tables/crime/areas.ts';
import { openCrimes } from '../src/tables/crime/crimes.ts';
import { parsePlaceCode } from '../src/tables/postcodes/place-names.ts';
import { formatMonth } from '../src/uk/calendar.ts';
import { crimeGroups, findForceOfArea } from '../src/uk/police.ts';
import { findForceAreaOfDistrict } from '../src/uk/police-districts.ts';
import type { Csv, Drawn } from './sample-drawn.ts';

/** A mile around every postcode of a place, and somewhat more. */
const crimeMetres = 3_000;
const yearMonths = 12;

export type Lists = {
  readonly firstMonth: string;
  readonly categories: readonly string[];
  readonly outcomes: readonly string[];
};

type DrawnCrimes = {
  readonly crimes: Csv;
  readonly areas: Csv;
  /** For the note: the lists, and around which points every incident is there. */
  readonly noted: Lists & {
    readonly reach: { readonly metres: number; readonly points: readonly (readonly number[])[] };
  };
};

export function drawCrimes(drawn: Drawn, known: Lists): DrawnCrimes {
  const { release, places, sampleFolder, parseCsv } = drawn;
  const table = openCrimes(release);
  const [firstMonth = 0] = table.months;
  const lists: Lists = {
    firstMonth: formatMonth(firstMonth),
    categories: known.categories,
    // Whole forces are written with the numbers of before.
    outcomes: [
      ...new Set([
        ...known.outcomes,
        ...table
          .words()
          .outcomes.filter((label) => label !== '')
          .sort(),
      ]),
    ],
  };
  const packed = readFileSync(path.join(sampleFolder, 'crimes.csv.gz'));
  const [header = [], ...before] = parseCsv(gunzipSync(packed).toString());
  const whole = before.filter(([force = '']) => !table.forces.includes(force));
  const near = places.flatMap(({ centre }) => pointsAround(drawn, centre, lists));
  return {
    crimes: [header, ...[...whole, ...near, ...elsewhere(drawn, near)].sort(byText)],
    areas: drawAreas(drawn),
    noted: {
      ...lists,
      reach: {
        metres: crimeMetres,
        points: places.map(({ centre: { row } }) => [Number(row[1]), Number(row[2])]),
      },
    },
  };
}

const byText = (a: readonly string[], b: readonly string[]) => (a.join() < b.join() ? -1 : 1);
const digit = (value: number) => (value < 0 ? fail('a word is not in the lists') : value.toString(36));

/** One row a point and force, with all its incidents. */
function pointsAround({ release }: Drawn, centre: Drawn['places'][number]['centre'], lists: Lists): Csv {
  const table = openCrimes(release);
  const points = [...table.within({ ...centre, radiusMetres: crimeMetres })];
  const { lsoas } = table.words();
  const rows = new Map<string, { readonly place: readonly string[]; readonly words: Map<string, number> }>();
  for (let at = 0; at < points.length; at += 2) {
    for (let point = points[at] ?? 0; point < (points[at + 1] ?? 0); point += 1) {
      const one = Uint32Array.of(point, point + 1);
      const { lsoa } = table.pointAt(point);
      const lsoaCode = lsoa === 0 ? '' : (lsoas[lsoa - 1] ?? fail('a point has no LSOA of the list'));
      for (const [column, month] of table.months.entries()) {
        for (const incident of table.incidentsIn(one, month)) {
          if (incident.context !== '') fail('an incident has a context, for which there is no column');
          const place = [
            incident.force,
            incident.latitudeDegrees.toFixed(6),
            incident.longitudeDegrees.toFixed(6),
            incident.location,
            lsoaCode,
          ];
          const row = rows.get(place.join()) ?? { place, words: new Map<string, number>() };
          rows.set(place.join(), row);
          const { category, outcome } = incident;
          const what = digit(lists.categories.indexOf(category));
          const end = outcome === null ? '-' : digit(lists.outcomes.indexOf(outcome.label));
          // Only answers of the newest month have ids.
          const isNewest = column === table.months.length - 1 && incident.id !== '';
          const word = `${digit(column)}${what}${end}${isNewest ? `:${incident.id}` : ''}`;
          row.words.set(word, (row.words.get(word) ?? 0) + 1);
        }
      }
    }
  }
  return [...rows.values()].map(({ place, words }) => [
    ...place,
    [...words]
      .map(([word, count]) => writeCount(word, count))
      .sort()
      .join(' '),
  ]);
}

/** Incidents with an id are one each, but for a few that the police published twice. */
function writeCount(word: string, count: number): string {
  if (!word.includes(':')) return count === 1 ? word : `${word}${count}`;
  return Array.from({ length: count }, () => word).join(' ');
}

/** Rows that the force published beyond those that were drawn, by month. */
function elsewhere({ release }: Drawn, near: Csv): Csv {
  const table = openCrimes(release);
  return table.forces.map((force) => {
    const drawnIn = table.months.map(() => 0);
    for (const row of near) {
      if (row[0] !== force) continue;
      for (const word of (row[5] ?? '').split(' ')) {
        const column = Number.parseInt(word.charAt(0), 36);
        drawnIn[column] = (drawnIn[column] ?? 0) + Number((/^...(\d+)/.exec(word) ?? [])[1] ?? 1);
      }
    }
    const words = table.months.map((month, column) => {
      const others = table.coverageOf(force, month).rows - (drawnIn[column] ?? 0);
      return others === 0 ? [] : [`${digit(column)}--${others}`];
    });
    return [force, '', '', '', '', words.flat().join(' ')];
  });
}

/** Every LSOA in a district of the forces, whether or not a crime lies in it. */
function drawAreas(drawn: Drawn): Csv {
  const { release, folder } = drawn;
  const areas = openCrimeAreas(release);
  const census = openCensusTable(release, 'census-england-wales');
  const read = (list: string): Readonly<Record<string, string>> =>
    JSON.parse(readFileSync(path.join(folder, `names_codes/postcodesio_${list}.json`), 'utf8'));
  const districts = new Map(Object.entries(read('districts')).map(([code, name]) => [name, code]));
  const last = areas.months.at(-1) ?? fail('no month is loaded');
  const year = { from: last - yearMonths + 1, to: last };
  const before = { from: year.from - yearMonths, to: year.from - 1 };
  const lines: string[][] = [];
  for (const [code, name] of Object.entries(read('lsoa21'))) {
    const district = districts.get(name.replace(/ \d{3}[A-Z]+$/, ''));
    const force = findForceOfArea(findForceAreaOfDistrict(district ?? '') ?? '');
    if (force === undefined || !areas.forces.includes(force)) continue;
    const counts = areas.countsIn(code, year);
    const row = census.rowOf(parsePlaceCode(code) ?? -1);
    lines.push([
      code,
      force,
      ...crimeGroups.map((group) => String(counts[group])),
      String(areas.totalIn(code, before)),
      String(row < 0 ? 0 : census.at(row, 'population')),
    ]);
  }
  return [
    ['lsoa21Code', 'force', ...crimeGroups, 'previous', 'residents'],
    ...areas.forces.map((force) => unplacedOf(force, drawn)),
    ...lines.sort(byText),
  ];
}

/** A force's crimes of the year that name no LSOA. The table asks for groups; all stand under other. */
function unplacedOf(force: string, { release }: Drawn): readonly string[] {
  const told = openCrimeAreas(release).yearOf(force);
  if (told.kind !== 'covered' || told.previous === undefined) fail(`two whole years of ${force} are needed`);
  const crimes = openCrimes(release);
  const months = crimes.months.filter((month) => month >= told.year.from && month <= told.year.to);
  const rows = months.reduce((sum, month) => sum + crimes.coverageOf(force, month).rows, 0);
  const unplaced = String(Math.round(told.unplacedShare * rows));
  return ['', force, ...crimeGroups.map((group) => (group === 'other' ? unplaced : '0')), '0', '0'];
}

function fail(problem: string): never {
  throw new Error(`${problem}.`);
}
