// Fetches parts of the map by name. What failed is asked for again, later and later, for as long as it is in sight: when its wait
// is over, whoever draws the map is told, and asks for what they still need.

export type Failed = { readonly kind: 'failed'; readonly why: string };

type Waits = {
  readonly firstMs: number;
  /** The wait is twice as long after each failure, up to this. */
  readonly mostMs: number;
};

export class AskAgain {
  readonly #waits: Waits;
  readonly #onDue: () => void;
  /** What was asked for and has not come yet, or has to wait before it is asked for again. */
  readonly #away = new Set<string>();
  /** How often each has failed since it last came. */
  readonly #failures = new Map<string, number>();

  constructor(waits: Waits, onDue: () => void) {
    this.#waits = waits;
    this.#onDue = onDue;
  }

  /** `not now` where it is on its way already, or failed a moment ago. */
  async ask<Came extends { readonly kind: string }>(
    name: string,
    load: () => Promise<Came | Failed>,
  ): Promise<Came | Failed | { readonly kind: 'not now' }> {
    if (this.#away.has(name)) return { kind: 'not now' };
    this.#away.add(name);
    const asked = await load();
    if (asked.kind !== 'failed') {
      this.#away.delete(name);
      this.#failures.delete(name);
      return asked;
    }
    const failures = this.#failures.get(name) ?? 0;
    this.#failures.set(name, failures + 1);
    const { firstMs, mostMs } = this.#waits;
    setTimeout(
      () => {
        this.#away.delete(name);
        this.#onDue();
      },
      Math.min(mostMs, firstMs * 2 ** failures),
    );
    return asked;
  }
}
