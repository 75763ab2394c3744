// One measurement in a process of its own, so that memory and first-time costs are its own:
// `measure.ts ingest FOLDER FILE` loads a file, `measure.ts open FOLDER` opens the release and looks one postcode up.

import { noProgress } from '../../src/ingest/progress.ts';
import { runIngest } from '../../src/ingest/run.ts';
import { ReleaseStore } from '../../src/release/store.ts';
import { sources } from '../../src/sources/index.ts';
import { layouts } from '../../src/tables/index.ts';
import { openPostcodes } from '../../src/tables/postcodes/postcodes.ts';
import { parsePostcode } from '../../src/uk/postcode.ts';

const [what, folder = '', file = ''] = process.argv.slice(2);
const store = new ReleaseStore(folder, layouts);
const begun = performance.now();

if (what === 'ingest') {
  const { release, sources: reports } = await runIngest({
    paths: [file],
    sources,
    derivations: [],
    store,
    base: undefined,
    id: 'bench',
    kind: 'loaded',
    atMs: Date.UTC(2026, 10, 15),
    progress: noProgress,
  });
  store.point(release.id);
  const rows = reports.find(({ dataset }) => dataset === 'postcodes')?.rows;
  const bytes = release.manifest.parts.postcodes?.bytes;
  // maxRSS is in KiB.
  const peakMb = Math.round((process.resourceUsage().maxRSS * 1024) / 1e6);
  console.log(JSON.stringify({ seconds: (performance.now() - begun) / 1000, peakMb, rows, bytes }));
} else {
  const postcode = parsePostcode('SW1A 1AA');
  if (postcode === undefined) throw new Error('not a postcode');
  openPostcodes(store.openCurrent()).find(postcode);
  console.log(JSON.stringify({ ms: performance.now() - begun }));
}
