// Room for the large arrays of one answer, used again for the next. Made anew each time they would be half a megabyte of
// garbage a call, for which V8 would stop the service for 20 ms twice a second.

export class Scratch {
  #room = new Uint32Array(0);
  #used = 0;

  /** What was taken before is given back. */
  reset(): void {
    if (this.#used > this.#room.length) this.#room = new Uint32Array(2 * this.#used);
    this.#used = 0;
  }

  /** Whatever was left there is in it. */
  take(length: number): Uint32Array {
    const start = this.#used;
    this.#used += length;
    return this.#used <= this.#room.length ? this.#room.subarray(start, this.#used) : new Uint32Array(length);
  }
}
