// A layer of the map: points of one kind with their sizes and tones, and the words for each.

import { countText } from '../../formats.ts';
import { nowhere, PointGrid } from './drawing/point-grid.ts';
import { toWorld } from './drawing/projection.ts';

export const layerIds = ['crime', 'schools', 'stations', 'stops', 'amenities', 'sales'] as const;
export type LayerId = (typeof layerIds)[number];

export const layerTitles: Readonly<Record<LayerId, string>> = {
  crime: 'Crimes',
  schools: 'Schools',
  stations: 'Stations',
  stops: 'Bus stops',
  amenities: 'Amenities and parks',
  sales: 'Sales',
};

const units: Readonly<Record<LayerId, readonly [one: string, many: string]>> = {
  crime: ['street point', 'street points'],
  schools: ['school', 'schools'],
  stations: ['station', 'stations'],
  stops: ['bus stop', 'bus stops'],
  amenities: ['place', 'places'],
  sales: ['postcode', 'postcodes'],
};

/** So many points of that layer: "6 schools". */
export const pointsText = (id: LayerId, count: number): string => countText(count, ...units[id]);

/** How points of a layer look. Whatever a colour says, shape, letter or words say too. */
export type Tone = {
  /** Custom property of the style sheet: `--map-crime`. */
  readonly colour: string;
  readonly shape: 'disc' | 'square' | 'diamond' | 'ring' | 'leaf';
  /** Within the shape. */
  readonly letter?: string;
  /** For the legend. */
  readonly words: string;
};

/** The ground has stations too: there is one sign for them. */
export const stationSign = {
  tone: { colour: '--map-station', shape: 'ring', words: 'Station' },
  radius: 6,
} as const satisfies { readonly tone: Tone; readonly radius: number };

export type PointFacts = {
  readonly title: string;
  /** What else is known, line by line. */
  readonly lines: readonly string[];
  /** As a row of the list, heading by heading. */
  readonly cells: readonly string[];
};

/** A column of the list behind a layer. */
export type ListHeading = { readonly title: string; readonly kind?: 'name' | 'number' };

export type LayerPoint = {
  readonly latitude: number;
  readonly longitude: number;
  /** Pixels from its middle. */
  readonly radius: number;
  /** Place in the list of tones. */
  readonly tone: number;
  readonly facts: () => PointFacts;
};

/** Columns of points as they are drawn: no object is touched for a frame. */
export type MapLayer = {
  readonly id: LayerId;
  readonly tones: readonly Tone[];
  readonly xs: Float64Array;
  readonly ys: Float64Array;
  readonly radii: Float32Array;
  readonly toneOf: Uint8Array;
  readonly grid: PointGrid;
  readonly largest: number;
  /** Of the list behind the layer. */
  readonly headings: readonly ListHeading[];
  readonly factsOf: (point: number) => PointFacts;
};

/** Points shrink where so much is in sight that they would hide each other. */
export const shrinkAt = (zoom: number): number => Math.min(1, Math.max(0.25, 2 ** ((zoom - 14) / 2)));

export function layerOf(
  { id, tones, headings }: Pick<MapLayer, 'id' | 'tones' | 'headings'>,
  points: readonly LayerPoint[],
): MapLayer {
  const worlds = points.map(({ latitude, longitude }) => toWorld(latitude, longitude));
  const xs = Float64Array.from(worlds, ({ x }) => x);
  const ys = Float64Array.from(worlds, ({ y }) => y);
  const radii = Float32Array.from(points, ({ radius }) => radius);
  return {
    id,
    tones,
    headings,
    xs,
    ys,
    radii,
    toneOf: Uint8Array.from(points, ({ tone }) => tone),
    grid: new PointGrid(xs, ys),
    largest: radii.reduce((most, radius) => Math.max(most, radius), 0),
    factsOf: (point) => (points[point] ?? nowhere()).facts(),
  };
}
