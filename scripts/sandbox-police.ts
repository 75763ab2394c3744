// Makes data/sandbox/police.zip, the fictional town's police archive in the official layout: every category, outcomes
// and their files, months that are missing or collapsed, rows without a point or id. The same rows at every run.

import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { firstRows } from '../src/ingest/read/csv.ts';
import { formatMonth } from '../src/uk/calendar.ts';
import { crimeCategories, transportPolice } from '../src/uk/police.ts';
import { makeZip } from './make-zip.ts';
import { pickFrom, randomFrom } from './random.ts';

const folder = new URL('../data/sandbox/', import.meta.url);
/** October 2024, in months since the year 0. */
const first = 12 * 2024 + 9;
const monthCount = 24;

const random = randomFrom(20_260_915);
const pick = <T>(items: readonly T[]): T => pickFrom(items, random);

const streets =
  'Anchor Street,Beacon Lane,Cobbler’s Row,Dunes Avenue,Ebb Close,Ffordd Tŵr,Gull Road,Harbour Walk,Jetty Lane,Kelp Terrace,Lantern Court,Mooring Way,Pier Approach,Quayside,Sandbank Drive,Tidewater Road'.split(
    ',',
  );
const [header = [], ...postcodes] = firstRows(
  readFileSync(new URL('postcodes.csv', folder)),
  Number.POSITIVE_INFINITY,
  'utf-8',
);
const [, ...lsoaRows] = firstRows(
  readFileSync(new URL('lsoa-names.csv', folder)),
  Number.POSITIVE_INFINITY,
  'utf-8',
);
const lsoaNames = new Map(lsoaRows.map((row) => [row[0] ?? '', row[1] ?? '']));

/** Three points around each postcode of a country, as the police's fixed set of points would have them. */
function pointsOf(country: string) {
  return postcodes.flatMap((row) => {
    const cell = (name: string) => row[header.indexOf(name)] ?? '';
    if (cell('gridind') === '9' || !cell('ctry25cd').startsWith(country)) return [];
    return [0, 1, 2].map(() => ({
      latitude: (Number(cell('lat')) + (random() - 0.5) / 400).toFixed(6),
      longitude: (Number(cell('long')) + (random() - 0.5) / 250).toFixed(6),
      street: `On or near ${pick(streets)}`,
      lsoa: cell('lsoa21cd'),
    }));
  });
}

const outcomes = [
  'Investigation complete; no suspect identified',
  'Unable to prosecute suspect',
  'Under investigation',
  'Awaiting court outcome',
  'Local resolution',
  'Offender given a caution',
  'Court result unavailable',
  'Action to be taken by another organisation',
];

const streetTitles =
  'Crime ID,Month,Reported by,Falls within,Longitude,Latitude,Location,LSOA code,LSOA name,Crime type,Last outcome category,Context';
const outcomeTitles =
  'Crime ID,Month,Reported by,Falls within,Longitude,Latitude,Location,LSOA code,LSOA name,Outcome type';

const files = new Map<string, string[]>();
const fileOf = (name: string, titles: string) => {
  const known = files.get(name) ?? [titles];
  files.set(name, known);
  return known;
};
const folderOf = (month: number, slug: string, kind: string) =>
  `${formatMonth(month)}/${formatMonth(month)}-${slug}-${kind}.csv`;

type Force = {
  slug: string;
  name: string;
  rows: number;
  country: string;
  without: readonly string[];
  collapsed: readonly string[];
};
const forces: readonly Force[] = [
  {
    slug: 'zedbury',
    name: 'Zedbury Constabulary',
    rows: 72,
    country: 'E',
    without: [],
    collapsed: [],
  },
  {
    slug: 'zedborth',
    name: 'Zedborth Police',
    rows: 56,
    country: 'W',
    without: ['2026-03', '2026-09'],
    collapsed: ['2025-07'],
  },
  { slug: 'btp', name: transportPolice, rows: 4, country: 'E', without: [], collapsed: [] },
];

for (const { slug, name, rows, country, without, collapsed } of forces) {
  const points = pointsOf(country).slice(0, slug === 'btp' ? 2 : undefined);
  for (let at = 0; at < monthCount; at += 1) {
    const month = first + at;
    const text = formatMonth(month);
    if (without.includes(text)) continue;
    const count = collapsed.includes(text) ? 14 : rows + Math.floor(random() * 8);
    for (let row = 0; row < count; row += 1) {
      // The first rows of a month go through the categories, so that each month has all of them.
      const { slug: category, name: type } = crimeCategories[row] ?? pick(crimeCategories);
      const isAntiSocial = category === 'anti-social-behaviour';
      const hasId = !isAntiSocial && slug !== 'btp';
      const id = hasId ? createHash('sha256').update(`sandbox ${slug} ${text} ${row}`).digest('hex') : '';
      const point = random() < 0.03 && row >= crimeCategories.length ? undefined : pick(points);
      const where =
        point === undefined
          ? ',,No Location,,'
          : `${point.longitude},${point.latitude},${slug === 'btp' ? 'Zedbury (Station)' : point.street},${point.lsoa},${lsoaNames.get(point.lsoa) ?? ''}`;
      const outcome = isAntiSocial || (slug === 'btp' && random() < 0.5) ? '' : pick(outcomes);
      fileOf(folderOf(month, slug, 'street'), streetTitles).push(
        `${id},${text},${name},${name},${where},${type},${outcome},`,
      );
      const later = month + Math.floor(random() * 4);
      if (!hasId || later >= first + monthCount || outcome === 'Under investigation') continue;
      const outcomeFile = fileOf(folderOf(later, slug, 'outcomes'), outcomeTitles);
      outcomeFile.push(`${id},${formatMonth(later)},${name},${name},${where},${outcome}`);
    }
  }
}

const ordered = Object.fromEntries(
  [...files].sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, lines]) => [name, `${lines.join('\n')}\n`]),
);
writeFileSync(new URL('police.zip', folder), makeZip(ordered));
