// Remembers things that are made on demand, up to so many. The first ones stay; what comes later is made each time. A cache
// that forgets would move its texts out of the young objects before letting them go, and V8 would stop the service for
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
