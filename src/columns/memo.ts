// Things that are made on demand and asked for again, up to so many. What comes later is made each time and never takes
// a place: texts that are kept for a while and then let go outlive the young objects, and V8 would stop the service for
// 30 ms to clear them away.

export class Memo<T> {
  readonly #make: (index: number) => T;
  readonly #most: number;
  readonly #known = new Map<number, T>();

  constructor(most: number, make: (index: number) => T) {
    this.#most = most;
    this.#make = make;
  }

  at(index: number): T {
    const known = this.#known.get(index);
    if (known !== undefined) return known;
    const made = this.#make(index);
    if (this.#known.size < this.#most) this.#known.set(index, made);
    return made;
  }
}
