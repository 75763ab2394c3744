// What an engine that has to ask for it knows of keys of our pages: asked once for all calls of a key, and again after a few
// seconds, since its account may have changed.

const rememberedMs = 10_000;
/** A page has one, for a quarter of an hour. */
const keysMost = 1_000;

type Remembered<Known> = { readonly askedAtMs: number; readonly known: Promise<Known | undefined> };

export class RememberedKeys<Known> {
  readonly #ask: (keyHash: string) => Promise<Known | undefined>;
  readonly #keys = new Map<string, Remembered<Known>>();

  constructor(ask: (keyHash: string) => Promise<Known | undefined>) {
    this.#ask = ask;
  }

  async find(keyHash: string, atMs: number): Promise<Known | undefined> {
    const remembered = this.#keys.get(keyHash);
    if (remembered !== undefined && Math.abs(atMs - remembered.askedAtMs) < rememberedMs)
      return remembered.known;
    const asking = { askedAtMs: atMs, known: this.#ask(keyHash) };
    this.#keys.delete(keyHash);
    this.#keys.set(keyHash, asking);
    for (const oldest of this.#keys.keys()) {
      if (this.#keys.size <= keysMost) break;
      this.#keys.delete(oldest);
    }
    let known: Known | undefined;
    try {
      known = await asking.known;
      return known;
    } finally {
      // Nothing is kept of a key that nobody knows, nor of a question that failed.
      if (known === undefined && this.#keys.get(keyHash) === asking) this.#keys.delete(keyHash);
    }
  }
}
