// The thread behind price-paid-threads.ts.

import { parentPort, workerData } from 'node:worker_threads';
import { openHanded, outcomeOf } from '../../ingest/release-in-threads.ts';
import type { ThreadGround } from './build-in-threads.ts';
import { type AreaJob, finishArea } from './finish.ts';
import { IdTable } from './ids.ts';

const { base, ids }: ThreadGround = workerData;
const ground = {
  release: base === undefined ? undefined : openHanded(base),
  whereabouts: IdTable.over(ids),
};

parentPort?.on('message', (job: AreaJob) => {
  const outcome = outcomeOf(() => finishArea(job, ground));
  const isMade = outcome.kind === 'done' && outcome.value.kind === 'changed';
  const buffers = isMade ? Object.values(outcome.value.parts).map(({ buffer }) => buffer) : [];
  parentPort?.postMessage(outcome, buffers);
});
