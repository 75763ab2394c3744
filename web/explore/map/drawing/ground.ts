// The ground of the map as the service draws it up from its own release (docs/map.md): fetched tile by tile, kept while the page
// lives. What does not come is asked for again, later and later.

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
/** Before what failed is asked for again; twice as long after each time. */
const waitsMs = { first: 1_000, most: 60_000 } as const;
const factsName = 'facts';
const nobody: readonly string[] = [];

export class Ground {
  readonly #which: 'live' | 'sandbox';
  readonly #onChange: () => void;
  readonly #tiles = new Map<string, GroundTile>();
  #facts: ToldFacts | undefined;
  /** What was asked for and has not come yet, or has to wait before it is asked for again. */
  readonly #away = new Set<string>();
  /** How often each has failed since it last came. */
  readonly #failures = new Map<string, number>();

  constructor(which: 'live' | 'sandbox', onChange: () => void) {
    this.#which = which;
    this.#onChange = onChange;
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
    const asked = await this.#ask<ToldFacts>(factsName, `/explore/backdrop/${this.#which}`);
    if (asked.kind !== 'told') return;
    // Tiles of two releases never lie beside each other.
    if (this.#facts?.tile !== asked.told.tile) this.#tiles.clear();
    this.#facts = asked.told;
    this.#onChange();
  }

  async #askTile(address: string, z: number, x: number, y: number): Promise<void> {
    const parts = { z, x, y };
    const target = address.replaceAll(/\{([zxy])\}/g, (_, part: 'z' | 'x' | 'y') => String(parts[part]));
    const asked = await this.#ask<ToldTile>(target, target);
    if (this.#facts?.tile !== address) return;
    // Another release has become current: its tiles are elsewhere.
    if (asked.kind === 'gone') void this.#askFacts();
    if (asked.kind !== 'told') return;
    this.#tiles.set(`${z}/${x}/${y}`, { ...unpacked(asked.told), z, x, y });
    for (const oldest of this.#tiles.keys()) {
      if (this.#tiles.size <= mostTiles) break;
      this.#tiles.delete(oldest);
    }
    this.#onChange();
  }

  /** `not now` where it is on its way already, or failed a moment ago. */
  async #ask<Told>(name: string, target: string): Promise<Asked<Told> | { readonly kind: 'not now' }> {
    if (this.#away.has(name)) return { kind: 'not now' };
    this.#away.add(name);
    const asked = await fetchJson<Told>(target);
    if (asked.kind === 'told') {
      this.#away.delete(name);
      this.#failures.delete(name);
      return asked;
    }
    const failures = this.#failures.get(name) ?? 0;
    this.#failures.set(name, failures + 1);
    setTimeout(
      () => {
        this.#away.delete(name);
        // Whoever draws the map asks for what is still in sight.
        this.#onChange();
      },
      Math.min(waitsMs.most, waitsMs.first * 2 ** failures),
    );
    return asked;
  }
}

type Asked<Told> =
  | { readonly kind: 'told'; readonly told: Told }
  /** The service knows no such address. */
  | { readonly kind: 'gone' }
  /** No answer, or none that can be read. */
  | { readonly kind: 'failed' };

/** A map without its ground still shows what lies on it. */
async function fetchJson<Told>(target: string): Promise<Asked<Told>> {
  try {
    const response = await fetch(target, { credentials: 'omit' });
    if (response.status === 404) return { kind: 'gone' };
    if (!response.ok) return { kind: 'failed' };
    const told: Told = await response.json();
    return { kind: 'told', told };
  } catch (fault) {
    if (fault instanceof TypeError || fault instanceof SyntaxError) return { kind: 'failed' };
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
