// What one call of /area/statistics and /area/places costs over a home with the country loaded, such as `npm run bench -- update`
// leaves: from the parameters to finished JSON, without HTTP and ledger, for random postcodes of the country and of inner London.
// node area-statistics/run.ts HOME [calls = 20000]

import { randomFrom } from '../../scripts/random.ts';
import type { Endpoint } from '../../src/contract/endpoint.ts';
import { areaPlaces } from '../../src/endpoints/area-places.ts';
import { areaStatistics } from '../../src/endpoints/area-statistics.ts';
import { openHome } from '../../src/release/store.ts';
import { layouts } from '../../src/tables/index.ts';
import { openPostcodes } from '../../src/tables/postcodes/postcodes.ts';
import { londonToday } from '../../src/uk/calendar.ts';
import { distanceMetres } from '../../src/uk/grid.ts';
import { london } from '../crime/made-up.ts';
import { type Figure, report } from '../figures.ts';
import { processorMs, quantile } from '../rounds.ts';

const [home, calls = '20000'] = process.argv.slice(2);
if (home === undefined) throw new Error('Name a home with the country loaded.');
const release = openHome(home, layouts).releases.openCurrent();
const context = { release, today: londonToday(Date.now()) };

/** The same at every run; of London those within 3 km of its centre. */
function choosePostcodes(where: 'anywhere' | 'inner London'): readonly string[] {
  const random = randomFrom(7);
  const table = openPostcodes(release);
  const isChosen = (latitude: number, longitude: number) =>
    where === 'anywhere'
      ? random() < 0.02
      : distanceMetres(london.latitudeDegrees, london.longitudeDegrees, latitude, longitude) < 3_000;
  const chosen = table
    .areas()
    .flatMap((area) =>
      [...table.inArea(area)].flatMap(({ postcode, point, terminated }) =>
        point !== null && terminated === null && isChosen(point.latitudeDegrees, point.longitudeDegrees)
          ? [postcode]
          : [],
      ),
    );
  return Array.from({ length: Number(calls) }, () => chosen[Math.floor(random() * chosen.length)] ?? '');
}

const figures: Figure[] = [];

function measure(
  what: string,
  endpoint: Endpoint,
  postcodes: readonly string[],
  params: Readonly<Record<string, string>> = {},
): void {
  const ask = (postcode: string) => {
    const prepared = endpoint.prepare(new URLSearchParams({ ...params, postcode }));
    const outcome = prepared.kind === 'prepared' ? prepared.run(context) : prepared;
    if (outcome instanceof Promise || outcome.kind !== 'answered')
      throw new Error(`${postcode} is not answered`);
  };
  for (const postcode of postcodes.slice(0, 2_000)) ask(postcode);
  const times: number[] = [];
  const usedMs = processorMs(() => {
    for (const postcode of postcodes) {
      const begun = performance.now();
      ask(postcode);
      times.push(performance.now() - begun);
    }
  });
  const [p50, p99] = [quantile(times, 0.5), quantile(times, 0.99)];
  const aim = endpoint === areaStatistics ? { aim: '≤ 2 ms' } : {};
  figures.push({ what: `${what}, p99`, value: p99, unit: 'ms', ...aim });
  console.log(
    `${what}: p50 ${p50.toFixed(3)} ms, p99 ${p99.toFixed(3)} ms; processor ${(usedMs / times.length).toFixed(3)} ms a call`,
  );
}

for (const where of ['anywhere', 'inner London'] as const) {
  const postcodes = choosePostcodes(where);
  measure(`statistics ${where}`, areaStatistics, postcodes);
  measure(`places within 800 m, ${where}`, areaPlaces, postcodes);
}
const widest = { radius: '3200', limit: '500' };
measure(
  '500 places within 3,200 m, inner London',
  areaPlaces,
  choosePostcodes('inner London').slice(0, 2_000),
  widest,
);
report(figures);
