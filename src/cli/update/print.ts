// What an update says: the plan before anything long, terms that wait for a person, and how each dataset ended.

import type { Terms } from '../../ingest/publication.ts';
import type { Needs, PlanLine, Step } from '../../update/plan.ts';
import type { UpdateRun } from '../../update/state.ts';
import { type Io, printTable } from '../command.ts';
import { formatBytes, formatSeconds } from './amounts.ts';

/** What there is of it on this machine. */
export type Room = { readonly diskBytes: number; readonly memoryBytes: number };

export function printPlan(lines: readonly PlanLine[], needs: Needs, room: Room, io: Io): void {
  printTable(
    io,
    ['DATASET', 'PUBLICATION', 'LOADED', 'AVAILABLE', 'SIZE', 'WHAT HAPPENS'],
    lines.map((line) => [
      line.publication.dataset,
      line.publication.name,
      loadedOf(line),
      line.step.kind === 'new' ? (line.step.edition ?? 'there') : '-',
      line.step.kind === 'new' ? sizeOf(line) : '-',
      happensOf(line.step),
    ]),
  );
  if (needs.downloadBytes === 0) return;
  io.out(
    `To fetch: ${formatBytes(needs.downloadBytes)}. Disk: ${formatBytes(needs.diskBytes)} of ${formatBytes(room.diskBytes)} free. Memory: ${formatBytes(needs.memoryBytes)} of ${formatBytes(room.memoryBytes)}. Loading takes about ${formatSeconds(needs.seconds)} on two cores.\n`,
  );
}

/** A sample is no edition of anything. */
function loadedOf({ dataset }: PlanLine): string {
  if (dataset === undefined) return 'nothing';
  return dataset.extent === 'sample' ? 'sample' : dataset.edition;
}

const sizeOf = ({ publication, step }: PlanLine): string =>
  step.kind === 'new' && step.bytes !== undefined
    ? formatBytes(step.bytes)
    : `about ${formatBytes(publication.typicalBytes)}`;

function happensOf(step: Step): string {
  switch (step.kind) {
    case 'new':
      return `fetched and loaded: ${step.why}`;
    case 'unchanged':
      return 'nothing: what is loaded is the newest';
    case 'not asked':
      return `nothing: ${step.why}`;
    case 'withheld':
      return `left out: ${step.why}`;
    case 'failed':
      return `kept as it is: ${step.why}`;
  }
}

/** `accepted`: how a person says that the terms are kept. */
export function printTerms(terms: readonly Terms[], io: Io): void {
  for (const { name, text, page, leavesOut } of terms) {
    io.out(
      `\nTerms "${name}": ${text}\n  Left out until you accept them: ${leavesOut}. Read ${page}, then add --accept-licences ${name}, or set DOMESDAY_ACCEPT_LICENCES.\n`,
    );
  }
}

export function printRun({ kept, outcome }: UpdateRun, io: Io): void {
  if (outcome === 'fresh') io.out('Everything that was asked for is the newest there is.\n');
  for (const { dataset, publication, why } of kept) {
    io.out(`${dataset} keeps what it had (${publication}): ${why}\n`);
  }
}

export const planJson = (lines: readonly PlanLine[], needs: Needs, room: Room) => ({
  plan: lines.map(({ publication, dataset, step }) => ({
    dataset: publication.dataset,
    publication: publication.name,
    loaded:
      dataset === undefined ? null : { edition: dataset.edition, extent: dataset.extent, asOf: dataset.asOf },
    available: step.kind === 'new' ? (step.edition ?? null) : null,
    bytes: step.kind === 'new' ? (step.bytes ?? null) : null,
    happens: step.kind === 'new' ? 'load' : step.kind,
    why: 'why' in step ? step.why : null,
  })),
  needs,
  room,
});
