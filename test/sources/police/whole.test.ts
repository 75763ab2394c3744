// When crime counts as the whole publication, and what is said of less.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  silentForce as manchester,
  northernIrelandForce as northernIreland,
  territorialForces,
  transportPolice,
} from '../../../src/uk/police.ts';
import { openTestHome } from '../../ingest/home.ts';

const titles =
  'Crime ID,Month,Reported by,Falls within,Longitude,Latitude,Location,LSOA code,LSOA name,Crime type,Last outcome category,Context\n';
const street = (month: string, force: string, rows: number) =>
  titles +
  `,${month},${force},${force},-1.134336,52.630528,On or near X,E01032868,Leicester 041B,Drugs,,\n`.repeat(
    rows,
  );

/** Month → force → rows. */
type Files = Readonly<Record<string, ReadonlyMap<string, number>>>;

async function loaded(files: Files) {
  const home = openTestHome();
  try {
    const paths = Object.entries(files).flatMap(([month, forces]) =>
      [...forces].map(([force, rows]) => home.put(`${month}/${force}.csv`, street(month, force, rows))),
    );
    const { release, sources } = await home.ingest(paths);
    const { extent, coverage } = release.findDataset('crime') ?? assert.fail();
    const told = sources[0]?.noted.find(({ reason }) =>
      reason.startsWith(`month without ${transportPolice}`),
    );
    return {
      extent,
      text: coverage['United Kingdom'] ?? assert.fail(),
      lacksTransportPolice: told?.count ?? 0,
    };
  } finally {
    home.remove();
  }
}

const all = (...without: readonly string[]): ReadonlyMap<string, number> =>
  new Map(
    [...territorialForces, transportPolice, northernIreland]
      .filter((force) => !without.includes(force))
      .map((force) => [force, 60]),
  );

test('complete is every force that publishes, in every month; forces that stopped are told and not missed', async () => {
  const early = await loaded({ '2019-05': all() });
  assert.deepEqual([early.extent, early.text], ['complete', '45 forces, 2019-05 to 2019-05']);
  const middle = await loaded({ '2023-06': all(manchester) });
  assert.deepEqual(
    [middle.extent, middle.text],
    ['complete', '44 forces, 2023-06 to 2023-06; not published: Greater Manchester Police after 2019-06'],
  );
  const late = await loaded({
    '2024-01': all(manchester, northernIreland),
    '2024-02': all(manchester, northernIreland),
  });
  assert.deepEqual(
    [late.extent, late.text, late.lacksTransportPolice],
    [
      'complete',
      '43 forces, 2024-01 to 2024-02; not published: Greater Manchester Police after 2019-06, Police Service of Northern Ireland after 2023-07',
      0,
    ],
  );
});

test('six forces of 43 are not complete', async () => {
  const { extent, text } = await loaded({
    '2024-01': new Map(territorialForces.slice(0, 6).map((force) => [force, 60])),
  });
  assert.equal(extent, 'partial');
  assert.match(text, /^6 forces, .*; not loaded: 37 other forces, British Transport Police, whose crimes/);
});

test('without any one force or month of one it is partial, and the text names what is missing', async () => {
  const publishing = [...all(manchester).keys()];
  await fc.assert(
    fc.asyncProperty(
      fc.oneof(fc.constantFrom(...publishing), fc.constantFrom(transportPolice, northernIreland)),
      fc.constantFrom('force', 'month', 'few rows'),
      async (force, missing) => {
        const whole = all(manchester);
        const short = missing === 'few rows' ? new Map([...whole, [force, 3]]) : all(manchester, force);
        const { extent, text } = await loaded({
          '2023-05': missing === 'force' ? short : whole,
          '2023-06': short,
        });
        assert.equal(extent, 'partial');
        assert.ok(
          text.includes(missing === 'force' ? `not loaded: ${force}` : `without ${force} 2023-06`),
          text,
        );
      },
    ),
    { numRuns: 12 },
  );
});

test('a month that no file has, between others, is missing; so is a part of one', async () => {
  const forces = all(manchester, northernIreland);
  const gap = await loaded({ '2024-01': forces, '2024-03': forces });
  assert.equal(gap.extent, 'partial');
  assert.match(gap.text, /without .*Kent Police 2024-02/);
  const many = new Map([...forces, ['Kent Police', 200]]);
  const part = await loaded({
    '2024-01': many,
    '2024-02': many,
    '2024-03': new Map([...many, ['Kent Police', 90]]),
  });
  assert.deepEqual(
    [part.extent, /partial: (.*)$/.exec(part.text)?.[1]],
    ['partial', 'Kent Police 2024-03 (45% of the usual number)'],
  );
});

test('where British Transport Police is not loaded, the coverage and the report of the load say so', async () => {
  const kent = new Map([['Kent Police', 60]]);
  const none = await loaded({ '2024-01': kent, '2024-02': kent });
  assert.match(none.text, /, British Transport Police, whose crimes lie on railways in every area/);
  assert.equal(none.lacksTransportPolice, 2);
  const one = await loaded({ '2024-01': new Map([...kent, [transportPolice, 60]]), '2024-02': kent });
  assert.match(one.text, /without British Transport Police 2024-02/);
  assert.doesNotMatch(one.text, /whose crimes lie on railways/);
  assert.equal(one.lacksTransportPolice, 1);
});
