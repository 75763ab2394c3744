// Crimes within a mile: our table against SQLite with an R-tree, on the same 20 million made-up incidents in one run.
// Arguments: incidents and points in millions (20 0.7).

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { ReleaseStore } from '../../src/release/store.ts';
import { type Crimes, openCrimes } from '../../src/tables/crimes.ts';
import { CrimesBuilder } from '../../src/tables/crimes-builder.ts';
import { distanceMetres } from '../../src/uk/grid.ts';
import {
  categoryCount,
  firstMonth,
  forceCount,
  london,
  makeCategory,
  makeCount,
  makeOutcome,
  makePoint,
  months,
  outcomeCount,
  randomFrom,
} from './made-up.ts';

const [incidentsMillion = 20, pointsMillion = 0.7] = process.argv.slice(2).map(Number);
const pointTotal = Math.round(pointsMillion * 1e6);
const mean = incidentsMillion / pointsMillion;
const radiusMetres = 1_609.344;
const folder = mkdtempSync(path.join(tmpdir(), 'domesday-bench-crime-'));
const say = (text: string) => console.log(text);
const numbered = (count: number, word: string) =>
  Array.from({ length: count }, (_, index) => `${word} ${index}`);

function build(database: DatabaseSync): Crimes {
  const random = randomFrom(7);
  const builder = new CrimesBuilder();
  database.exec(`
    PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA cache_size = -2000000;
    CREATE VIRTUAL TABLE place USING rtree(id, south, north, west, east);
    CREATE TABLE point (id INTEGER PRIMARY KEY, latitude REAL, longitude REAL);
    CREATE TABLE incident (point INTEGER, month INTEGER, number INTEGER, category INTEGER, outcome INTEGER,
      PRIMARY KEY (point, month, number)) WITHOUT ROWID;
    BEGIN`);
  const addPlace = database.prepare('INSERT INTO place VALUES (?, ?, ?, ?, ?)');
  const addPoint = database.prepare('INSERT INTO point VALUES (?, ?, ?)');
  const addIncident = database.prepare('INSERT INTO incident VALUES (?, ?, ?, ?, ?)');
  let total = 0;
  for (let made = 0; made < pointTotal; made += 1) {
    const { force, ...place } = makePoint(random);
    // A name of its own for each, so that made-up points on one spot stay two.
    const { point } = builder.point({ ...place, name: made % 50_000, lsoa: 0 });
    if (point !== builder.pointCount - 1) continue;
    const [latitude, longitude] = [place.latitudeMicro / 1e6, place.longitudeMicro / 1e6];
    addPlace.run(point, latitude, latitude, longitude, longitude);
    addPoint.run(point, latitude, longitude);
    const count = makeCount(random, mean);
    const inMonths = Array.from({ length: count }, () => Math.floor(months * random())).sort((a, b) => a - b);
    for (const [number, month] of inMonths.entries()) {
      const category = makeCategory(random);
      const outcome = makeOutcome(random);
      builder.month(firstMonth + month).add(point, category, outcome, 0, force);
      builder.countPublished(firstMonth + month, force);
      addIncident.run(point, month, number, category, outcome);
    }
    total += count;
  }
  database.exec('COMMIT; ANALYZE');
  say(`${total} incidents at ${builder.pointCount} points, ${months} months`);
  return write(builder);
}

function write(builder: CrimesBuilder): Crimes {
  const store = new ReleaseStore(path.join(folder, 'releases'));
  const writer = store.beginRelease({ id: 'bench', kind: 'loaded', createdAtMs: 0, base: undefined });
  const parts: string[] = [];
  const words = {
    names: numbered(50_000, 'On or near Street'),
    lsoas: [],
    forces: numbered(forceCount, 'Force'),
    categories: numbered(categoryCount, 'category'),
    outcomes: numbered(outcomeCount, 'outcome'),
    nationalForce: '',
  };
  for (const [name, columns] of builder.encode(words)) {
    writer.writePart(name, columns);
    parts.push(name);
  }
  const text = 'made up';
  writer.putDataset({
    name: 'crime',
    title: text,
    source: text,
    publisher: text,
    publisherShort: text,
    licence: text,
    attribution: text,
    edition: text,
    asOf: '2024-12-31',
    loadedAt: '2026-01-01T00:00:00Z',
    rows: 0,
    rejects: {},
    extent: 'complete',
    coverage: {},
    nextEditionExpected: null,
    files: [],
    parts,
  });
  return openCrimes(writer.finish());
}

type At = { readonly latitudeDegrees: number; readonly longitudeDegrees: number };

/** What an answer needs: totals by month, and categories with outcomes of the newest month. */
function askTable(crimes: Crimes, at: At, wanted: number): string {
  const points = crimes.within({ ...at, radiusMetres });
  const newest = firstMonth + months - 1;
  const totals = crimes.totalsIn(points, newest - wanted + 1, newest);
  const categories = crimes.categoriesIn(points, newest);
  if (!compare) return '';
  return result(
    totals.months.map((month, index) => `${month - firstMonth} ${totals.counts[index]}`),
    categories.flatMap(({ category, count, outcomes }) => [
      `${category.split(' ')[1]} ${count}`,
      ...[...outcomes].map(([label, times]) => `${category.split(' ')[1]} ${label.split(' ')[1]} ${times}`),
    ]),
  );
}
let compare = true;
const result = (totals: readonly string[], categories: readonly string[]) =>
  compare ? [...totals.filter((line) => !line.endsWith(' 0')), ...categories].sort().join('; ') : '';

function sqliteAsker(database: DatabaseSync) {
  database.function('distance', { deterministic: true }, (a, b, c, d) =>
    distanceMetres(Number(a), Number(b), Number(c), Number(d)),
  );
  const near = `FROM place CROSS JOIN point ON point.id = place.id CROSS JOIN incident ON incident.point = point.id
    WHERE south >= :south AND north <= :north AND west >= :west AND east <= :east
    AND distance(:latitude, :longitude, latitude, longitude) <= ${radiusMetres}`;
  const byMonth = database.prepare(
    `SELECT month, count(*) AS count ${near} AND month >= :from GROUP BY month`,
  );
  const byCategory = database.prepare(
    `SELECT category, outcome, count(*) AS count ${near} AND month = ${months - 1} GROUP BY category, outcome`,
  );
  return ({ latitudeDegrees, longitudeDegrees }: At, wanted: number): string => {
    const reach = radiusMetres / 111_000;
    const wide = reach / Math.cos(((latitudeDegrees + reach) * Math.PI) / 180);
    const circle = {
      south: latitudeDegrees - reach,
      north: latitudeDegrees + reach,
      west: longitudeDegrees - wide,
      east: longitudeDegrees + wide,
      latitude: latitudeDegrees,
      longitude: longitudeDegrees,
    };
    const totals = byMonth.all({ ...circle, from: months - wanted });
    const cells = byCategory.all(circle);
    if (!compare) return '';
    const counts = new Map<unknown, number>();
    for (const { category, count } of cells)
      counts.set(category, (counts.get(category) ?? 0) + Number(count));
    return result(
      totals.map(({ month, count }) => `${month} ${count}`),
      [
        ...[...counts].map(([category, count]) => `${category} ${count}`),
        ...cells
          .filter(({ outcome }) => Number(outcome) > 0)
          .map(({ category, outcome, count }) => `${category} ${Number(outcome) - 1} ${count}`),
      ],
    );
  };
}

/** Sorted times of one question after the other, in milliseconds. */
function time(places: readonly At[], ask: (at: At) => unknown): readonly number[] {
  return places
    .map((at) => {
      const start = performance.now();
      ask(at);
      return performance.now() - start;
    })
    .sort((a, b) => a - b);
}
const at = (times: readonly number[], share: number) => times[Math.floor(times.length * share)] ?? Number.NaN;

const database = new DatabaseSync(path.join(folder, 'crime.sqlite'));
const begun = performance.now();
const crimes = build(database);
say(
  `built in ${((performance.now() - begun) / 1000).toFixed(0)} s, resident ${(process.memoryUsage.rss() / 1e9).toFixed(2)} GB`,
);
const askSqlite = sqliteAsker(database);

const random = randomFrom(11);
const dense = (count: number) =>
  Array.from({ length: count }, () => ({
    latitudeDegrees: london.latitudeDegrees + (random() - 0.5) / 30,
    longitudeDegrees: london.longitudeDegrees + (random() - 0.5) / 20,
  }));
const rural = (count: number) =>
  Array.from({ length: count }, () => ({
    latitudeDegrees: 50.6 + 4.3 * random(),
    longitudeDegrees: -3.9 + 4.8 * random(),
  }));

let equal = 0;
for (const place of [...dense(20), ...rural(80)]) {
  if (askTable(crimes, place, 24) !== askSqlite(place, 24))
    throw new Error(`answers differ at ${JSON.stringify(place)}`);
  equal += 1;
}
compare = false;
say(`${equal} answers equal`);
const found = dense(200).map((place) => {
  const points = crimes.within({ ...place, radiusMetres });
  return {
    points: points.reduce((sum, at, index) => sum + (index % 2 === 0 ? -at : at), 0),
    incidents: crimes
      .totalsIn(points, firstMonth, firstMonth + months)
      .counts.reduce((sum, count) => sum + count, 0),
  };
});
say(
  `a dense circle has ${Math.round(found.reduce((sum, { points }) => sum + points, 0) / found.length)} points and ${Math.round(found.reduce((sum, { incidents }) => sum + incidents, 0) / found.length)} incidents`,
);
for (const [name, places] of Object.entries({ dense, rural })) {
  time(places(3000), (place) => askTable(crimes, place, 24));
  const own = time(places(5000), (place) => askTable(crimes, place, 24));
  const one = time(places(5000), (place) => askTable(crimes, place, 1));
  time(places(20), (place) => askSqlite(place, 24));
  const sqlite = time(places(name === 'dense' ? 60 : 500), (place) => askSqlite(place, 24));
  say(
    `${name}: ours p50 ${at(own, 0.5).toFixed(4)} ms, p99 ${at(own, 0.99).toFixed(4)} ms; months=1 p50 ${at(one, 0.5).toFixed(4)} ms (24 costs ${(at(own, 0.5) / at(one, 0.5)).toFixed(2)} x); SQLite p50 ${at(sqlite, 0.5).toFixed(2)} ms: ${(at(sqlite, 0.5) / at(own, 0.5)).toFixed(0)} x`,
  );
}
database.close();
rmSync(folder, { recursive: true, force: true });
