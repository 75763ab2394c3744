// Room for the large arrays of one answer, used again for the next. New arrays would be half a megabyte of garbage a call,
// and V8 would stop the service for 20 ms twice a second to collect it.

export class Scratch {
  #room = new Uint32Array(0);
  #used = 0;

  /** Gives back everything that was taken. */
  reset(): void {
    if (this.#used > this.#room.length) this.#room = new Uint32Array(2 * this.#used);
    this.#used = 0;
  }

  /** Not cleared: it contains whatever was left there. */
  take(length: number): Uint32Array {
    const start = this.#used;
    this.#used += length;
    return this.#used <= this.#room.length ? this.#room.subarray(start, this.#used) : new Uint32Array(length);
  }
}
