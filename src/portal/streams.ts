// Connections of those who watch, on this thread. Each is held open, so how many there may be is bounded.

const most = 300;

export class Streams {
  readonly #open = new Set<AbortController>();

  get isFull(): boolean {
    return this.#open.size >= most;
  }

  /** What it gives back is aborted when the service stops. */
  enter(): AbortController {
    const stream = new AbortController();
    this.#open.add(stream);
    return stream;
  }

  leave(stream: AbortController): void {
    this.#open.delete(stream);
  }

  endAll(): void {
    for (const stream of this.#open) stream.abort();
  }
}
