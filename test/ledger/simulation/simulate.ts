// `npm run simulate -- COUNT [FIRST]`: so many seeds of the simulation, on all cores; the first that goes wrong is
// told with its trace and how to replay it. `npm run simulate -- 1 SEED` replays one and prints its trace.

import { availableParallelism } from 'node:os';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { simulate } from './run.ts';

type Share = { readonly first: number; readonly end: number; readonly stride: number };

async function runShare({ first, end, stride }: Share): Promise<void> {
  for (let seed = first; seed < end; seed += stride) {
    try {
      await simulate(seed);
    } catch (error) {
      const told = error instanceof Error ? error.message : String(error);
      parentPort?.postMessage(`${told}\n\nReplay it with: npm run simulate -- 1 ${seed}`);
      return;
    }
  }
}

function readCount(text: string | undefined, otherwise: number): number {
  const count = text === undefined ? otherwise : Number(text);
  if (Number.isSafeInteger(count) && count > 0) return count;
  console.error('Say how many seeds, and perhaps the first: npm run simulate -- 100000 1');
  return process.exit(2);
}

async function runAll(count: number, first: number): Promise<void> {
  const stride = Math.min(count, availableParallelism());
  const startMs = performance.now();
  const failures: unknown[] = [];
  const threads = Array.from({ length: stride }, (_, index) => {
    const share: Share = { first: first + index, end: first + count, stride };
    const thread = new Worker(new URL(import.meta.url), { workerData: share });
    thread.on('message', (failure) => failures.push(failure));
    thread.on('error', (failure) => failures.push(failure));
    return new Promise((resolve) => thread.once('exit', resolve));
  });
  await Promise.all(threads);
  const seconds = (performance.now() - startMs) / 1000;
  if (failures.length === 0) {
    console.log(`${count} seeds from ${first} on: none went wrong (${seconds.toFixed(1)} s)`);
    return;
  }
  for (const failure of failures) console.error(failure);
  process.exitCode = 1;
}

if (!isMainThread) await runShare(workerData);
else {
  const [count, first] = [readCount(process.argv[2], 500), readCount(process.argv[3], 1)];
  if (count === 1) console.log(await simulate(first));
  else await runAll(count, first);
}
