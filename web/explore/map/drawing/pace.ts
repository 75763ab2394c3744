// How much of a picture is painted in one frame: little enough that the next frame comes in time, on whatever machine.

export type Motion = 'moving' | 'still';

/** Work of one frame, about microseconds on a desk. While nothing moves, nobody sees a frame that comes late. */
const mostWork = { moving: 3_000, still: 8_000 } as const;
const leastShare = 1 / 16;
/** A screen has a frame every 17 ms at least: here one was missed. */
const lateMs = 25;

export class Pace {
  #share = 0.5;
  #beforeMs: number | undefined;

  /** How much to paint in the frame of that moment: less after one that came late. */
  workAt(nowMs: number, motion: Motion): number {
    if (this.#beforeMs !== undefined) {
      const isLate = nowMs - this.#beforeMs > lateMs;
      this.#share = isLate ? Math.max(leastShare, this.#share / 2) : Math.min(1, this.#share * 1.4);
    }
    this.#beforeMs = nowMs;
    return this.#share * mostWork[motion];
  }

  /** Nothing was painted in this frame: how long it lasts says nothing. */
  rest(): void {
    this.#beforeMs = undefined;
  }
}
