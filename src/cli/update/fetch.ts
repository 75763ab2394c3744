// Fetches what is new of every publication, side by side, and looks whether it is what it should be.

import type { Listed } from '../../ingest/publication.ts';
import type { OpenSource } from '../../ingest/source.ts';
import { type Arrived, type ArrivedFiles, fetchOffers } from '../../update/arrive.ts';
import { judgeFiles } from '../../update/judge.ts';
import type { Look } from '../../update/look.ts';
import type { PlanLine } from '../../update/plan.ts';
import { hostsOf } from '../../update/publisher.ts';
import type { Failure, Reasons } from '../../update/reasons.ts';
import type { Web } from '../../update/web/web.ts';
import type { RefusedNow, UpdateOrder } from './order.ts';

type Fetching = {
  readonly order: UpdateOrder;
  readonly web: Web;
  readonly sources: readonly OpenSource[];
  readonly reasons: Reasons;
  readonly refusedNow: RefusedNow;
  readonly progress: (publication: Listed, file: string, bytes: number, total: number | undefined) => void;
};

type Fetched = {
  readonly arrived: ArrivedFiles;
  /** By name of the publication. */
  readonly failures: ReadonlyMap<string, Failure>;
};

export async function fetchNew(plan: readonly PlanLine[], fetching: Fetching): Promise<Fetched> {
  const { sources, reasons, refusedNow } = fetching;
  const arrived = new Map<Listed, readonly Arrived[]>();
  const failures = new Map<string, Failure>();
  await Promise.all(
    plan.map(async ({ publication, step }) => {
      if (step.kind !== 'new') return;
      try {
        const files = await fetchOne(publication, step, fetching);
        const refusal = await judgeFiles(publication, files, sources);
        if (refusal === undefined) arrived.set(publication, files);
        else
          failures.set(publication.name, {
            ...reasons.ofError(publication, refusal),
            refused: refusedNow(publication, files, 'refused'),
          });
      } catch (error) {
        failures.set(publication.name, reasons.ofError(publication, error));
      }
    }),
  );
  return { arrived, failures };
}

function fetchOne(
  publication: Listed,
  { offers }: Extract<Look, { kind: 'new' }>,
  { order, web, progress }: Fetching,
): Promise<readonly Arrived[]> {
  const { home, signal } = order;
  return fetchOffers(publication, offers, {
    home,
    web,
    hosts: hostsOf(publication, order),
    others: order.rawFiles,
    onProgress: ({ fileName }, bytes, total) => progress(publication, fileName, bytes, total),
    signal,
  });
}
