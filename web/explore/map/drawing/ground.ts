// The ground of the map as the service draws it up from its own release (docs/map.md): fetched tile by tile, kept while the page
// lives.

import { type Camera, type Size, worldAt } from './camera.ts';

type Placed = { readonly name: string; readonly x: number; readonly y: number };

/** As the service tells it. */
type ToldTile = {
  readonly grid: number;
  readonly cells: readonly number[];
  readonly counts: string;
  readonly parks: readonly { readonly name: string | null; readonly outline: readonly number[] }[];
  readonly stations: readonly (Placed & { readonly kind: 'tube' | 'rail' | 'metro' })[];
  readonly names: readonly (Placed & { readonly kind: 'authority' | 'ward'; readonly postcodes: number })[];
};

type ToldFacts = {
  readonly levels: readonly number[];
  readonly attributions: readonly string[];
  readonly tile: string;
};

export type GroundTile = Omit<ToldTile, 'cells' | 'counts'> & {
  readonly z: number;
  readonly x: number;
  readonly y: number;
  /** Middles of cells with postcodes, as shares of the tile's side, and how many postcodes each has. */
  readonly cellXs: Float32Array;
  readonly cellYs: Float32Array;
  readonly counts: Uint8Array;
};

/** A tile is shown until it is so many times as wide as at its own zoom. */
const stretchZooms = 0.5;
const mostTiles = 120;

export class Ground {
  readonly #which: 'live' | 'sandbox';
  readonly #onChange: () => void;
  readonly #tiles = new Map<string, GroundTile | 'asked'>();
  #facts: ToldFacts | undefined;
  #asking: 'not yet' | 'asked' = 'not yet';

  constructor(which: 'live' | 'sandbox', onChange: () => void) {
    this.#which = which;
    this.#onChange = onChange;
  }

  get attributions(): readonly string[] {
    return this.#facts?.attributions ?? [];
  }

  /** Tiles of what is seen, as far as they are there; the others are asked for. */
  seen(camera: Camera, size: Size): readonly GroundTile[] {
    if (this.#facts === undefined) {
      void this.#askFacts();
      return [];
    }
    const level = this.#facts.levels.findLast((each) => each + stretchZooms <= camera.zoom);
    const z = level ?? this.#facts.levels[0];
    if (z === undefined) return [];
    const tiles = 2 ** z;
    const first = worldAt({ left: 0, top: 0 }, camera, size);
    const last = worldAt({ left: size.width, top: size.height }, camera, size);
    const found: GroundTile[] = [];
    for (let y = Math.floor(first.y * tiles); y <= Math.floor(last.y * tiles); y += 1) {
      for (let x = Math.floor(first.x * tiles); x <= Math.floor(last.x * tiles); x += 1) {
        if (Math.min(x, y) < 0 || Math.max(x, y) >= tiles) continue;
        const known = this.#tiles.get(`${z}/${x}/${y}`);
        if (known === undefined) void this.#askTile(this.#facts.tile, z, x, y);
        else if (known !== 'asked') found.push(known);
      }
    }
    return found;
  }

  async #askFacts(): Promise<void> {
    if (this.#asking === 'asked') return;
    this.#asking = 'asked';
    const told: ToldFacts | undefined = await asked(`/explore/backdrop/${this.#which}`);
    if (told === undefined) return;
    this.#facts = told;
    this.#onChange();
  }

  async #askTile(address: string, z: number, x: number, y: number): Promise<void> {
    const name = `${z}/${x}/${y}`;
    this.#tiles.set(name, 'asked');
    const parts = { z, x, y };
    const target = address.replaceAll(/\{([zxy])\}/g, (_, part: 'z' | 'x' | 'y') => String(parts[part]));
    const told: ToldTile | undefined = await asked(target);
    // Another release may have become current: the map is drawn without this tile until the page is loaded anew.
    if (told === undefined) return;
    this.#tiles.set(name, { ...unpacked(told), z, x, y });
    for (const oldest of this.#tiles.keys()) {
      if (this.#tiles.size <= mostTiles) break;
      this.#tiles.delete(oldest);
    }
    this.#onChange();
  }
}

/** Undefined where there is none: a map without its ground still shows what lies on it. */
async function asked<Told>(target: string): Promise<Told | undefined> {
  try {
    const response = await fetch(target, { credentials: 'omit' });
    if (!response.ok) return undefined;
    const told: Told = await response.json();
    return told;
  } catch (fault) {
    if (fault instanceof TypeError || fault instanceof SyntaxError) return undefined;
    throw fault;
  }
}

function unpacked({ cells, counts, ...told }: ToldTile): Omit<GroundTile, 'z' | 'x' | 'y'> {
  const cellXs = new Float32Array(cells.length);
  const cellYs = new Float32Array(cells.length);
  let cell = 0;
  for (const [at, step] of cells.entries()) {
    cell += step;
    cellXs[at] = ((cell % told.grid) + 0.5) / told.grid;
    cellYs[at] = (Math.floor(cell / told.grid) + 0.5) / told.grid;
  }
  const digits = Uint8Array.from(counts, (digit) => Number.parseInt(digit, 36));
  return { ...told, cellXs, cellYs, counts: digits };
}
