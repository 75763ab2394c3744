// `npm test`, on whatever Node is at hand before `npm ci` has brought the one that can read test/run.ts.

import { createRequire } from 'node:module';

try {
  createRequire(import.meta.url).resolve('fastify/package.json');
  import('./run.ts');
} catch {
  console.error('Domesday is not set up yet: run "npm ci" first, then npm test again.');
  process.exitCode = 1;
}
