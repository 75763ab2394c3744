// Along which border an extract was cut, as far as its content tells: whole authorities, whole islands, or a rectangle.
// The bounds of the header are those of the border, not the border. A publisher cuts along a polygon, and half of its
// bounds may be without anything.

import { FileRefused } from '../../ingest/refusal.ts';
import { defined } from '../../out-of-range.ts';
import {
  type CoverageCells,
  cellLatitudeMicro,
  cellLongitudeMicro,
} from '../../tables/amenities/coverage-cells.ts';
import type { MapBox } from '../../tables/amenities/map-box.ts';
import type { OsmFile, OsmHeader } from './blobs.ts';
import { readCoastline } from './coastline.ts';
import { CoverageBuilder, type Line } from './coverage.ts';
import type { Gathered } from './passes.ts';

/** A cell of an island that holds nothing at all is a field, a moor, or was cut off. */
const islandShare = 0.9;
/** A rectangle has something this near to each of its corners. A polygon has not, or it would be the rectangle. */
const cornerCells = 2;
/** With fewer nodes a corner may be an empty field. */
const nodesToTell = 10_000;

type Coverage = { readonly cells: CoverageCells; readonly box: MapBox | undefined };

/** Throws FileRefused. */
export function coverageOf({ header, name }: OsmFile, gathered: Gathered): Coverage {
  const bounds = boundsOf(header);
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

function boundsOf({ boundsDegrees }: OsmHeader): MapBox | undefined {
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
