// The end of `npm ci`: does once what a first start does, in a folder that is thrown away and without opening a port,
// so that Node's compile cache is there. A first start without it takes half a second longer, and nothing else.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { keepCompiledModules } from '../bin/compile-cache.js';

keepCompiledModules();
const home = mkdtempSync(path.join(tmpdir(), 'domesday-compile-'));
try {
  await import('../src/cli/serve-until-signal.ts');
  const { buildInThread, ensureSample, ensureSandbox } = await import('../src/cli/bundled.ts');
  await ensureSample(home, Date.now(), buildInThread);
  await ensureSandbox(home, Date.now(), buildInThread);
} finally {
  rmSync(home, { recursive: true, force: true });
}
