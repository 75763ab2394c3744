// Finishers put areas together and encode them, in as many threads as there are processors. Where sales are few there is
// one, in the thread that asks, as starting another would take longer.

import { once } from 'node:events';
import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import { type HandedRelease, handOver, type Outcome, resultOf } from '../../ingest/release-in-threads.ts';
import { type AreaInputs, type AreaJob, type FinishedArea, finishArea } from './finish.ts';
import type { SharedIds } from './ids.ts';

/** What a thread is started with. */
export type ThreadInputs = { readonly base: HandedRelease | undefined; readonly ids: SharedIds };

/** Takes one job at a time. Throws ReleaseDamaged. */
export type AreaFinisher = {
  finish(job: AreaJob): Promise<FinishedArea>;
  close(): Promise<void>;
};

/** Starting a thread takes about as long as encoding so many. */
const fewSales = 200_000;
/** Each may hold the largest area several times over, some 300 MB. */
const mostThreads = 4;

/** As many as are worth it for so many areas, at least one, with so many sales together. */
export function openFinishers(inputs: AreaInputs, areas: number, sales: number): readonly AreaFinisher[] {
  if (sales < fewSales) return [{ finish: async (job) => finishArea(job, inputs), close: async () => {} }];
  const threads = Math.min(availableParallelism(), mostThreads, areas);
  return Array.from({ length: threads }, () => openThread(inputs));
}

function openThread({ release, whereabouts }: AreaInputs): AreaFinisher {
  const worker = new Worker(new URL('./finisher-thread.ts', import.meta.url), {
    workerData: {
      base: release === undefined ? undefined : handOver(release),
      ids: whereabouts.shared,
    } satisfies ThreadInputs,
  });
  return {
    finish: async (job) => {
      const reply = once(worker, 'message');
      worker.postMessage(job);
      const [outcome]: Outcome<FinishedArea>[] = await reply;
      if (outcome === undefined) throw new TypeError(`The thread of ${job.area} said nothing.`);
      return resultOf(outcome);
    },
    close: async () => {
      await worker.terminate();
    },
  };
}
