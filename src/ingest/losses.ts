// What a load would take away from data that was loaded before. The operator decides: without --replace it is refused. The
// bundled sample is no such data, and gives way to anything.

import type { DatasetName } from '../datasets.ts';
import { defined } from '../out-of-range.ts';
import type { KnownDataset } from '../release/manifest.ts';
import type { Release } from '../release/reader.ts';
import { parseDay } from '../uk/calendar.ts';
import { LossRefused } from './refusal.ts';
import type { Loaded, LossTeller, OpenSource, RecognisedFile, ReplacedPiece, Shrinkage } from './source.ts';
import { formatCount } from './tally.ts';

export type OnLoss = 'refuse' | 'accept';

/** Where a source says nothing else. */
export const usualShrinkage: Shrinkage = { share: 0.05, perYear: 0.05 };
/** Whatever time lies between two editions: with less than the rest, it is a part of one. Of the pieces of a dataset, which
 *  are small and change more, each may lose as much. */
export const mostLost = 0.2;
const yearDays = 365.25;
/** Lines are estimated by those at the beginning of a file, which may be twice as long as the others. */
const leastEstimatedShare = 0.5;
/** Fewer may go from a short list by chance. */
const fewestLost = 20;
const piecesNamed = 5;

export class Losses implements LossTeller {
  /** What the operator has given up. */
  readonly accepted: string[] = [];
  readonly #source: OpenSource;
  readonly #before: KnownDataset | undefined;
  readonly #onLoss: OnLoss;

  constructor(source: OpenSource, base: Release | undefined, onLoss: OnLoss) {
    this.#source = source;
    this.#before = findLoaded(base, source.dataset);
    this.#onLoss = onLoss;
  }

  refuse(lost: readonly string[], advice: string): void {
    const before = this.#before;
    if (before === undefined || lost.length === 0) return;
    if (this.#onLoss === 'accept') {
      // What the heads of files tell, their rows may tell again.
      this.accepted.push(...lost.filter((one) => !this.accepted.includes(one)));
      return;
    }
    throw new LossRefused(
      [
        `Nothing was loaded: ${this.#source.source} would replace ${before.source}, ${before.edition}, and these would be lost: ${lost.join('; ')}.`,
        advice,
      ].join('\n'),
    );
  }

  /** As `refuse`, where an edition has fewer rows than one of its day may have. More than before is never too many. */
  refuseFewer({ rows, asOf }: Pick<Loaded, 'rows' | 'asOf'>): void {
    const before = this.#before;
    if (before === undefined) return;
    const share = shareBetween(before.asOf, asOf, this.#source.shrinks ?? usualShrinkage);
    if (!isMuchLess(before.rows, rows, share)) return;
    const expected = `at most ${formatShare(share)} may go from ${before.asOf} to ${asOf}`;
    this.refuse([`${describeFewer(before.rows, rows)}, where ${expected}`], whole);
  }

  refuseShrunk(pieces: readonly ReplacedPiece[]): void {
    const lost = pieces
      .filter(({ before, now }) => isMuchLess(before, now, mostLost))
      .map(({ name, before, now }) => `${describeFewer(before, now)} of ${name}`);
    const more = lost.length - piecesNamed;
    this.refuse([...lost.slice(0, piecesNamed), ...(more > 0 ? [`rows of ${more} more`] : [])], whole);
  }

  refuseFragment(files: readonly RecognisedFile[]): void {
    const before = this.#before?.rows ?? 0;
    const rows = files.reduce((sum, { file }) => sum + estimateLines(file), 0);
    if (rows >= before * leastEstimatedShare || before - rows < fewestLost) return;
    this.refuse(
      [
        `about ${formatCount(before - Math.round(rows))} of ${formatCount(before)} rows, by the size of what was given`,
      ],
      whole,
    );
  }
}

const isMuchLess = (before: number, now: number, share: number) =>
  now < before * (1 - share) && before - now >= fewestLost;

/** The longer the time between two editions, the more may be gone. */
function shareBetween(before: string, now: string, { share, perYear }: Shrinkage): number {
  const days = defined(parseDay(now)) - defined(parseDay(before));
  return Math.min(mostLost, share + (perYear * Math.max(0, days)) / yearDays);
}

export const formatShare = (share: number): string => `${Number((100 * share).toFixed(1))}%`;

const describeFewer = (before: number, now: number) =>
  `${formatCount(before - now)} of ${formatCount(before)} rows`;

const whole = 'An edition is loaded as a whole: give all of its files together, and no incomplete file.';

/** The release that a load builds on. Undefined where it lacks the dataset, or has the bundled sample of it. */
export function loadedBefore(base: Release | undefined, dataset: DatasetName): Release | undefined {
  const before = base?.findDataset(dataset);
  return before === undefined || before.extent === 'sample' ? undefined : base;
}

/** Undefined where there is nothing to lose. */
function findLoaded(base: Release | undefined, name: DatasetName): KnownDataset | undefined {
  const dataset = base?.findDataset(name);
  return dataset?.extent === 'sample' || dataset?.extent === 'fictional' ? undefined : dataset;
}

/** By the length of its first lines. More than any file has, where it has no lines to count. */
export function estimateLines(file: RecognisedFile['file']): number {
  if (file.form !== 'text') return Number.POSITIVE_INFINITY;
  const lines = file.head.reduce((count, byte) => (byte === 0x0a ? count + 1 : count), 0);
  return lines === 0 ? 1 : (file.weight * lines) / file.head.length;
}
