// Lines that wait to be written, by account. No more of an account are kept than can be listed, so that a busy one takes
// little memory. Nothing is kept that a request has made: it would live just long enough to be moved among the old objects, and
// collecting it there cost more than noting it. So lines are written over, and ids are copied sign by sign.

import { listedMost } from './chunks.ts';
import type { Line } from './line.ts';

const waitingMost = 40_000;
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

  /** Takes out those of an account, and gives the ones that can be among its newest, in the order of time. An account that has had
   *  none since the last time loses its room. */
  take(accountId: string): readonly Line[] {
    const lines = this.#byAccount.get(accountId);
    if (lines === undefined) return [];
    if (lines.length === 0) {
      this.#byAccount.delete(accountId);
      return [];
    }
    const newest = lines.newest();
    this.#count -= lines.length;
    lines.clear();
    return newest;
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

type InTime = { readonly atMs: number };
const byTime = (one: InTime, other: InTime): number => one.atMs - other.atMs;

/** Signs of an id that have a place, a byte each, since ids are ASCII; ours have 20, and many callers send UUIDs. */
const idSigns = 36;
const slotsAtFirst = 16;

type Slot = { -readonly [Name in Exclude<keyof Line, 'requestId'>]: Line[Name] } & {
  /** Where its id begins. */
  readonly idAt: number;
  idLength: number;
  longId: string | null;
};

/** Lines of one account. */
class Lines {
  /** Those from `length` on are free. */
  #slots: Slot[] = [];
  #ids = Buffer.alloc(slotsAtFirst * idSigns);
  length = 0;

  /** Tells by how many lines there are more. */
  add(line: Line): number {
    const slot = this.#slots[this.length] ?? this.#makeSlot();
    this.#write(slot, line);
    this.length += 1;
    return this.length < mostOfOne ? 1 : 1 - this.#freeOlder();
  }

  /** In the order of time. */
  newest(): Line[] {
    const sorted = this.#slots.slice(0, this.length).sort(byTime);
    return sorted.slice(-listedMost).map((slot) => this.#lineIn(slot));
  }

  clear(): void {
    this.length = 0;
  }

  #makeSlot(): Slot {
    const idAt = this.#slots.length * idSigns;
    if (idAt === this.#ids.length) {
      this.#ids = Buffer.concat([this.#ids], 2 * this.#ids.length);
    }
    const slot: Slot = {
      idAt,
      idLength: 0,
      longId: null,
      // Not 0, which V8 keeps otherwise than the fractions that come: those are then written over in place.
      atMs: Number.NaN,
      milliseconds: Number.NaN,
      keyId: '',
      path: '',
      parameters: null,
      status: 0,
      code: null,
      credits: 0,
      sent: 'alone',
    };
    this.#slots.push(slot);
    return slot;
  }

  /** Field by field: copying by name takes several times as long. */
  #write(slot: Slot, line: Line): void {
    const { requestId } = line;
    const isLong = requestId.length > idSigns;
    slot.longId = isLong ? requestId : null;
    slot.idLength = isLong ? 0 : requestId.length;
    const { idAt, idLength } = slot;
    for (let sign = 0; sign < idLength; sign += 1) this.#ids[idAt + sign] = requestId.charCodeAt(sign);
    slot.atMs = line.atMs;
    slot.milliseconds = line.milliseconds;
    slot.keyId = line.keyId;
    slot.path = line.path;
    slot.parameters = line.parameters;
    slot.status = line.status;
    slot.code = line.code;
    slot.credits = line.credits;
    slot.sent = line.sent;
  }

  #lineIn(slot: Slot): Line {
    const {
      idAt,
      idLength,
      longId,
      atMs,
      milliseconds,
      keyId,
      path,
      parameters,
      status,
      code,
      credits,
      sent,
    } = slot;
    const requestId = longId ?? this.#ids.toString('latin1', idAt, idAt + idLength);
    return { requestId, atMs, keyId, path, parameters, status, code, milliseconds, credits, sent };
  }

  #freeOlder(): number {
    const sorted = this.#slots.sort(byTime);
    this.#slots = [...sorted.slice(-listedMost), ...sorted.slice(0, -listedMost)];
    this.length = listedMost;
    return mostOfOne - listedMost;
  }
}
