// Who watches at the moment. Each holds a connection, so how many may is bounded, for a person and for a thread of the service.

const ofPerson = 6;
const ofThread = 300;

export class Streams {
  readonly #open = new Map<AbortController, string>();

  roomFor(personId: string): 'some' | 'none' {
    const mine = [...this.#open.values()].filter((watcher) => watcher === personId).length;
    return this.#open.size < ofThread && mine < ofPerson ? 'some' : 'none';
  }

  /** What it gives back is aborted when the service stops; undefined where there is no room. */
  enter(personId: string): AbortController | undefined {
    if (this.roomFor(personId) === 'none') return undefined;
    const stream = new AbortController();
    this.#open.set(stream, personId);
    return stream;
  }

  leave(stream: AbortController): void {
    this.#open.delete(stream);
  }

  endAll(): void {
    for (const stream of this.#open.keys()) stream.abort();
  }
}
