// Room for words on the map: they lie neither on each other, nor on larger points, nor half out of sight. Whoever comes first has
// the room.

import type { Rectangle, Size, Spot } from './camera.ts';
import { nowhere } from './point-grid.ts';

type Sheet = {
  readonly size: Size;
  /** The part that is in sight. */
  readonly seen: Rectangle;
  /** From the corner of the world to that of the sheet: a map that is only pulled keeps its words where they are. */
  readonly corner: Spot;
};

type Words = Size & {
  /** Around them, as theirs. */
  readonly air: number;
};

/** Pixels of the squares in which it is kept where points are: so far from a sign words are beside it. */
export const square = 4;
/** A smaller point may lie below words where there is no other room. */
const leastHeavy = 9;
const marks = { light: 1, heavy: 2 } as const;
/** Pixels between words and the edge of what is seen. */
const edge = 4;

export class LabelRoom {
  readonly #taken: Rectangle[] = [];
  readonly #seen: Rectangle;
  readonly #corner: Spot;
  readonly #columns: number;
  readonly #rows: number;
  readonly #marks: Uint8Array;

  constructor({ size, seen, corner }: Sheet) {
    this.#seen = seen;
    this.#corner = { left: corner.left % square, top: corner.top % square };
    this.#columns = Math.ceil(size.width / square) + 1;
    this.#rows = Math.ceil(size.height / square) + 1;
    this.#marks = new Uint8Array(this.#columns * this.#rows);
  }

  /** A point lies there. Signs without transparency hide what is below them, however small. */
  cover(left: number, top: number, radius: number, sign: 'transparent' | 'solid'): void {
    const mark = sign === 'solid' || radius >= leastHeavy ? marks.heavy : marks.light;
    const { west, east, north, south } = this.#squaresOf(left, top, radius, radius);
    for (let row = north; row <= south; row += 1)
      for (let at = row * this.#columns + west; at <= row * this.#columns + east; at += 1)
        this.#marks[at] = (this.#marks[at] ?? nowhere()) | mark;
  }

  /** No words there. */
  keepFree(box: Rectangle): void {
    this.#taken.push(box);
  }

  /** Takes the first of the spots where words can stand; they may be moved a little to be seen whole. */
  take(spots: readonly Spot[], words: Words): Spot | undefined {
    let second: Spot | undefined;
    for (const wanted of spots) {
      const spot = this.#inSight(wanted, words);
      if (spot === undefined || this.#isTaken(boxAt(spot, words, words.air))) continue;
      const marked = this.#marksAt(spot, words);
      if (marked === 0) {
        this.#taken.push(boxAt(spot, words, words.air));
        return spot;
      }
      if ((marked & marks.heavy) === 0) second ??= spot;
    }
    if (second !== undefined) this.#taken.push(boxAt(second, words, words.air));
    return second;
  }

  /** Where words around that spot are seen whole; undefined where they would be cut. */
  #inSight(spot: Spot, words: Words): Spot | undefined {
    const { left, top, right, bottom } = this.#seen;
    const box = boxAt(spot, words, edge);
    if (box.right <= left || box.left >= right || box.bottom <= top || box.top >= bottom) return spot;
    const isMiddleSeen = spot.left >= left && spot.left <= right && spot.top >= top && spot.top <= bottom;
    if (!isMiddleSeen || box.right - box.left > right - left) return undefined;
    return {
      left: spot.left + Math.max(0, left - box.left) - Math.max(0, box.right - right),
      top: spot.top + Math.max(0, top - box.top) - Math.max(0, box.bottom - bottom),
    };
  }

  #isTaken(box: Rectangle): boolean {
    return this.#taken.some(
      (other) =>
        box.left < other.right && box.right > other.left && box.top < other.bottom && box.bottom > other.top,
    );
  }

  #marksAt({ left, top }: Spot, { width, height }: Size): number {
    const { west, east, north, south } = this.#squaresOf(left, top, width / 2, height / 2);
    let found = 0;
    for (let row = north; row <= south; row += 1)
      for (let at = row * this.#columns + west; at <= row * this.#columns + east; at += 1)
        found |= this.#marks[at] ?? nowhere();
    return found;
  }

  /** None where the last is before the first. */
  #squaresOf(left: number, top: number, halfWidth: number, halfHeight: number) {
    const [x, y] = [left + this.#corner.left, top + this.#corner.top];
    return {
      west: Math.max(0, Math.floor((x - halfWidth) / square)),
      east: Math.min(this.#columns - 1, Math.floor((x + halfWidth) / square)),
      north: Math.max(0, Math.floor((y - halfHeight) / square)),
      south: Math.min(this.#rows - 1, Math.floor((y + halfHeight) / square)),
    };
  }
}

const boxAt = ({ left, top }: Spot, { width, height }: Size, air: number): Rectangle => ({
  left: left - width / 2 - air,
  right: left + width / 2 + air,
  top: top - height / 2 - air,
  bottom: top + height / 2 + air,
});
