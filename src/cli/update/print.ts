// What an update says: the plan before anything long, terms that wait for a person, and how each dataset ended.

import { shellWord } from '../../ledger/restore-command.ts';
import { filesFolder } from '../../update/arrive.ts';
import type { Needs, PlanLine, Step } from '../../update/plan.ts';
import type { Cause, UpdateRun } from '../../update/state.ts';
import type { WaitingTerms } from '../../update/terms.ts';
import { visible } from '../../visible.ts';
import { type Io, printTable } from '../command.ts';
import { eraseLine, lineUp } from '../progress-line.ts';

/** What there is of it on this machine. */
export type Room = { readonly diskBytes: number; readonly memoryBytes: number };

/** The table fits into a hundred columns; what takes a sentence stands below it. */
const editionColumns = 22;
const lineColumns = 100;

// Amounts as people read them: 254 MB, 5.5 GB, 26 minutes.

const units = ['bytes', 'kB', 'MB', 'GB', 'TB'] as const;

/** In powers of a thousand, as publishers state sizes. */
export function formatBytes(bytes: number): string {
  let value = bytes;
  let unit = 0;
  while (value >= 999.5 && unit < units.length - 1) {
    value /= 1000;
    unit += 1;
  }
  return `${unit > 2 && value < 99.95 ? value.toFixed(1) : Math.round(value)} ${units[unit]}`;
}

export function formatSeconds(seconds: number): string {
  if (seconds < 90) return `${Math.ceil(seconds)} seconds`;
  return seconds < 5400 ? `${Math.round(seconds / 60)} minutes` : `${(seconds / 3600).toFixed(1)} hours`;
}

export function printPlan(lines: readonly PlanLine[], needs: Needs, room: Room, io: Io): void {
  printTable(
    io,
    ['DATASET', 'LOADED', 'AVAILABLE', 'SIZE', 'STEP'],
    lines.map((line) => [
      nameOf(line),
      shortened(loadedOf(line)),
      line.step.kind === 'new' ? shortened(line.step.edition ?? 'there') : '-',
      line.step.kind === 'new' ? sizeOf(line) : '-',
      words[line.step.kind],
    ]),
  );
  for (const text of reasonsOf(lines)) for (const part of wrapped(text)) io.out(`${part}\n`);
  if (needs.downloadBytes === 0) return;
  const told = `To fetch: ${formatBytes(needs.downloadBytes)}. Disk: ${formatBytes(needs.diskBytes)} needed, ${formatBytes(room.diskBytes)} free. Memory: ${formatBytes(needs.memoryBytes)} needed, ${formatBytes(room.memoryBytes)} in this machine. Loading takes about ${formatSeconds(needs.seconds)} on two cores, measured on invented files of these sizes.`;
  for (const part of wrapped(told)) io.out(`${part}\n`);
}

/** With its publication where that is called otherwise. */
const nameOf = ({ publication: { dataset, name } }: PlanLine): string =>
  name.startsWith(dataset) ? name : `${dataset}: ${name}`;

/** A sample is no edition of anything. */
function loadedOf({ dataset }: PlanLine): string {
  if (dataset === undefined) return 'nothing';
  return dataset.extent === 'sample' ? 'sample' : dataset.edition;
}

const shortened = (text: string): string =>
  text.length <= editionColumns ? text : `${text.slice(0, editionColumns - 1)}…`;

const sizeOf = ({ publication, step }: PlanLine): string =>
  step.kind === 'new' && step.bytes !== undefined
    ? formatBytes(step.bytes)
    : `about ${formatBytes(publication.typicalBytes)}`;

const words: Readonly<Record<Step['kind'], string>> = {
  new: 'load',
  unchanged: 'newest',
  'not asked': 'not asked',
  withheld: 'left out',
  failed: 'kept',
};

/** One text for all publications of which the same is said. */
function reasonsOf(lines: readonly PlanLine[]): readonly string[] {
  const names = new Map<string, string[]>();
  for (const { publication, step } of lines) {
    if (!('why' in step)) continue;
    names.set(step.why, [...(names.get(step.why) ?? []), publication.name]);
  }
  return [...names].map(([why, named]) => `${named.join(', ')}: ${why}`);
}

/** Lines that go on are indented. A word that is too long, such as an address, stays whole. */
function wrapped(text: string): readonly string[] {
  const parts: string[] = [];
  let part = '';
  for (const word of text.split(/\s+/)) {
    if (part.trim() !== '' && part.length + 1 + word.length > lineColumns) {
      parts.push(part);
      part = `  ${word}`;
    } else part = part === '' ? word : `${part} ${word}`;
  }
  return [...parts, part];
}

/** In full once, and then in a line, for whoever has read them and has not accepted them. */
export function printTerms(terms: readonly WaitingTerms[], io: Io): void {
  for (const { name, text, page, leavesOut, told } of terms) {
    io.out(
      told === 'before'
        ? io.asTyped(
            `You have not accepted the terms "${name}" (${page}), so this is left out: ${leavesOut}. To accept them: \`domesday update --accept-licences ${name}\`\n`,
          )
        : io.asTyped(
            `\nTerms "${name}": ${text}\n  Left out until you accept them: ${leavesOut}. Read ${page}, then run \`domesday update --accept-licences ${name}\`, or set DOMESDAY_ACCEPT_LICENCES=${name} for good.\n`,
          ),
    );
  }
}

export function printRun({ kept, outcome }: UpdateRun, home: string, io: Io): void {
  if (outcome === 'fresh') io.out('Everything is up to date.\n');
  for (const { dataset, publication, why, cause } of kept) {
    io.out(`${dataset} keeps its old data (${publication}): ${why}\n`);
    io.out(`  ${io.asTyped(adviceFor(cause, publication, home))}\n`);
  }
}

/** What to do next, in words that can be typed. */
function adviceFor(cause: Cause, name: string, home: string): string {
  const again = `\`domesday update ${name}\``;
  switch (cause) {
    case 'loss':
      return `The fetched files stay. To load them anyway: \`domesday ingest --replace ${shellWord(filesFolder(home, name))}\``;
    case 'refused':
      return `The update tries again when the publisher changes the file, and after a week. To try at once: ${again}`;
    case 'moved':
      return `If you find it at another address: \`domesday update ${name} --address ${name}=URL\`. The next update asks again.`;
    case 'transfer':
      return `The next update tries again. To try at once: ${again}`;
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

// Shows files that are being fetched: one line each, redrawn on a terminal; elsewhere a plain line when one begins, at each
// quarter, and when it is there.

type TransferLines = {
  readonly progress: (name: string, bytes: number, total: number | undefined) => void;
  end(): void;
};

const redrawMs = 100;

type Line = { bytes: number; total: number | undefined; quarter: number };

export function openTransferLines(io: Io): TransferLines {
  const lines = new Map<string, Line>();
  let drawn = 0;
  let drawnAtMs = Number.NEGATIVE_INFINITY;
  const draw = () => {
    const texts = [...lines].map(([name, line]) => describe(name, line));
    for (const [index, text] of texts.entries()) {
      io.err(`${index === 0 ? lineUp.repeat(drawn) : ''}${eraseLine}${text}\n`);
    }
    drawn = texts.length;
    drawnAtMs = io.now();
  };
  return {
    progress: (name, bytes, total) => {
      const known = lines.get(name);
      const line = known ?? { bytes, total, quarter: -1 };
      line.bytes = bytes;
      line.total = total;
      lines.set(name, line);
      if (io.isTerminal) {
        if (known === undefined || bytes === total || io.now() - drawnAtMs >= redrawMs) draw();
        return;
      }
      const quarter = total === undefined || total === 0 ? 0 : Math.floor((4 * bytes) / total);
      if (quarter <= line.quarter) return;
      line.quarter = quarter;
      io.err(`${describe(name, line)}\n`);
    },
    end: () => {
      if (io.isTerminal && lines.size > 0) draw();
    },
  };
}

function describe(name: string, { bytes, total }: Line): string {
  const whole = total === undefined ? '' : ` of ${formatBytes(total)}`;
  const share = total === undefined || total === 0 ? '' : ` (${Math.floor((100 * bytes) / total)} %)`;
  return visible(`Fetching ${name}: ${formatBytes(bytes)}${whole}${share}`);
}
