// One extract of OpenStreetMap as the table of amenities wants it: objects with a place, each thing once, and the cells
// that the extract covers.

import type { BinaryFile } from '../../ingest/files.ts';
import type { Into } from '../../ingest/source.ts';
import { defined } from '../../out-of-range.ts';
import type { AmenityKind } from '../../tables/amenities/amenities.ts';
import type { MapExtract, Mapped } from '../../tables/amenities/amenities-builder.ts';
import { dayMs } from '../../time.ts';
import { type OsmHeader, openOsm } from './blobs.ts';
import type { Counts } from './block.ts';
import { coverageOf } from './cut.ts';
import { type FoundArea, type FoundNode, type Gathered, gather } from './passes.ts';

const types = ['node', 'way', 'relation'] as const;
type ObjectType = (typeof types)[number];
const typesRoom = 4;

/** One number for each object. Every type has ids of its own. */
const objectOf = (type: ObjectType, id: number) => id * typesRoom + types.indexOf(type);
/** "way 4040" */
export const describeObject = (object: number): string =>
  `${types[object % typesRoom]} ${Math.floor(object / typesRoom)}`;

type ReadExtract = {
  readonly extract: MapExtract;
  readonly found: readonly Mapped[];
  readonly counts: Counts;
};

/** What the header tells; that no blob is cut off is seen too. Throws FileRefused. */
export async function readHead(
  input: BinaryFile,
): Promise<{ readonly region: string; readonly asOfMs: number | undefined }> {
  const file = await openOsm(input);
  await file.close();
  return { region: regionOf(file.header, file.name), asOfMs: file.header.asOfMs };
}

/** Throws FileRefused. */
export async function readExtract(input: BinaryFile, into: Into): Promise<ReadExtract> {
  const file = await openOsm(input);
  try {
    const asOfMs = file.header.asOfMs ?? into.dating.dayOf(input) * dayMs;
    const gathered = await gather(file, into.progress);
    const { nodes, ways, relations } = gathered.counts;
    into.tally.read += nodes + ways + relations;
    const { cells, box } = coverageOf(file, gathered);
    const extract = { region: regionOf(file.header, file.name), asOfMs, cells, box };
    return { extract, found: mapAll(gathered, file.name, into), counts: gathered.counts };
  } finally {
    await file.close();
  }
}

/** "rutland", the same for every edition: Geofabrik has moved its folders, never renamed a region. */
function regionOf({ updatesUrl, boundsDegrees }: OsmHeader, name: string): string {
  const region = /([^/]+)-updates\/?$/.exec(updatesUrl)?.[1];
  if (region !== undefined) return region;
  if (updatesUrl !== '') return updatesUrl;
  if (boundsDegrees !== undefined)
    return `bounds ${boundsDegrees.map((degrees) => degrees.toFixed(4)).join(' ')}`;
  return name;
}

function mapAll(gathered: Gathered, file: string, { tally }: Into): readonly Mapped[] {
  const areas = placeAreas(gathered);
  for (const { type, area, outline } of areas)
    if (outline.length === 0) tally.reject('none of its nodes is in the file', `${file}, ${type} ${area.id}`);
  const placed = areas.filter(({ outline }) => outline.length > 0);
  const isDrawn = drawnTwice(placed);
  const found: Mapped[] = [];
  let twice = 0;
  for (const { type, area, outline } of placed) {
    for (const kind of area.kinds)
      found.push(mapOne(kind, area.name, objectOf(type, area.id), meanOf(outline), outline));
  }
  for (const node of gathered.nodes) {
    const { latitudeMicro, longitudeMicro } = node;
    for (const kind of node.kinds) {
      if (isDrawn(kind, node)) {
        twice += 1;
        continue;
      }
      const outline = Int32Array.of(latitudeMicro, longitudeMicro);
      found.push(mapOne(kind, node.name, objectOf('node', node.id), node, outline));
    }
  }
  tally.note('nodes inside an area of the same kind and name, counted as that area', twice, file);
  return found;
}

type PlacedArea = {
  readonly type: 'way' | 'relation';
  readonly area: FoundArea;
  readonly outline: Int32Array;
};

/** Ways and relations, without ways that are the outline of a relation of the same kinds and name. */
function placeAreas(gathered: Gathered): readonly PlacedArea[] {
  const { lines, places } = gathered;
  const drawn = new Map<number, FoundArea[]>();
  for (const relation of gathered.relations) {
    for (const way of relation.ways) drawn.set(way, [...(drawn.get(way) ?? []), relation]);
  }
  const isOutlineOf = (way: FoundArea) =>
    drawn
      .get(way.id)
      ?.some(
        ({ name, kinds }) =>
          (way.name === '' || sameName(name) === sameName(way.name)) &&
          way.kinds.every((kind) => kinds.includes(kind)),
      ) ?? false;
  const outlineOf = ({ ways }: FoundArea): Int32Array => {
    const pieces = ways.map((way) => {
      const nodes = lines.find(way) ?? new Float64Array();
      // The last node of a ring is its first, or the first of the next way.
      const isRing = ways.length > 1 || (nodes.length > 1 && nodes[0] === nodes.at(-1));
      return places.lineOf(isRing ? nodes.subarray(0, -1) : nodes);
    });
    return pieces.length === 1 && pieces[0] !== undefined
      ? pieces[0]
      : Int32Array.from(pieces.flatMap((piece) => [...piece]));
  };
  return [
    ...gathered.ways
      .filter((way) => !isOutlineOf(way))
      .map((area): PlacedArea => ({ type: 'way', area, outline: outlineOf(area) })),
    ...gathered.relations.map((area): PlacedArea => ({ type: 'relation', area, outline: outlineOf(area) })),
  ];
}

type Bounds = { south: number; north: number; west: number; east: number };

function boundsOf(outline: Int32Array): Bounds {
  const bounds = { south: Infinity, north: -Infinity, west: Infinity, east: -Infinity };
  for (let at = 0; at < outline.length; at += 2) {
    bounds.south = Math.min(bounds.south, defined(outline[at]));
    bounds.north = Math.max(bounds.north, defined(outline[at]));
    bounds.west = Math.min(bounds.west, defined(outline[at + 1]));
    bounds.east = Math.max(bounds.east, defined(outline[at + 1]));
  }
  return bounds;
}

/** For telling whether two objects are the same thing. */
const sameName = (name: string): string => name.toLowerCase();

/** Tells the nodes that lie within the bounds of an area of the same kind and name. */
function drawnTwice(areas: readonly PlacedArea[]): (kind: AmenityKind, node: FoundNode) => boolean {
  const known = new Map<string, Bounds[]>();
  for (const { area, outline } of areas) {
    if (area.name === '') continue;
    for (const kind of area.kinds) {
      const thing = `${kind} ${sameName(area.name)}`;
      const same = known.get(thing) ?? [];
      same.push(boundsOf(outline));
      known.set(thing, same);
    }
  }
  return (kind, { name, latitudeMicro, longitudeMicro }) =>
    known
      .get(`${kind} ${sameName(name)}`)
      ?.some(
        ({ south, north, west, east }) =>
          latitudeMicro >= south &&
          latitudeMicro <= north &&
          longitudeMicro >= west &&
          longitudeMicro <= east,
      ) ?? false;
}

type Micro = { readonly latitudeMicro: number; readonly longitudeMicro: number };

function meanOf(outline: Int32Array): Micro {
  let latitude = 0;
  let longitude = 0;
  for (let at = 0; at < outline.length; at += 2) {
    latitude += defined(outline[at]);
    longitude += defined(outline[at + 1]);
  }
  const nodes = outline.length / 2;
  return { latitudeMicro: Math.round(latitude / nodes), longitudeMicro: Math.round(longitude / nodes) };
}

function mapOne(
  kind: AmenityKind,
  name: string,
  object: number,
  { latitudeMicro, longitudeMicro }: Micro,
  outline: Int32Array,
): Mapped {
  return kind === 'park'
    ? { kind, object, name, outline }
    : { kind, object, name, latitudeMicro, longitudeMicro };
}
