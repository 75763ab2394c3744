// What an object of OpenStreetMap is to us, by its tags: wiki.openstreetmap.org/wiki/Map_features says what they mean.

import type { AmenityKind } from '../../tables/amenities/amenities.ts';
import type { OsmKeys, Tags } from './block.ts';

const featureKeys = ['amenity', 'shop', 'leisure', 'healthcare'];
const sideKeys = ['name', 'access', 'disused', 'abandoned', 'bicycle_rental'];

export const nodeKeys: OsmKeys = { read: [...featureKeys, ...sideKeys], telling: featureKeys };
export const wayKeys: OsmKeys = {
  read: [...nodeKeys.read, 'natural'],
  telling: [...featureKeys, 'natural'],
};
export const relationKeys: OsmKeys = {
  read: [...nodeKeys.read, 'type', 'boundary', 'admin_level'],
  telling: ['type'],
};

/** "key=value" → kind. */
const kinds: ReadonlyMap<string, AmenityKind> = new Map([
  ['shop=supermarket', 'supermarket'],
  ['shop=convenience', 'convenience-store'],
  ['amenity=restaurant', 'restaurant'],
  ['amenity=cafe', 'cafe'],
  ['amenity=fast_food', 'takeaway'],
  ['amenity=pub', 'pub-or-bar'],
  ['amenity=bar', 'pub-or-bar'],
  ['amenity=doctors', 'gp'],
  ['healthcare=doctor', 'gp'],
  ['amenity=pharmacy', 'pharmacy'],
  ['healthcare=pharmacy', 'pharmacy'],
  ['amenity=dentist', 'dentist'],
  ['healthcare=dentist', 'dentist'],
  ['amenity=hospital', 'hospital'],
  ['leisure=park', 'park'],
  ['leisure=nature_reserve', 'park'],
  ['leisure=recreation_ground', 'park'],
  ['leisure=playground', 'playground'],
  ['leisure=fitness_centre', 'gym'],
  ['leisure=sports_centre', 'gym'],
  ['amenity=library', 'library'],
  ['amenity=post_office', 'post-office'],
  ['amenity=bank', 'bank'],
  ['amenity=bicycle_rental', 'cycle-hire'],
] as const);

const noKinds: readonly AmenityKind[] = [];

/** An object may be several things, such as a post office in a shop. A closed one has a key like `disused:shop`, which is
 *  not read. */
export function kindsOf(tags: Tags): readonly AmenityKind[] {
  let found: Set<AmenityKind> | undefined;
  for (const key of featureKeys) {
    const value = tags.get(key);
    if (value === undefined) continue;
    for (const word of value.includes(';') ? value.split(';') : [value]) {
      const kind = kinds.get(`${key}=${word.trim()}`);
      if (kind === undefined || !isCounted(kind, tags)) continue;
      found ??= new Set();
      found.add(kind);
    }
  }
  return found === undefined || isClosed(tags) ? noKinds : [...found];
}

function isCounted(kind: AmenityKind, tags: Tags): boolean {
  // A reserve in a disused quarry is tagged so; the reserve is not disused.
  if (kind === 'park') return nameOf(tags) !== '';
  if (tags.get('disused') === 'yes' || tags.get('abandoned') === 'yes') return false;
  // A shop that hires out bicycles is not a docking station.
  if (kind === 'cycle-hire') return tags.get('bicycle_rental') !== 'shop' && !tags.has('shop');
  return true;
}

const isClosed = (tags: Tags): boolean =>
  tags.get('shop') === 'vacant' || tags.get('access') === 'private' || tags.get('access') === 'no';

/** As it stands on the map; empty where it has none. */
export const nameOf = (tags: Tags): string => (tags.get('name') ?? '').trim();

export const isCoastline = (tags: Tags): boolean => tags.get('natural') === 'coastline';

/** Relations whose ways are the outline of one area. */
export const isArea = (tags: Tags): boolean =>
  tags.get('type') === 'multipolygon' || tags.get('type') === 'boundary';

/** From nations to districts; parishes would add nothing. */
export const isAuthorityBoundary = (tags: Tags): boolean => {
  if (tags.get('type') !== 'boundary') return false;
  if (tags.get('boundary') === 'ceremonial') return true;
  return tags.get('boundary') === 'administrative' && /^[2-8]$/.test(tags.get('admin_level') ?? '');
};
