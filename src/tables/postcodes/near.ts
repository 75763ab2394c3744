// Which postcodes in use lie nearest to a point. In the order of the alphabet neighbours mostly stand together, so that a box
// around every few rows is all the index there is: it is made in a moment when first asked for, and takes a fiftieth of the
// table's memory.

import type { Circle } from '../../columns/point-bands.ts';
import { defined } from '../../out-of-range.ts';
import { oncePerRelease, type Release } from '../../release/reader.ts';
import { distanceMetres, type LatLong, meanEarthRadiusMetres } from '../../uk/grid.ts';
import { openPostcodes, type PostcodeRow, type Postcodes } from './postcodes.ts';

const rowsPerBox = 32;
const rowsPerCrate = 512;
const firstRadiusMetres = 250;
const edgeShare = 0.99;
const degreesPerRadian = 180 / Math.PI;

type Found = { readonly row: number; readonly metres: number };

type NearPostcode = { readonly postcode: PostcodeRow; readonly point: LatLong; readonly metres: number };

type NearAuthority = { readonly code: string; readonly metres: number };

type AuthoritiesWish = {
  readonly most: number;
  readonly farthest: number;
  /** Whether the authority of that code is meant at all. */
  readonly counts: (code: string) => boolean;
  /** Comes before others that are as near. */
  readonly own: string | null;
};

type Authorities = {
  /** Each once, in order. */
  readonly codes: readonly string[];
  /** For each place of `places` the number of its authority; the number after the last is none. */
  readonly ofPlace: Uint16Array;
  /** The numbers that occur in each crate. */
  readonly ofCrate: readonly ReadonlySet<number>[];
};

/** Millionths of a degree. A box without a postcode in use is inside out, and nothing lies in it. */
class Boxes {
  readonly south: Int32Array;
  readonly north: Int32Array;
  readonly west: Int32Array;
  readonly east: Int32Array;

  constructor(count: number) {
    const [most, least] = [2 ** 31 - 1, -(2 ** 31)];
    this.south = new Int32Array(count).fill(most);
    this.north = new Int32Array(count).fill(least);
    this.west = new Int32Array(count).fill(most);
    this.east = new Int32Array(count).fill(least);
  }

  add(box: number, latitude: number, longitude: number): void {
    if (latitude < defined(this.south[box])) this.south[box] = latitude;
    if (latitude > defined(this.north[box])) this.north[box] = latitude;
    if (longitude < defined(this.west[box])) this.west[box] = longitude;
    if (longitude > defined(this.east[box])) this.east[box] = longitude;
  }

  /** No postcode of the box is nearer to the point. */
  leastMetres(box: number, latitudeDegrees: number, longitudeDegrees: number): number {
    const nearest = (value: number, from: number, to: number) =>
      Math.min(Math.max(value, from / 1e6), to / 1e6);
    const [south, north] = [defined(this.south[box]), defined(this.north[box])];
    if (south > north) return Number.POSITIVE_INFINITY;
    const metres = distanceMetres(
      latitudeDegrees,
      longitudeDegrees,
      nearest(latitudeDegrees, south, north),
      nearest(longitudeDegrees, defined(this.west[box]), defined(this.east[box])),
    );
    // Meridians are no straight lines: at a hundred kilometres the edge of a box is a few metres nearer than its corner.
    return metres * edgeShare;
  }

  touches(box: number, { south, north, west, east }: Bounds): boolean {
    return (
      defined(this.north[box]) >= south &&
      defined(this.south[box]) <= north &&
      defined(this.east[box]) >= west &&
      defined(this.west[box]) <= east
    );
  }
}

class PostcodesNear {
  readonly #postcodes: Postcodes;
  readonly #boxes: Boxes;
  /** Each around as many boxes as fit `rowsPerCrate`, so that most of the country is passed over at once. */
  readonly #crates: Boxes;
  readonly #crateCount: number;
  /** Made when first asked for. */
  #knownAuthorities: Authorities | undefined;

  constructor(postcodes: Postcodes) {
    this.#postcodes = postcodes;
    this.#crateCount = Math.ceil(postcodes.size / rowsPerCrate);
    const boxes = new Boxes(this.#crateCount * (rowsPerCrate / rowsPerBox));
    const crates = new Boxes(this.#crateCount);
    postcodes.eachInUse((_, latitude, longitude, row) => {
      boxes.add(Math.floor(row / rowsPerBox), latitude, longitude);
      crates.add(Math.floor(row / rowsPerCrate), latitude, longitude);
    });
    this.#boxes = boxes;
    this.#crates = crates;
  }

  /** Codes of the authorities whose nearest postcode in use lies nearest to the point, with its distance in metres: nearest
   *  first, none farther than `farthest`, at most `most`, and only those that `counts` says. */
  nearestAuthorities(
    { latitudeDegrees, longitudeDegrees }: LatLong,
    { most, farthest, counts, own }: AuthoritiesWish,
  ): readonly NearAuthority[] {
    const { codes, ofPlace, ofCrate } = this.#authorities();
    const least = new Float64Array(codes.length).fill(Number.POSITIVE_INFINITY);
    const counting = Uint8Array.from(codes, (code) => (counts(code) ? 1 : 0));
    /** Beyond it nothing can belong to the answer any more. */
    let edge = farthest;
    // The nearest first, so that most of the country is too far away when its turn comes.
    const crates = Array.from({ length: this.#crateCount }, (_, crate) => ({
      crate,
      metres: this.#crates.leastMetres(crate, latitudeDegrees, longitudeDegrees),
    })).sort((a, b) => a.metres - b.metres);
    for (const { crate, metres: fromHere } of crates) {
      if (fromHere > edge) break;
      // Nothing of this crate is nearer than what earlier ones had of the same authorities.
      const mayHelp = (at: number) => counting[at] === 1 && defined(least[at]) > fromHere;
      if (!ofCrate[crate]?.values().some(mayHelp)) continue;
      let hasNews = false;
      const take = (place: number, latitude: number, longitude: number) => {
        const at = defined(ofPlace[place]);
        if (!mayHelp(at)) return;
        const metres = distanceMetres(latitudeDegrees, longitudeDegrees, latitude / 1e6, longitude / 1e6);
        if (metres >= defined(least[at])) return;
        least[at] = metres;
        hasNews = true;
      };
      const end = Math.min((crate + 1) * rowsPerCrate, this.#postcodes.size);
      this.#postcodes.eachInUse(take, crate * rowsPerCrate, end);
      if (hasNews) edge = Math.min(farthest, least.toSorted()[most - 1] ?? farthest);
    }
    return codes
      .map((code, at) => ({ code, metres: defined(least[at]) }))
      .filter(({ metres }) => metres <= farthest)
      .sort(
        (a, b) =>
          a.metres - b.metres ||
          Number(b.code === own) - Number(a.code === own) ||
          (a.code < b.code ? -1 : 1),
      )
      .slice(0, most);
  }

  #authorities(): Authorities {
    if (this.#knownAuthorities !== undefined) return this.#knownAuthorities;
    const places = this.#postcodes.places();
    const codes = [...new Set(places.flatMap(({ authorityCode }) => authorityCode ?? []))].sort();
    const numberOf = new Map(codes.map((code, at) => [code, at]));
    const ofPlace = Uint16Array.from(
      places,
      ({ authorityCode }) => numberOf.get(authorityCode ?? '') ?? codes.length,
    );
    const ofCrate = Array.from({ length: this.#crateCount }, () => new Set<number>());
    this.#postcodes.eachInUse((place, _, __, row) => {
      ofCrate[Math.floor(row / rowsPerCrate)]?.add(defined(ofPlace[place]));
    });
    this.#knownAuthorities = { codes, ofPlace, ofCrate };
    return this.#knownAuthorities;
  }

  /** Nearest first, at the same distance in the order of the alphabet; the edge of the circle is in it. `offset` are left out before them. */
  nearest(circle: Circle, limit: number, offset: number = 0): readonly NearPostcode[] {
    const { radiusMetres } = circle;
    // As soon as a smaller circle has enough of them, nothing outside of it can be nearer.
    for (
      let radius = Math.min(firstRadiusMetres, radiusMetres);
      ;
      radius = Math.min(2 * radius, radiusMetres)
    ) {
      const found = this.#within({ ...circle, radiusMetres: radius });
      if (found.length < offset + limit && radius < radiusMetres) continue;
      return found
        .sort((a, b) => a.metres - b.metres || a.row - b.row)
        .slice(offset, offset + limit)
        .map(({ row, metres }) => {
          const postcode = this.#postcodes.at(row);
          return { postcode, point: defined(postcode.point), metres };
        });
    }
  }

  /** Every postcode in use with a point within the bounds, edges included, in the order of the alphabet. */
  #eachWithin(
    bounds: Bounds,
    visit: (latitudeMicro: number, longitudeMicro: number, row: number) => void,
  ): void {
    const { south, north, west, east } = bounds;
    const take = (_: number, latitude: number, longitude: number, row: number) => {
      if (latitude < south || latitude > north || longitude < west || longitude > east) return;
      visit(latitude, longitude, row);
    };
    const { size } = this.#postcodes;
    for (let crate = 0; crate < this.#crateCount; crate += 1) {
      if (!this.#crates.touches(crate, bounds)) continue;
      const end = Math.min((crate + 1) * rowsPerCrate, size);
      for (let row = crate * rowsPerCrate; row < end; row += rowsPerBox) {
        if (!this.#boxes.touches(row / rowsPerBox, bounds)) continue;
        this.#postcodes.eachInUse(take, row, Math.min(row + rowsPerBox, size));
      }
    }
  }

  #within(circle: Circle): Found[] {
    const { latitudeDegrees, longitudeDegrees, radiusMetres } = circle;
    const found: Found[] = [];
    this.#eachWithin(boundsOf(circle), (latitude, longitude, row) => {
      const metres = distanceMetres(latitudeDegrees, longitudeDegrees, latitude / 1e6, longitude / 1e6);
      if (metres <= radiusMetres) found.push({ row, metres });
    });
    return found;
  }
}

/** Millionths of a degree. */
type Bounds = {
  readonly south: number;
  readonly north: number;
  readonly west: number;
  readonly east: number;
};

/** Millionths of a degree that no point of the circle lies beyond. */
function boundsOf({ latitudeDegrees, longitudeDegrees, radiusMetres }: Circle): Bounds {
  const angle = radiusMetres / meanEarthRadiusMetres;
  const high = angle * degreesPerRadian;
  const cosine = Math.cos(latitudeDegrees / degreesPerRadian);
  const poleward = Math.cos((Math.abs(latitudeDegrees) + high) / degreesPerRadian);
  // Around a pole a circle has every longitude.
  const share = poleward <= 0 ? 1 : Math.min(Math.sin(angle / 2) / Math.sqrt(cosine * poleward), 1);
  const wide = 2 * Math.asin(share) * degreesPerRadian;
  // One more, for what numbers lose in these lines.
  return {
    south: Math.floor((latitudeDegrees - high) * 1e6) - 1,
    north: Math.ceil((latitudeDegrees + high) * 1e6) + 1,
    west: Math.floor((longitudeDegrees - wide) * 1e6) - 1,
    east: Math.ceil((longitudeDegrees + wide) * 1e6) + 1,
  };
}

/** Throws ReleaseDamaged when the release has no postcodes; ask `findDataset('postcodes')` first. */
export const openPostcodesNear: (release: Release) => PostcodesNear = oncePerRelease(
  (release) => new PostcodesNear(openPostcodes(release)),
);

const mostNeighbours = 3;
/** What lies farther away did not take its place. */
const farthestMetres = 1_000;

/** For a postcode that was withdrawn: the directory names no successor, but it keeps the place. */
export const nearestInUse = (release: Release, point: LatLong | null): readonly NearPostcode[] =>
  point === null
    ? []
    : openPostcodesNear(release).nearest({ ...point, radiusMetres: farthestMetres }, mostNeighbours);
