// What the dearest call of /crime/by-postcode costs: 24 months, the widest circle, every crime of a month and every point,
// in the middle of London. Node runs all of it in one go, so that nobody else is answered meanwhile.
// npm run crime-worst; what is in the folder from before is used again.

import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { answer } from '../../src/endpoints/crime/answer.ts';
import { describeIncidents } from '../../src/endpoints/crime/lists.ts';
import { describePoints } from '../../src/endpoints/crime/points.ts';
import { firstMonth, london, months } from './made-up.ts';
import { openWorld } from './world.ts';

const [incidents = 20e6, points = 700_000] = process.argv.slice(2, 4).map(Number);
const kept = process.argv[4];
const folder = kept ?? mkdtempSync(path.join(tmpdir(), 'domesday-bench-crime-'));
mkdirSync(folder, { recursive: true });
const { crimes } = openWorld(folder, { incidents, points, seed: 7 });

const newest = firstMonth + months - 1;
const covered = new Set(Array.from({ length: 24 }, (_, index) => newest - index));

const everyPoint = { category: undefined, limit: undefined, offset: undefined };

function ask(radiusMetres: number, wish: 'sums' | 'raw' | 'points' | 'both') {
  const circle = { ...london, radiusMetres };
  const found = crimes.within(circle);
  const totals = crimes.totalsIn(found, newest - 23, newest);
  const json = answer.write({
    locationName: '',
    postcode: '',
    latitude: circle.latitudeDegrees,
    longitude: circle.longitudeDegrees,
    policeForce: '',
    referenceMonth: '',
    monthsRequested: 24,
    monthlyTotals: {},
    crimeCategories: crimes
      .categoriesIn(found, newest)
      .map(({ category, count }) => ({ category, displayName: '', count, percentage: 0, outcomes: {} })),
    totalCrimes: totals.counts.reduce((sum, count) => sum + count, 0),
    ...(wish === 'raw' || wish === 'both'
      ? { rawCrimes: describeIncidents(crimes, found, newest, undefined) }
      : {}),
    ...(wish === 'points' || wish === 'both' ? describePoints(crimes, found, covered, everyPoint) : {}),
  });
  return Buffer.from(json).length;
}

const rounds = 9;
for (const radius of [1_609, 2_000, 5_000]) {
  for (const wish of ['sums', 'raw', 'points', 'both'] as const) {
    const times: number[] = [];
    let bytes = 0;
    for (let round = 0; round < rounds; round += 1) {
      const startMs = performance.now();
      bytes = ask(radius, wish);
      times.push(performance.now() - startMs);
    }
    times.sort((a, b) => a - b);
    const [median = 0, slowest = 0] = [times[rounds >> 1], times.at(-1)];
    console.log(
      `${radius} m, ${wish}: ${median.toFixed(1)} ms (slowest ${slowest.toFixed(1)}), ${(bytes / 1e6).toFixed(2)} MB`,
    );
  }
}
if (kept === undefined) rmSync(folder, { recursive: true });
