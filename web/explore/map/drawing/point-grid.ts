// Many points in squares, so that what is seen, and what lies nearest to a finger, is found without a look at all of them.

type Box = {
  readonly west: number;
  readonly north: number;
  readonly east: number;
  readonly south: number;
};

const pointsPerCell = 8;

/** For places of arrays that are known to be there. */
export function nowhere(): never {
  throw new RangeError('A point of the map is not where it was put.');
}

export class PointGrid {
  readonly #xs: Float64Array;
  readonly #ys: Float64Array;
  readonly #side: number;
  readonly #box: Box;
  /** Points in the order of their cells, and the first of each cell. */
  readonly #order: Uint32Array;
  readonly #starts: Uint32Array;

  constructor(xs: Float64Array, ys: Float64Array) {
    this.#xs = xs;
    this.#ys = ys;
    this.#side = Math.max(1, Math.ceil(Math.sqrt(xs.length / pointsPerCell)));
    this.#box = boxAround(xs, ys);
    const cells = Uint32Array.from(xs, (x, at) => this.#cellOf(x, ys[at] ?? nowhere()));
    this.#starts = new Uint32Array(this.#side ** 2 + 1);
    for (const cell of cells) this.#starts[cell + 1] = (this.#starts[cell + 1] ?? nowhere()) + 1;
    for (let cell = 0; cell < this.#side ** 2; cell += 1)
      this.#starts[cell + 1] = (this.#starts[cell + 1] ?? nowhere()) + (this.#starts[cell] ?? nowhere());
    this.#order = new Uint32Array(xs.length);
    const next = this.#starts.slice();
    for (const [point, cell] of cells.entries()) {
      const at = next[cell] ?? nowhere();
      this.#order[at] = point;
      next[cell] = at + 1;
    }
  }

  /** Every point in the box, edges included. */
  eachIn(box: Box, visit: (point: number) => void): void {
    if (this.#xs.length === 0) return;
    const west = this.#columnOf(box.west);
    const east = this.#columnOf(box.east);
    const south = this.#rowOf(box.south);
    for (let row = this.#rowOf(box.north); row <= south; row += 1) {
      const end = this.#starts[row * this.#side + east + 1] ?? nowhere();
      for (let at = this.#starts[row * this.#side + west] ?? nowhere(); at < end; at += 1) {
        const point = this.#order[at] ?? nowhere();
        const x = this.#xs[point] ?? nowhere();
        const y = this.#ys[point] ?? nowhere();
        if (x >= box.west && x <= box.east && y >= box.north && y <= box.south) visit(point);
      }
    }
  }

  #cellOf(x: number, y: number): number {
    return this.#rowOf(y) * this.#side + this.#columnOf(x);
  }

  #columnOf(x: number): number {
    return this.#step(x, this.#box.west, this.#box.east);
  }

  #rowOf(y: number): number {
    return this.#step(y, this.#box.north, this.#box.south);
  }

  #step(value: number, least: number, most: number): number {
    const share = most > least ? (value - least) / (most - least) : 0;
    return Math.min(this.#side - 1, Math.max(0, Math.floor(share * this.#side)));
  }
}

function boxAround(xs: Float64Array, ys: Float64Array): Box {
  let [west, north] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  let [east, south] = [Number.NEGATIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const [at, x] of xs.entries()) {
    const y = ys[at] ?? nowhere();
    west = Math.min(west, x);
    east = Math.max(east, x);
    north = Math.min(north, y);
    south = Math.max(south, y);
  }
  return { west, north, east, south };
}
