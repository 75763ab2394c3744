// Which columns of the postcode directories are read. Their names carry the year of what they refer to (lad25cd) and were renamed
// altogether in 2025, so each is found by a pattern, and a missing one is an error.

import { FileRefused } from '../../ingest/refusal.ts';

export const wanted = {
  postcode: { pattern: /^pcds$/, names: 'pcds' },
  introduced: { pattern: /^dointr$/, names: 'dointr' },
  terminated: { pattern: /^doterm$/, names: 'doterm' },
  usage: { pattern: /^(usertype|usrtypind)$/, names: 'usertype or usrtypind' },
  easting: { pattern: /^(oseast1m|east1m)$/, names: 'oseast1m or east1m' },
  northing: { pattern: /^(osnrth1m|north1m)$/, names: 'osnrth1m or north1m' },
  latitude: { pattern: /^lat$/, names: 'lat' },
  longitude: { pattern: /^long$/, names: 'long' },
  country: { pattern: /^ctry(\d\dcd)?$/, names: 'ctry or ctry25cd' },
  authority: { pattern: /^(oslaua|laua|lad\d\dcd)$/, names: 'oslaua, laua or lad25cd' },
  ward: { pattern: /^(osward|ward|wd\d\dcd)$/, names: 'osward, ward or wd25cd' },
  county: { pattern: /^(oscty|cty(\d\dcd)?)$/, names: 'oscty, cty or cty25cd' },
  region: { pattern: /^(rgn|gor)(\d\dcd)?$/, names: 'rgn or rgn25cd' },
  police: { pattern: /^pfa(\d\dcd)?$/, names: 'pfa or pfa23cd' },
  // Editions before 2023 have only the areas of the census of 2011.
  lsoa: { pattern: /^lsoa(21|11)(cd)?$/, names: 'lsoa21 or lsoa21cd (lsoa11 in older editions)' },
  msoa: { pattern: /^msoa(21|11)(cd)?$/, names: 'msoa21 or msoa21cd (msoa11 in older editions)' },
} as const;

export type Wanted = keyof typeof wanted;
type Column = { readonly at: number; readonly name: string };
export type Found = Readonly<Record<Wanted, Column>>;

/** Throws FileRefused, naming every column that is missing. */
export function resolveColumns(file: string, header: readonly string[]): Found {
  const missing: string[] = [];
  const resolve = (wish: Wanted): Column => {
    const { pattern, names } = wanted[wish];
    const matching = header.filter((name) => pattern.test(name));
    // Both censuses are in an edition; the newer one is the one that everything else refers to.
    const name = matching.find((candidate) => candidate.includes('21')) ?? matching[0] ?? '';
    const isTwice = matching.length > 1 && !/^[lm]soa$/.test(wish);
    if (name === '') missing.push(names);
    if (isTwice || header.indexOf(name) !== header.lastIndexOf(name)) {
      throw new FileRefused(file, `line 1 has ${matching.join(' and ')}; expected one column for ${wish}`);
    }
    return { at: header.indexOf(name), name };
  };
  const found: Found = {
    postcode: resolve('postcode'),
    introduced: resolve('introduced'),
    terminated: resolve('terminated'),
    usage: resolve('usage'),
    easting: resolve('easting'),
    northing: resolve('northing'),
    latitude: resolve('latitude'),
    longitude: resolve('longitude'),
    country: resolve('country'),
    authority: resolve('authority'),
    ward: resolve('ward'),
    county: resolve('county'),
    region: resolve('region'),
    police: resolve('police'),
    lsoa: resolve('lsoa'),
    msoa: resolve('msoa'),
  };
  if (missing.length === 0) return found;
  throw new FileRefused(
    file,
    `line 1 lacks ${missing.length === 1 ? 'a required column' : `${missing.length} required columns`}; expected ${missing.map((names) => `(${names})`).join(' ')}. Its columns are ${header.join(', ')}`,
  );
}
