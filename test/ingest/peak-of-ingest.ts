// Loads the files that are named, as the command does, into a folder that is named first, and tells how it ended and the
// most memory it took. A test runs it as a process of its own.

import { noProgress } from '../../src/ingest/progress.ts';
import { runIngest } from '../../src/ingest/run.ts';
import { ReleaseStore } from '../../src/release/store.ts';
import { sources } from '../../src/sources/index.ts';
import { layouts } from '../../src/tables/index.ts';

const [folder = '', ...paths] = process.argv.slice(2);

const ended = await runIngest({
  paths,
  sources,
  derivations: [],
  store: new ReleaseStore(folder, layouts),
  base: undefined,
  id: 'made',
  kind: 'loaded',
  atMs: Date.UTC(2026, 10, 15),
  progress: noProgress,
}).then(
  () => 'loaded',
  (error: unknown) => String(error),
);
const { maxRSS } = process.resourceUsage();
console.log(JSON.stringify({ ended, megabytes: Math.round(maxRSS / 1024) }));
