// The ground of the map, drawn up from the release itself: where postcodes lie, parks, stations and names, tile by tile. It needs
// no outside service, and costs nobody a credit.

import { setImmediate } from 'node:timers/promises';
import type { Release } from '../release/reader.ts';
import { oncePerRelease } from '../release/reader.ts';
import { openStops, type StationKind } from '../tables/transport/stops.ts';
import { type Grid, type WrittenCells, writeCells } from './cells.ts';
import { type Park, parksOf } from './parks.ts';
import { type Survey, surveyOf } from './survey.ts';
import { latitudeAt, levels, longitudeAt, type TileAddress, worldOf } from './tile-address.ts';

/** `x` and `y` are thousandths of the tile's side, from its north-western corner. */
type Placed = { readonly name: string; readonly x: number; readonly y: number };

type BackdropTile = WrittenCells & {
  readonly parks: readonly Park[];
  readonly stations: readonly (Placed & { readonly kind: StationKind })[];
  readonly names: readonly (Placed & {
    readonly kind: 'authority' | 'ward';
    readonly postcodes: number;
  })[];
};

type BackdropFacts = {
  readonly release: string;
  readonly levels: readonly number[];
  /** To be shown beside the map. */
  readonly attributions: readonly string[];
};

/** What it is made of. */
const datasets = ['postcodes', 'place-names', 'stops', 'amenities'] as const;
const units = 1_000;
const nobody: Grid = { side: 1, filled: new Uint32Array(0), counts: new Uint16Array(0) };
const mostStations = 60;
const mostNames = 40;
/** A tile has at most some 60 kB. */
const mostTiles = 256;

class Backdrop {
  readonly facts: BackdropFacts;
  readonly #release: Release;
  readonly #tiles = new Map<string, Promise<Buffer>>();
  /** Made when the first tile is asked for. */
  #survey: Promise<Survey> | undefined;
  /** Ends when the tile that was asked for last has been drawn. */
  #lastTurn: Promise<void> = Promise.resolve();

  constructor(release: Release) {
    this.#release = release;
    const attributions = datasets.flatMap((name) => release.findDataset(name)?.attribution ?? []);
    this.facts = { release: release.id, levels, attributions: [...new Set(attributions)] };
  }

  /** As JSON. Who asks for the same tile shares it. */
  tile(address: TileAddress): Promise<Buffer> {
    const name = `${address.z}/${address.x}/${address.y}`;
    const known = this.#tiles.get(name);
    const tile = known ?? this.#make(address);
    // The one used last is thrown away last.
    this.#tiles.delete(name);
    this.#tiles.set(name, tile);
    if (known === undefined) {
      tile.catch(() => this.#tiles.delete(name));
      for (const oldest of this.#tiles.keys()) {
        if (this.#tiles.size <= mostTiles) break;
        this.#tiles.delete(oldest);
      }
    }
    return tile;
  }

  /** One after the other, each in a turn of its own: whoever asks for many at once keeps no call of the API waiting. */
  async #make(address: TileAddress): Promise<Buffer> {
    const survey = await this.#surveyed();
    const before = this.#lastTurn;
    const { promise, resolve: end } = Promise.withResolvers<void>();
    this.#lastTurn = promise;
    await before;
    await setImmediate();
    try {
      return await this.#draw(survey, address);
    } finally {
      end();
    }
  }

  #surveyed(): Promise<Survey> {
    if (this.#survey !== undefined) return this.#survey;
    const survey = surveyOf(this.#release);
    this.#survey = survey;
    // What failed once may work the next time.
    survey.catch(() => {
      this.#survey = undefined;
    });
    return survey;
  }

  async #draw(survey: Survey, address: TileAddress): Promise<Buffer> {
    const cells = writeCells((await survey.gridOf(address)) ?? nobody);
    // Others have their turn between what takes longest.
    await setImmediate();
    const tile: BackdropTile = {
      ...cells,
      parks: address.z === 12 ? parksOf(this.#release, address) : [],
      stations: address.z === 12 ? stationsOf(this.#release, address) : [],
      names: namesOf(survey, address),
    };
    return Buffer.from(JSON.stringify(tile));
  }
}

function namesOf({ names }: Survey, { z, x, y }: TileAddress): BackdropTile['names'] {
  const kind = z === 12 ? 'ward' : 'authority';
  const tiles = 2 ** z;
  return names
    .filter((one) => one.kind === kind && Math.floor(one.x * tiles) === x && Math.floor(one.y * tiles) === y)
    .slice(0, mostNames)
    .map((one) => ({
      name: one.name,
      kind,
      postcodes: one.postcodes,
      x: Math.round((one.x * tiles - x) * units),
      y: Math.round((one.y * tiles - y) * units),
    }));
}

function stationsOf(release: Release, { z, x, y }: TileAddress): BackdropTile['stations'] {
  if (release.findDataset('stops') === undefined) return [];
  const tiles = 2 ** z;
  const latitudeDegrees = latitudeAt((y + 0.5) / tiles);
  const longitudeDegrees = longitudeAt((x + 0.5) / tiles);
  const metresASide = (40_075_017 / tiles) * Math.cos((latitudeAt((y + 1) / tiles) * Math.PI) / 180);
  const circle = { latitudeDegrees, longitudeDegrees, radiusMetres: metresASide / Math.SQRT2 };
  return openStops(release)
    .stationsWithin(circle)
    .map(({ name, kind, point }) => {
      const world = worldOf(point.latitudeDegrees, point.longitudeDegrees);
      return {
        name,
        kind,
        x: Math.floor((world.x * tiles - x) * units),
        y: Math.floor((world.y * tiles - y) * units),
      };
    })
    .filter((station) => [station.x, station.y].every((at) => at >= 0 && at < units))
    .slice(0, mostStations);
}

export const openBackdrop: (release: Release) => Backdrop = oncePerRelease(
  (release) => new Backdrop(release),
);
