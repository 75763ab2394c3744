// Remembers things that are made on demand, up to a number of them. Further ones are made each time and never replace
// one that is remembered: texts that live for a while and are then dropped outlive V8's young objects, and clearing them
// away would stop the service for 30 ms.

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
