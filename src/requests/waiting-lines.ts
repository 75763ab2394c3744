// Lines that wait to be written, by account. No more of an account are kept than can be listed, so that a busy one takes
// little memory and nothing has to be sorted out when they are written.

import { listedMost } from './chunks.ts';
import type { Line } from './line.ts';

const waitingMost = 20_000;
/** Of one account: as many again may gather before those that can no longer be listed go. */
const waitingMostOfOne = 2 * listedMost;

export class WaitingLines {
  #byAccount = new Map<string, Line[]>();
  #count = 0;

  get count(): number {
    return this.#count;
  }

  /** Tells how many others were lost for want of room. */
  add(accountId: string, line: Line): number {
    const lines = this.#byAccount.get(accountId);
    if (lines === undefined) this.#byAccount.set(accountId, [line]);
    else lines.push(line);
    this.#count += 1;
    if (lines?.length === waitingMostOfOne) this.#keep(accountId, newestOf(lines), lines.length);
    return this.#count < waitingMost ? 0 : this.#makeRoom();
  }

  /** Those of each account that can be among its newest, in the order of time. */
  *take(): Generator<readonly [accountId: string, lines: readonly Line[]]> {
    const taken = this.#byAccount;
    this.#byAccount = new Map();
    this.#count = 0;
    for (const [accountId, lines] of taken) yield [accountId, newestOf(lines)];
  }

  /** Lines that could no longer be listed go first; then the oldest, which are lost. */
  #makeRoom(): number {
    for (const [accountId, lines] of this.#byAccount) this.#keep(accountId, newestOf(lines), lines.length);
    const listable = this.#count;
    const all = [...this.#byAccount].flatMap(([accountId, lines]) =>
      lines.map((line) => [accountId, line] as const),
    );
    const kept = all.sort(([, one], [, other]) => one.atMs - other.atMs).slice(-waitingMost / 2);
    this.#byAccount = new Map(
      [...Map.groupBy(kept, ([accountId]) => accountId)].map(([accountId, lines]) => [
        accountId,
        lines.map(([, line]) => line),
      ]),
    );
    this.#count = kept.length;
    return listable - kept.length;
  }

  #keep(accountId: string, lines: Line[], before: number): void {
    this.#byAccount.set(accountId, lines);
    this.#count -= before - lines.length;
  }
}

/** In the order of time. */
const newestOf = (lines: readonly Line[]): Line[] =>
  lines.toSorted((one, other) => one.atMs - other.atMs).slice(-listedMost);
