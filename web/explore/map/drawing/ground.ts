// The ground of the map as the service draws it up from its own release (docs/map.md): fetched tile by tile, kept while the page
// lives. What does not come is asked for again, later and later.

import { AskAgain, type Failed } from './ask-again.ts';
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
const waits = { firstMs: 1_000, mostMs: 60_000 } as const;
const factsName = 'facts';
const nobody: readonly string[] = [];

export class Ground {
  readonly #which: 'live' | 'sandbox';
  readonly #onChange: () => void;
  readonly #tiles = new Map<string, GroundTile>();
  readonly #asking: AskAgain;
  #facts: ToldFacts | undefined;

  constructor(which: 'live' | 'sandbox', onChange: () => void) {
    this.#which = which;
    this.#onChange = onChange;
    this.#asking = new AskAgain(waits, onChange);
  }

  get attributions(): readonly string[] {
    return this.#facts?.attributions ?? nobody;
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
        else found.push(known);
      }
    }
    return found;
  }

  async #askFacts(): Promise<void> {
    const target = `/explore/backdrop/${this.#which}`;
    const asked = await this.#asking.ask(factsName, () => fetchJson<ToldFacts>(target));
    if (asked.kind !== 'told') return;
    // Tiles of two releases never lie beside each other.
    if (this.#facts?.tile !== asked.told.tile) this.#tiles.clear();
    this.#facts = asked.told;
    this.#onChange();
  }

  async #askTile(address: string, z: number, x: number, y: number): Promise<void> {
    const parts = { z, x, y };
    const target = address.replaceAll(/\{([zxy])\}/g, (_, part: 'z' | 'x' | 'y') => String(parts[part]));
    const asked = await this.#asking.ask(target, () => fetchJson<ToldTile>(target));
    if (this.#facts?.tile !== address) return;
    // Another release has become current: its tiles are elsewhere.
    if (asked.kind === 'failed' && asked.why === gone) void this.#askFacts();
    if (asked.kind !== 'told') return;
    this.#tiles.set(`${z}/${x}/${y}`, { ...unpacked(asked.told), z, x, y });
    for (const oldest of this.#tiles.keys()) {
      if (this.#tiles.size <= mostTiles) break;
      this.#tiles.delete(oldest);
    }
    this.#onChange();
  }
}

const gone = 'the service knows no such address';

/** A map without its ground still shows what lies on it. */
async function fetchJson<Told>(
  target: string,
): Promise<{ readonly kind: 'told'; readonly told: Told } | Failed> {
  try {
    const response = await fetch(target, { credentials: 'omit' });
    if (response.status === 404) return { kind: 'failed', why: gone };
    if (!response.ok) return { kind: 'failed', why: `the service answered ${response.status}` };
    const told: Told = await response.json();
    return { kind: 'told', told };
  } catch (fault) {
    if (fault instanceof TypeError || fault instanceof SyntaxError)
      return { kind: 'failed', why: 'there was no answer that can be read' };
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
