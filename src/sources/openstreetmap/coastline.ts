// The coastline of an extract: rings that close are islands, and may be in the file as a whole; where it breaks off, land
// goes on that the file does not have.

import { defined } from '../../out-of-range.ts';
import { cellLatitudeMicro, cellLongitudeMicro } from '../../tables/amenities/coverage-cells.ts';
import type { Line } from './coverage.ts';
import type { Gathered } from './passes.ts';

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

export function readCoastline({ coast, lines: ways, places }: Gathered): Coastline {
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
