// Values that were asked for lately, by key, in a bounded number of them and without a note of every use.

/** Up to twice `most` values in two generations: when the newer one is full it becomes the older one, which goes. What is
 *  found in the older one moves to the newer one, so whatever is in use stays. */
export class Recent<K, V> {
  readonly #most: number;
  #newer = new Map<K, V>();
  #older = new Map<K, V>();

  constructor(most: number) {
    this.#most = most;
  }

  get(key: K): V | undefined {
    const newer = this.#newer.get(key);
    if (newer !== undefined) return newer;
    const older = this.#older.get(key);
    if (older !== undefined) this.set(key, older);
    return older;
  }

  set(key: K, value: V): void {
    if (this.#newer.size >= this.#most && !this.#newer.has(key)) {
      this.#older = this.#newer;
      this.#newer = new Map();
    }
    this.#newer.set(key, value);
  }

  delete(key: K): void {
    this.#newer.delete(key);
    this.#older.delete(key);
  }

  clear(): void {
    this.#newer.clear();
    this.#older.clear();
  }
}
