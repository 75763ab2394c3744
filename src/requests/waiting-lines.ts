// Lines that wait to be written, by account. No more of an account are kept than can be listed, so that a busy one takes
// little memory. Lines are written over instead of made anew: each would live just long enough to be moved among the old objects, and
// collecting them there cost more than noting them.

import { listedMost } from './chunks.ts';
import type { Line } from './line.ts';

const waitingMost = 20_000;
/** Of one account: as many again may gather before those that can no longer be listed go. */
const mostOfOne = 2 * listedMost;

export class WaitingLines {
  #byAccount = new Map<string, Lines>();
  #count = 0;

  get count(): number {
    return this.#count;
  }

  /** Copies it. Tells how many others were lost for want of room. */
  add(accountId: string, line: Line): number {
    let lines = this.#byAccount.get(accountId);
    if (lines === undefined) {
      lines = new Lines();
      this.#byAccount.set(accountId, lines);
    }
    this.#count += lines.add(line);
    return this.#count < waitingMost ? 0 : this.#makeRoom();
  }

  /** With room for lines. */
  accounts(): readonly string[] {
    return [...this.#byAccount.keys()];
  }

  /** Gives those of an account that can be among its newest, in the order of time, to `use`, which must not keep them: they are
   *  written over. An account that has had none since the last time loses its room. */
  take<T>(accountId: string, use: (lines: readonly Line[]) => T): T | undefined {
    const lines = this.#byAccount.get(accountId);
    if (lines === undefined) return undefined;
    if (lines.length === 0) {
      this.#byAccount.delete(accountId);
      return undefined;
    }
    const used = use(lines.newest());
    this.#count -= lines.length;
    lines.clear();
    return used;
  }

  /** Lines that could no longer be listed go first; then the oldest, which are lost. */
  #makeRoom(): number {
    const all = [...this.#byAccount].flatMap(([accountId, lines]) =>
      lines.newest().map((line) => [accountId, line] as const),
    );
    const kept = all.sort(([, one], [, other]) => byTime(one, other)).slice(-waitingMost / 2);
    this.#byAccount = new Map();
    this.#count = 0;
    for (const [accountId, line] of kept) this.add(accountId, line);
    return all.length - kept.length;
  }
}

const byTime = (one: Line, other: Line): number => one.atMs - other.atMs;

type Slot = { -readonly [Name in keyof Line]: Line[Name] };

/** Lines of one account. */
class Lines {
  /** Those from `length` on are free. */
  #slots: Slot[] = [];
  length = 0;

  /** Tells by how many lines there are more. */
  add(line: Line): number {
    const slot = this.#slots[this.length];
    if (slot === undefined) this.#slots.push({ ...line });
    else write(slot, line);
    this.length += 1;
    return this.length < mostOfOne ? 1 : 1 - this.#freeOlder();
  }

  /** In the order of time. */
  newest(): Line[] {
    return this.#slots.slice(0, this.length).sort(byTime).slice(-listedMost);
  }

  clear(): void {
    this.length = 0;
  }

  #freeOlder(): number {
    const sorted = this.#slots.sort(byTime);
    this.#slots = [...sorted.slice(-listedMost), ...sorted.slice(0, -listedMost)];
    this.length = listedMost;
    return mostOfOne - listedMost;
  }
}

/** Field by field: copying by name takes several times as long. */
function write(slot: Slot, line: Line): void {
  slot.requestId = line.requestId;
  slot.atMs = line.atMs;
  slot.keyId = line.keyId;
  slot.path = line.path;
  slot.parameters = line.parameters;
  slot.status = line.status;
  slot.code = line.code;
  slot.milliseconds = line.milliseconds;
  slot.credits = line.credits;
  slot.sent = line.sent;
}
