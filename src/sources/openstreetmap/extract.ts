// One extract of OpenStreetMap as the table of amenities wants it: objects with a place, each thing once, and the cells
// that the extract covers.

import type { BinaryFile } from '../../ingest/files.ts';
import { FileRefused } from '../../ingest/refusal.ts';
import type { Into } from '../../ingest/source.ts';
import { defined } from '../../out-of-range.ts';
import type { AmenityKind } from '../../tables/amenities/amenities.ts';
import type { MapExtract, Mapped } from '../../tables/amenities/amenities-builder.ts';
import {
  type CoverageCells,
  cellLatitudeMicro,
  cellLongitudeMicro,
} from '../../tables/amenities/coverage-cells.ts';
import type { MapBox } from '../../tables/amenities/map-box.ts';
import { dayMs } from '../../time.ts';
import { type OsmFile, type OsmHeader, openOsm } from './blobs.ts';
import type { Counts } from './block.ts';
import { CoverageBuilder, type Line } from './coverage.ts';
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

// Along which border an extract was cut, as far as its content tells: whole authorities, whole islands, or a rectangle.
// The bounds of the header are those of the border, not the border. A publisher cuts along a polygon, and half of its
// bounds may be without anything.

/** A cell of an island that holds nothing at all is a field, a moor, or was cut off. */
const islandShare = 0.9;
/** A rectangle has something this near to each of its corners. A polygon has not, or it would be the rectangle. */
const cornerCells = 2;
/** With fewer nodes a corner may be an empty field. */
const nodesToTell = 10_000;

type Coverage = { readonly cells: CoverageCells; readonly box: MapBox | undefined };

// The coastline of an extract: rings that close are islands, and may be in the file as a whole; where it breaks off, land
// goes on that the file does not have.

type Coastline = {
  /** Outlines of islands, each of several ways. */
  readonly islands: readonly (readonly Line[])[];
  /** All but rocks and skerries: they hide nothing, and stand before every coast. */
  readonly lines: readonly Line[];
  /** First or last nodes without another way. */
  readonly ends: readonly Line[];
};

type Stretch = { readonly nodes: Float64Array; readonly line: Line };

/** Ways that cross the border of an extract are there as a whole, so a ring of one or two may be of an island that is not. */
const waysOfAnIsland = 3;

function readCoastline({ coast, lines: ways, places }: Gathered): Coastline {
  const stretches = coast.flatMap((way): readonly Stretch[] => {
    const nodes = ways.find(way);
    return nodes === undefined || nodes.length === 0 ? [] : [{ nodes, line: places.lineOf(nodes) }];
  });
  const islands: (readonly Line[])[] = [];
  const lines: Line[] = [];
  const ends: Line[] = [];
  for (const joined of joinStretches(stretches)) {
    const all = joined.map(({ line }) => line);
    const open = openEnds(joined);
    const isWhole = open.length === 0 && joined.every(({ nodes, line }) => line.length === 2 * nodes.length);
    if (isWhole && isSmall(all)) continue;
    lines.push(...all);
    if (isWhole && joined.length >= waysOfAnIsland) islands.push(all);
    if (isWhole) continue;
    ends.push(places.lineOf(Float64Array.from(open)));
    // Of a way of which nodes are missing, the ends are where the others are.
    for (const { nodes, line } of joined)
      if (line.length < 2 * nodes.length) ends.push(line.subarray(0, 2), line.subarray(-2));
  }
  return { islands, lines, ends };
}

/** Ways that share an end, however many after another. */
function joinStretches(stretches: readonly Stretch[]): readonly (readonly Stretch[])[] {
  // Each end points to another of its group, and the last of them to itself. A country has tens of thousands.
  const parents = new Map<number, number>();
  const rootOf = (end: number): number => {
    let at = end;
    for (;;) {
      const parent = parents.get(at) ?? at;
      if (parent === at) return at;
      const next = parents.get(parent) ?? parent;
      parents.set(at, next);
      at = next;
    }
  };
  for (const stretch of stretches) {
    const [first, last] = endsOf(stretch);
    parents.set(rootOf(first), rootOf(last));
  }
  return [...Map.groupBy(stretches, (stretch) => rootOf(endsOf(stretch)[0])).values()];
}

const endsOf = ({ nodes }: Stretch): readonly [number, number] => [defined(nodes[0]), defined(nodes.at(-1))];

function openEnds(stretches: readonly Stretch[]): readonly number[] {
  const open = new Set<number>();
  for (const stretch of stretches) for (const end of endsOf(stretch)) if (!open.delete(end)) open.add(end);
  return [...open];
}

/** Within two cells each way. */
function isSmall(lines: readonly Line[]): boolean {
  const least = [Infinity, Infinity];
  const most = [-Infinity, -Infinity];
  for (const line of lines) {
    for (const [at, value] of line.entries()) {
      least[at % 2] = Math.min(defined(least[at % 2]), value);
      most[at % 2] = Math.max(defined(most[at % 2]), value);
    }
  }
  const [south = 0, west = 0] = least;
  const [north = 0, east = 0] = most;
  return north - south < 2 * cellLatitudeMicro && east - west < 2 * cellLongitudeMicro;
}

/** Throws FileRefused. */
function coverageOf({ header, name }: OsmFile, gathered: Gathered): Coverage {
  const bounds = headerBounds(header);
  const isInBounds = (lines: readonly Line[]) =>
    bounds === undefined || lines.every((line) => isIn(line, bounds));
  const coverage = new CoverageBuilder(bounds);
  let whole = 0;
  for (const ways of gathered.boundaries) {
    const lines = wholeLines(ways, gathered);
    // A tool may have completed the boundary of an authority that lies partly in the extract.
    if (lines === undefined || !isInBounds(lines)) continue;
    coverage.addArea(lines);
    whole += 1;
  }
  const coastline = readCoastline(gathered);
  for (const lines of coastline.islands) {
    if (!isInBounds(lines) || gathered.filled.shareOf(lines) < islandShare) continue;
    coverage.addArea(lines);
    whole += 1;
  }
  const isSmall = gathered.counts.nodes < nodesToTell;
  const isBox =
    bounds !== undefined &&
    (isSmall ? whole === 0 : cornersOf(bounds).every((at) => gathered.filled.hasIn(at)));
  const box = isBox ? bounds : undefined;
  if (box !== undefined) coverage.addBox(box);
  if (whole === 0 && box === undefined) throw notTold(name);
  for (const line of coastline.lines) coverage.addCoast(line);
  for (const end of coastline.ends) coverage.addCoastEnd(end);
  const cells = coverage.finish();
  if (cells !== undefined) return { cells, box };
  throw new FileRefused(name, 'covers no part of the United Kingdom, or less than a square kilometre of it');
}

const notTold = (name: string) =>
  new FileRefused(
    name,
    'does not say what it covers: it has neither the whole boundary of any authority or island, nor bounds in its header that it fills to the corners. Load an extract as Geofabrik publishes it, or one that was cut to a rectangle with osmium: extract --bbox … --set-bounds',
  );

function headerBounds({ boundsDegrees }: OsmHeader): MapBox | undefined {
  if (boundsDegrees === undefined) return undefined;
  const [west, east, north, south] = boundsDegrees.map((degrees) => Math.round(degrees * 1e6));
  return {
    west: defined(west),
    east: defined(east),
    north: defined(north),
    south: defined(south),
  };
}

function isIn(line: Line, { west, east, north, south }: MapBox): boolean {
  for (let at = 0; at + 1 < line.length; at += 2) {
    const latitude = defined(line[at]);
    const longitude = defined(line[at + 1]);
    if (latitude < south || latitude > north || longitude < west || longitude > east) return false;
  }
  return true;
}

function cornersOf({ west, east, north, south }: MapBox): readonly MapBox[] {
  const wide = cornerCells * cellLongitudeMicro;
  const tall = cornerCells * cellLatitudeMicro;
  const sides = [
    { west, east: west + wide },
    { west: east - wide, east },
  ];
  return sides.flatMap((side) => [
    { ...side, south, north: south + tall },
    { ...side, south: north - tall, north },
  ]);
}

/** Undefined where a way or a node is missing, or the lines do not close: then the area is only partly in the file. */
function wholeLines(ways: readonly number[], { lines, places }: Gathered): readonly Line[] | undefined {
  const found: Line[] = [];
  const open = new Set<number>();
  for (const way of ways) {
    const nodes = lines.find(way);
    const line = nodes === undefined ? undefined : places.lineOf(nodes);
    if (nodes === undefined || line === undefined || line.length !== 2 * nodes.length || nodes.length === 0)
      return undefined;
    found.push(line);
    for (const end of [defined(nodes[0]), defined(nodes.at(-1))]) if (!open.delete(end)) open.add(end);
  }
  return found.length === 0 || open.size > 0 ? undefined : found;
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
