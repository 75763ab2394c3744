// Which methods a path has, so that a request with another one is told: also of paths that stand for all below them.

type Methods = readonly string[];

export class KnownMethods {
  readonly #exact = new Map<string, Methods>();
  /** By what such a path begins with. */
  readonly #below = new Map<string, Methods>();

  /** A path that ends with `*` is every path that begins like it. */
  add(path: string, methods: Methods): void {
    const [known, name] = path.endsWith('*') ? [this.#below, path.slice(0, -1)] : [this.#exact, path];
    known.set(name, [...(known.get(name) ?? []), ...methods]);
  }

  of(path: string): Methods | undefined {
    return this.#exact.get(path) ?? this.#below.entries().find(([begin]) => path.startsWith(begin))?.[1];
  }
}
