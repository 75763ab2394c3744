// Incidents as they are collected for the encoders of crime: one month's in growing typed arrays, and the words that their
// numbers stand for.

import { idBytes } from './tables.ts';

export type CrimeWords = {
  readonly names: readonly string[];
  readonly lsoas: readonly string[];
  /** As the files name them. */
  readonly forces: readonly string[];
  /** Slugs. */
  readonly categories: readonly string[];
  readonly outcomes: readonly string[];
};

/** Incidents of one month, in the order in which they came. */
export class MonthRows {
  size = 0;
  point = new Uint32Array(1024);
  category = new Uint8Array(1024);
  outcome = new Uint8Array(1024);
  outcomeAfter = new Uint8Array(1024);
  force = new Uint8Array(1024);
  id: Buffer = Buffer.alloc(1024 * idBytes);
  readonly contexts = new Map<number, string>();

  /** The id's bytes are zero; whoever has one writes it at `idAt`. Returns the row. */
  add(point: number, category: number, outcome: number, outcomeAfter: number, force: number): number {
    const row = this.size;
    if (row === this.point.length) this.#resize(Math.ceil(row * 1.5));
    this.point[row] = point;
    this.category[row] = category;
    this.outcome[row] = outcome;
    this.outcomeAfter[row] = outcomeAfter;
    this.force[row] = force;
    this.size += 1;
    return row;
  }

  /** Makes room for so many more, which is faster than growing step by step. */
  reserve(rows: number): void {
    if (this.size + rows > this.point.length) this.#resize(this.size + rows);
  }

  /** Gives back what was taken in reserve. */
  trim(): void {
    if (this.size < this.point.length) this.#resize(this.size);
  }

  #resize(capacity: number): void {
    const kept = Math.min(capacity, this.size);
    const point = new Uint32Array(capacity);
    point.set(this.point.subarray(0, kept));
    this.point = point;
    const bytes = (from: Uint8Array) => {
      const to = new Uint8Array(capacity);
      to.set(from.subarray(0, kept));
      return to;
    };
    this.category = bytes(this.category);
    this.outcome = bytes(this.outcome);
    this.outcomeAfter = bytes(this.outcomeAfter);
    this.force = bytes(this.force);
    const id = Buffer.alloc(capacity * idBytes);
    id.set(this.id.subarray(0, kept * idBytes));
    this.id = id;
  }
}
