// The fictional town's police archive: in the North Sea, with every category, and with the gaps it promises.

import assert from 'node:assert/strict';
import path from 'node:path';
import { test } from 'node:test';
import { openCrimes } from '../../src/tables/crime/crimes.ts';
import { formatMonth } from '../../src/uk/calendar.ts';
import { openTestHome } from '../ingest/home.ts';

test('its crimes lie in the North Sea, in made-up LSOAs, and its forces have the gaps that the README tells', async () => {
  const home = openTestHome();
  try {
    const { release } = await home.ingest([path.join(import.meta.dirname, '../../data/sandbox/police.zip')]);
    const crimes = openCrimes(release);
    const { lsoas } = crimes.words();
    for (let point = 0; point < crimes.pointCount; point += 1) {
      const { latitudeMicro, longitudeMicro, lsoa } = crimes.pointAt(point);
      assert.ok(latitudeMicro > 54.1e6 && latitudeMicro < 54.3e6, `${latitudeMicro}`);
      assert.ok(longitudeMicro > 0.8e6 && longitudeMicro < 1e6, `${longitudeMicro}`);
      assert.match(lsoas[lsoa - 1] ?? '', /^[EW]01999\d{3}$/);
    }
    assert.equal(crimes.months.length, 24);
    assert.equal(formatMonth(crimes.months.at(-1) ?? 0), '2026-09');
    const gaps = (force: string) =>
      crimes.months.flatMap((month) => {
        const { kind } = crimes.coverageOf(force, month);
        return kind === 'published' ? [] : [`${formatMonth(month)} ${kind}`];
      });
    assert.deepEqual(gaps('Zedbury Constabulary'), []);
    assert.deepEqual(gaps('Zedborth Police'), ['2025-07 collapsed', '2026-03 absent', '2026-09 absent']);
    const everywhere = crimes.within({
      latitudeDegrees: 54.18,
      longitudeDegrees: 0.91,
      radiusMetres: 50_000,
    });
    for (const month of crimes.months) {
      assert.equal(crimes.categoriesIn(everywhere, month).length, 14);
    }
  } finally {
    home.remove();
  }
});
