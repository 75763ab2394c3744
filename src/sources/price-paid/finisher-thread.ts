// The thread that a finisher (finishers.ts) gives its areas to.

import { parentPort, workerData } from 'node:worker_threads';
import { openHanded, outcomeOf } from '../../ingest/release-in-threads.ts';
import { type AreaJob, finishArea } from './finish.ts';
import type { ThreadInputs } from './finishers.ts';
import { IdTable } from './ids.ts';

const { base, ids }: ThreadInputs = workerData;
const inputs = {
  release: base === undefined ? undefined : openHanded(base),
  whereabouts: IdTable.over(ids),
};

parentPort?.on('message', (job: AreaJob) => {
  const outcome = outcomeOf(() => finishArea(job, inputs));
  const isMade = outcome.kind === 'done' && outcome.value.kind === 'changed';
  const buffers = isMade ? Object.values(outcome.value.parts).map(({ buffer }) => buffer) : [];
  parentPort?.postMessage(outcome, buffers);
});
