// A made-up country of the size of the real one, always the same: about 2,900 outward codes with postcodes in the
// layout of Code-Point Open, or, with terminated ones too, of the ONS Postcode Directory.

import { closeSync, openSync, writeSync } from 'node:fs';
import { randomFrom } from '../../scripts/random.ts';
import { packedLimit, packedPerOutcode, unpackPostcode } from '../../src/uk/postcode.ts';

export type Layout = 'code-point' | 'onspd';

const outcodesWanted = 2_900;
const live = { 'code-point': 1_745_849, onspd: 2_700_000 };

export const onspdHeader =
  'pcd7,pcd8,pcds,dointr,doterm,cty25cd,ced25cd,lad25cd,wd25cd,parncp25cd,usrtypind,east1m,north1m,gridind,hlth19cd,nhser24cd,ctry25cd,rgn25cd,ssr95cd,pcon24cd,eer20cd,educ23cd,ttwa15cd,pco19cd,itl25cd,wdstl05cd,oa01cd,wdcas03cd,npark16cd,lsoa01cd,msoa01cd,ruc01ind,oac01ind,oa11cd,lsoa11cd,msoa11cd,wz11cd,sicbl24cd,bua24cd,ruc11ind,oac11ind,lat,long,lep21cd1,lep21cd2,pfa23cd,imd20ind,cal24cd,icb23cd,oa21cd,lsoa21cd,msoa21cd,ruc21ind';

const code = (prefix: string, number: number) => `${prefix}${String(number).padStart(6, '0')}`;

/** Writes the file and returns how many postcodes it has. */
export function writeCountry(file: string, layout: Layout): number {
  const random = randomFrom(1086);
  const outcodes = chooseOutcodes(random);
  const perOutcode = live[layout] / outcodes.length;
  const descriptor = openSync(file, 'w');
  let count = 0;
  if (layout === 'onspd') writeSync(descriptor, `${onspdHeader}\n`);
  for (const [index, outcode] of outcodes.entries()) {
    const lines: string[] = [];
    // Between nothing and twice the mean, so that pages are full and thin ones.
    const density = Math.min(1, (2 * random() * perOutcode) / packedPerOutcode);
    for (let unit = 0; unit < packedPerOutcode; unit += 1) {
      if (random() >= density) continue;
      const postcode = unpackPostcode(outcode * packedPerOutcode + unit);
      lines.push(
        layout === 'onspd'
          ? onspdLine(postcode, index, unit, random)
          : codePointLine(postcode, index, unit, random),
      );
    }
    count += lines.length;
    if (lines.length > 0) writeSync(descriptor, `${lines.join('\n')}\n`);
  }
  closeSync(descriptor);
  return count;
}

export function chooseOutcodes(random: () => number): readonly number[] {
  const chosen = new Set<number>();
  while (chosen.size < outcodesWanted) {
    const outcode = Math.floor(random() * (packedLimit / packedPerOutcode));
    if (isOutcode(outcode)) chosen.add(outcode);
  }
  return [...chosen].sort((a, b) => a - b);
}

function isOutcode(outcode: number): boolean {
  try {
    return !unpackPostcode(outcode * packedPerOutcode).startsWith('GIR');
  } catch {
    return false;
  }
}

/** Each outward code lies in one district, and has a handful of wards. */
function codePointLine(postcode: string, index: number, unit: number, random: () => number): string {
  if (random() < 0.0005) return `"${postcode}",90,0,0,"E92000001","","","","",""`;
  const ward = 3 * index + Math.floor((3 * unit) / packedPerOutcode);
  const [east, north] = [100_000 + Math.floor(random() * 500_000), 50_000 + Math.floor(random() * 900_000)];
  return `"${postcode}",10,${east},${north},"E92000001","E19000001","E18000001","","${code('E06', index % 350)}","${code('E05', ward)}"`;
}

function onspdLine(postcode: string, index: number, unit: number, random: () => number): string {
  const part = Math.floor((12 * unit) / packedPerOutcode);
  const lsoa = 12 * index + part;
  const terminated =
    random() < 0.33 ? `20${String(10 + Math.floor(random() * 15))}0${1 + Math.floor(random() * 9)}` : '';
  return directoryLine({
    postcode,
    terminated,
    country: 'E92000001',
    region: code('E12', index % 9),
    district: code('E06', index % 350),
    ward: code('E05', 3 * index + (part >> 2)),
    outputArea: code('E00', lsoa),
    lsoa: code('E01', lsoa),
    msoa: code('E02', lsoa >> 2),
    policeForceArea: code('E23', index % 43),
    latitude: 50 + random() * 8,
    longitude: -5 + random() * 6,
    deprivation: 1 + Math.floor(random() * 32_000),
  });
}

type DirectoryRow = {
  readonly postcode: string;
  /** YYYYMM, or empty. */
  readonly terminated: string;
  readonly country: string;
  readonly region: string;
  readonly district: string;
  readonly ward: string;
  readonly outputArea: string;
  readonly lsoa: string;
  readonly msoa: string;
  readonly policeForceArea: string;
  readonly latitude: number;
  readonly longitude: number;
  readonly deprivation: number;
};

/** A line of the ONS Postcode Directory, as wide as a real one. */
export function directoryLine(row: DirectoryRow): string {
  const { postcode, terminated, country, region, district, ward, outputArea, lsoa, msoa } = row;
  const [outward = '', inward = ''] = postcode.split(' ');
  const none = 'E99999999';
  const text = (value: string) => `"${value}"`;
  const nones = (count: number) => Array.from({ length: count }, () => text(none));
  return [
    ...[outward.padEnd(4) + inward, outward.padEnd(5) + inward, postcode, '198001', terminated].map(text),
    ...[none, none, district, ward, none, '0'].map(text),
    ...['512345', '0212345', '1', none, none, country, region, '0'].map(text),
    ...nones(6),
    text('99ZZ00'),
    text(none),
    text('99ZZ00'),
    ...nones(3),
    ...['5', '9Z9', outputArea, lsoa, msoa, none, none, none, 'C1', '9Z9'].map(text),
    row.latitude.toFixed(6),
    row.longitude.toFixed(6),
    ...[none, '', row.policeForceArea].map(text),
    String(row.deprivation),
    ...[none, none, outputArea, lsoa, msoa, 'UN1'].map(text),
  ].join();
}
