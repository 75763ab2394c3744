// Writes the examples that are too long to stand in their endpoints' files: what the fictional town answers to the example
// call of each. Shorter ones are written by hand; a test holds all of them to the answers.

import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { ensureSandbox } from '../src/cli/bundled/bundled.ts';
import type { Endpoint } from '../src/contract/endpoint.ts';
import { exampleParams } from '../src/contract/examples.ts';
import { areaPlaces } from '../src/endpoints/area-places.ts';
import { areaStatistics } from '../src/endpoints/area-statistics.ts';
import { crimeByPostcode } from '../src/endpoints/crime-by-postcode.ts';
import { openHome } from '../src/release/store.ts';
import { layouts } from '../src/tables/index.ts';
import { londonToday } from '../src/uk/calendar.ts';

const kept: readonly { readonly endpoint: Endpoint; readonly folder: string; readonly name: string }[] = [
  { endpoint: areaStatistics, folder: 'area-statistics', name: 'areaExample' },
  { endpoint: areaPlaces, folder: 'places', name: 'placesExample' },
  { endpoint: crimeByPostcode, folder: 'crime', name: 'crimeExample' },
];

const home = mkdtempSync(path.join(tmpdir(), 'domesday-example-'));
// Later than anything in the town's files, which no load may come before.
const atMs = Date.UTC(2026, 10, 15);
await ensureSandbox(home, atMs);
const release = openHome(home, layouts).sandbox.openCurrent();
for (const { endpoint, folder, name } of kept) {
  const params = (exampleParams(endpoint, 'sandbox') ?? []).map(([key, value]) => [key, String(value)]);
  const prepared = endpoint.prepare(new URLSearchParams(params));
  if (prepared.kind === 'refused') throw new Error(prepared.message);
  const outcome = await prepared.run({ release, today: londonToday(atMs) });
  if (outcome.kind !== 'answered') throw new Error(`The fictional town does not answer ${endpoint.path}.`);
  const file = path.join(import.meta.dirname, '../src/endpoints', folder, 'example.ts');
  writeFileSync(
    file,
    `// The example of ${endpoint.path} in the documentation: what the fictional town answers, which a test holds it to. Made by
// scripts/examples.ts.

export const ${name} = ${outcome.json} as const;
`,
  );
  spawnSync('npx', ['biome', 'check', '--write', file], { stdio: 'inherit' });
}
rmSync(home, { recursive: true, force: true });
