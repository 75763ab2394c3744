// What it takes to load the country, and then a month of changes: each in a process of its own, so that the peak of
// memory is its own. node sold-prices/ingest.ts [rows] [folder] [full | release | changes]: both, or one of them alone.

import { execFileSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import path from 'node:path';
import { BenchFolder } from './folder.ts';
import { changeLines, writeLines } from './generate.ts';

const [rows = '1000000', place, wish = 'full', only] = process.argv.slice(2);
const steps = wish === 'full' ? ['release', 'changes'] : [wish];
const folder = new BenchFolder(Number(rows), place);

/** A month of the real register has about 100,000 records. */
const changeCount = Math.max(1000, Math.min(100_000, folder.rows / 100));

async function run(step: string): Promise<void> {
  const { store } = folder;
  if (step === 'release') {
    rmSync(store.folder, { recursive: true, force: true });
    await folder.ingest('ingested', folder.csv);
    return;
  }
  if (store.has('changed')) store.remove('changed');
  store.point('ingested');
  await folder.ingest('changed', path.join(folder.path, 'changes.csv'));
  store.point('ingested');
}

if (only !== undefined) await run(only);
else {
  folder.generate();
  writeLines(path.join(folder.path, 'changes.csv'), changeLines(folder.world, folder.rows, changeCount));
  for (const step of steps) {
    const args = [import.meta.filename, rows, folder.path, wish, step];
    execFileSync(process.execPath, args, { stdio: 'inherit' });
  }
}
