// Ends a test file that goes on after its tests were given up: node:test reports their time-out but waits for the file,
// and with it the whole run, for good.

import { isMainThread } from 'node:worker_threads';

const minutes = 15;

function end(): void {
  process.stderr.write(`${process.argv[1]} was still running after ${minutes} minutes and was ended.\n`);
  process.exit(1);
}

if (isMainThread) setTimeout(end, minutes * 60_000).unref();
