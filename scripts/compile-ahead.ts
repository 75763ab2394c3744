// The end of `npm ci`: does once what a first start does, in a folder that is thrown away and without opening a port,
// so that Node's compile cache is there, and keeps the sample and the sandbox that were built; and bundles the pages. A first
// start, or a first page, without them takes longer, and nothing else.

import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { keepCompiledModules } from '../bin/compile-cache.js';

keepCompiledModules();
const home = mkdtempSync(path.join(tmpdir(), 'domesday-compile-'));
try {
  // The command itself runs as soon as it is loaded.
  execFileSync(process.execPath, [path.join(import.meta.dirname, '../bin/domesday.js'), '--version']);
  await import('../src/cli/serve.ts');
  await import('../src/cli/serve/until-signal.ts');
  // Loaded by the first reader of a page.
  await import('../src/http/docs/site.ts');
  const { buildInThread, ensureSample, ensureSandbox } = await import('../src/cli/bundled/bundled.ts');
  await ensureSample(home, Date.now(), buildInThread);
  await ensureSandbox(home, Date.now(), buildInThread);
  const { keepRelease } = await import('../src/cli/bundled/kept.ts');
  const { openHome } = await import('../src/release/store.ts');
  const { layouts } = await import('../src/tables/index.ts');
  const { releases, sandbox } = openHome(home, layouts);
  for (const store of [releases, sandbox]) keepRelease(store.openCurrent());
  const { openLedger } = await import('../src/ledger/open.ts');
  const { ledger, maintain } = await openLedger({
    home,
    tell: ({ message, fault }) => {
      throw fault ?? new Error(message);
    },
  });
  maintain();
  await ledger.close();
} finally {
  rmSync(home, { recursive: true, force: true });
}
const { bundleKey, keepBundle } = await import('../src/bundle/bundle.ts');
const { makeBundle } = await import('../src/bundle/make.ts');
await keepBundle(await bundleKey(), await makeBundle());
