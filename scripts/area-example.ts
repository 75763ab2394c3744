// Writes src/endpoints/area-statistics/example.ts: what the fictional town answers for ZZ1 1AA at /area/statistics.

import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { ensureSandbox } from '../src/cli/bundled.ts';
import { noServices } from '../src/contract/live.ts';
import { areaStatistics } from '../src/endpoints/area-statistics.ts';
import { openHome } from '../src/release/store.ts';
import { layouts } from '../src/tables/index.ts';
import { londonToday } from '../src/uk/calendar.ts';

const file = path.join(import.meta.dirname, '../src/endpoints/area-statistics/example.ts');
const home = mkdtempSync(path.join(tmpdir(), 'domesday-example-'));
// Later than anything in the town's files, which no load may come before.
const atMs = Date.UTC(2026, 10, 15);
await ensureSandbox(home, atMs);
const prepared = areaStatistics.prepare(new URLSearchParams({ postcode: 'ZZ1 1AA' }));
if (prepared.kind === 'refused') throw new Error(prepared.message);
const release = openHome(home, layouts).sandbox.openCurrent();
const outcome = await prepared.run({ release, today: londonToday(atMs), live: noServices });
if (outcome.kind !== 'answered') throw new Error('The fictional town does not answer.');
writeFileSync(
  file,
  `// The example of /area/statistics in the documentation: what the fictional town answers for ZZ1 1AA, which a test holds
// it to. Made by scripts/area-example.ts.

export const areaExample = ${outcome.json} as const;
`,
);
rmSync(home, { recursive: true, force: true });
spawnSync('npx', ['biome', 'check', '--write', file], { stdio: 'inherit' });
