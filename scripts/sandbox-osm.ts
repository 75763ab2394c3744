// Makes data/sandbox/map.osm.pbf, the fictional town's extract of OpenStreetMap as Geofabrik would cut it: things as
// nodes, ways and multipolygons, drawn twice, closed, private or in a shop of another kind. The same at every run.

import { writeFileSync } from 'node:fs';
import {
  type OsmMember,
  type OsmNode,
  type OsmRelation,
  type OsmTags,
  type OsmWay,
  writeOsm,
} from './osm-pbf-writer.ts';
import { randomFrom } from './random.ts';

const nodes: OsmNode[] = [];
const ways: OsmWay[] = [];
const relations: OsmRelation[] = [];

const random = randomFrom(20_261_101);

type At = readonly [latitude: number, longitude: number];
const nano = ([latitude, longitude]: At) =>
  [Math.round(latitude * 1e9), Math.round(longitude * 1e9)] as const;

function node(at: At, tags?: OsmTags): number {
  const id = 9_000_000_001 + nodes.length;
  nodes.push({ id, nano: nano(at), ...(tags === undefined ? {} : { tags }) });
  return id;
}

function way(line: readonly number[], tags?: OsmTags): number {
  const id = 900_000_001 + ways.length;
  ways.push({ id, nodes: line, ...(tags === undefined ? {} : { tags }) });
  return id;
}

/** A ring of as many corners. */
function ring([latitude, longitude]: At, radiusDegrees: number, corners: number): number[] {
  const made = Array.from({ length: corners }, (_, corner) => {
    const turn = (2 * Math.PI * corner) / corners;
    return node([
      latitude + radiusDegrees * Math.sin(turn),
      longitude + 1.7 * radiusDegrees * Math.cos(turn),
    ]);
  });
  return [...made, ...made.slice(0, 1)];
}

const building = (at: At, tags: OsmTags) => way(ring(at, 0.0002, 4), { building: 'yes', ...tags });

function area(members: readonly OsmMember[], tags: OsmTags): void {
  relations.push({ id: 90_000_001 + relations.length, members, tags });
}
const outer = (id: number): OsmMember => ({ type: 'way', id, role: 'outer' });

/** Three parts of the town, and how many things each has of a kind. */
const quarters: readonly { readonly at: At; readonly share: number }[] = [
  { at: [54.183, 0.916], share: 3 },
  { at: [54.1855, 0.939], share: 2 },
  { at: [54.1775, 0.878], share: 1 },
];
const scattered: readonly (readonly [string, OsmTags])[] = [
  ['Café Kelp', { amenity: 'cafe' }],
  ['The Anchor', { amenity: 'pub' }],
  ['Bar Buoy', { amenity: 'bar' }],
  ['Crab & Co', { amenity: 'restaurant' }],
  ['Zed Fish Bar', { amenity: 'fast_food' }],
  ['Corner Store', { shop: 'convenience' }],
  ['Beacon Pharmacy', { amenity: 'pharmacy', healthcare: 'pharmacy' }],
  ['Harbour Dental', { amenity: 'dentist', healthcare: 'dentist' }],
  ['Mooring Bank', { amenity: 'bank' }],
];

for (const [quarter, { at, share }] of quarters.entries()) {
  const near = (): At => [at[0] + (random() - 0.5) / 160, at[1] + (random() - 0.5) / 90];
  for (const [name, tags] of scattered) {
    for (let copy = 0; copy < share; copy += 1) {
      const called = { ...tags, name: `${name} ${quarter + 1}${copy === 0 ? '' : ` ${copy + 1}`}` };
      if (copy % 2 === 0) node(near(), called);
      else building(near(), called);
    }
  }
  way(ring(near(), 0.0003, 5), { leisure: 'playground' });
  way(ring(near(), 0.0012, 12), { leisure: 'park', name: `Gull Meadow ${quarter + 1}` });
  node(near(), { amenity: 'bicycle_rental', capacity: '12', name: `Docking station ${quarter + 1}` });
}

// The centre, with what is easily counted wrongly.
building([54.1812, 0.9135], { shop: 'supermarket', name: 'Quayside Foods' });
node([54.1812, 0.9135], { shop: 'supermarket', name: 'Quayside Foods' });
node([54.1846, 0.9185], { shop: 'supermarket', name: 'Zedco Express' });
building([54.1868, 0.9375], { shop: 'supermarket', name: 'Zedco' });
node([54.1828, 0.9155], { 'disused:shop': 'supermarket', name: 'Old Zedco' });
node([54.1829, 0.9156], { shop: 'vacant', name: 'Empty unit' });
node([54.1831, 0.9158], { shop: 'convenience;newsagent', amenity: 'post_office', name: 'Lantern Stores' });
node([54.1843, 0.9142], { amenity: 'doctors', healthcare: 'doctor', name: 'Lighthouse Surgery' });
node([54.1845, 0.9402], { healthcare: 'doctor', name: 'Dunes Practice' });
node([54.1822, 0.9171], { amenity: 'doctors', disused: 'yes', name: 'Old Surgery' });
node([54.1822, 0.9172], { amenity: 'library', name: 'Zedbury Library' });
building([54.1835, 0.9145], { leisure: 'sports_centre', name: 'Tidewater Leisure Centre' });
node([54.1838, 0.9166], { leisure: 'fitness_centre', name: 'Kelp Gym' });
node([54.1827, 0.9163], { amenity: 'bicycle_rental', shop: 'bicycle', name: 'Zed Cycles' });
node([54.1826, 0.9161], { amenity: 'bicycle_rental', bicycle_rental: 'shop', name: 'Pier Bikes' });
way(ring([54.1817, 0.9178], 0.0002, 5), { leisure: 'playground', access: 'private' });
way(ring([54.1819, 0.9119], 0.0003, 8), { leisure: 'garden', name: 'Court Garden' });
way(ring([54.1851, 0.9121], 0.0003, 8), { leisure: 'park' });

// A park of two outlines, one drawn in two pieces and with its own tags, around a pond.
const half = ring([54.1868, 0.9155], 0.0015, 16);
const first = way(half.slice(0, 9));
const second = way(half.slice(8));
const other = way(ring([54.1868, 0.9205], 0.0008, 10), { leisure: 'park', name: 'Lighthouse Park' });
const pond = way(ring([54.1868, 0.9155], 0.0004, 6), { natural: 'water' });
area([outer(first), outer(second), outer(other), { type: 'way', id: pond, role: 'inner' }], {
  type: 'multipolygon',
  leisure: 'park',
  name: 'Lighthouse Park',
});
area([outer(way(ring([54.1815, 0.9285], 0.001, 8)))], {
  type: 'multipolygon',
  amenity: 'hospital',
  name: 'Zedbury General',
});

// The extract ends in the west, so that around ZZ3 circles reach beyond it; the boundary is in two pieces.
const corners = (
  [
    [54.12, 0.864],
    [54.12, 1],
    [54.26, 1],
    [54.26, 0.864],
  ] satisfies readonly At[]
).map((at) => node(at));
const [southWest = 0, southEast = 0, northEast = 0, northWest = 0] = corners;
area([outer(way([southWest, southEast, northEast])), outer(way([northEast, northWest, southWest]))], {
  type: 'boundary',
  boundary: 'administrative',
  admin_level: '6',
  name: 'Zedbury',
});

writeFileSync(
  new URL('../data/sandbox/map.osm.pbf', import.meta.url),
  writeOsm({
    header: {
      optional: ['Sort.Type_then_ID'],
      boundsDegrees: [0.864, 1, 54.26, 54.12],
      asOf: '2026-11-01T21:20:00Z',
      updatesUrl: 'https://download.example/zedland/zedbury-updates',
    },
    nodes,
    ways,
    relations,
  }),
);
