// Postcodes where a test needs them, as rows of the ONS Postcode Directory in its official layout.

import { readFileSync } from 'node:fs';
import path from 'node:path';
import { fixtureText } from '../sources/postcodes/desk.ts';

export const countries = {
  england: 'E92000001',
  scotland: 'S92000003',
  northernIreland: 'N92000002',
  channelIslands: 'L93000001',
  isleOfMan: 'M83000003',
} as const;

export type MadePostcode = {
  readonly postcode: string;
  readonly country: keyof typeof countries;
  /** Degrees; the islands of the Crown have none in the directory. */
  readonly point?: readonly [latitude: number, longitude: number];
  readonly ward?: string;
  readonly authority?: string;
  readonly county?: string;
  readonly policeArea?: string;
  /** YYYYMM. */
  readonly terminated?: string;
};

/** The whole file. Areas that are not given have the pseudo codes that stand for "none". */
export function madeDirectory(postcodes: readonly MadePostcode[]): string {
  const [header = '', row = ''] = fixtureText('ONSPD_NOV_2025_UK.csv').split('\n');
  const titles = header.split(',');
  const rows = postcodes.map((made) => {
    const values = valuesOf(made);
    return row
      .split(',')
      .map((field, index) => values.get(titles[index] ?? '') ?? field)
      .join();
  });
  return `${[header, ...rows].join('\n')}\n`;
}

function valuesOf({ postcode, country, point, ...areas }: MadePostcode): ReadonlyMap<string, string> {
  const [outcode = '', incode = ''] = postcode.split(' ');
  const code = countries[country];
  const none = `"${code.slice(0, 1)}99999999"`;
  return new Map([
    ['pcd7', `"${outcode.padEnd(4)}${incode}"`],
    ['pcd8', `"${outcode.padEnd(5)}${incode}"`],
    ['pcds', `"${postcode}"`],
    ['doterm', `"${areas.terminated ?? ''}"`],
    ['ctry25cd', `"${code}"`],
    ['cty25cd', areas.county ?? none],
    ['rgn25cd', none],
    ['wd25cd', areas.ward ?? none],
    ['lad25cd', areas.authority ?? none],
    ['pfa23cd', areas.policeArea ?? none],
    ['gridind', point === undefined ? '"9"' : '"1"'],
    ...(point === undefined ? (['east1m', 'north1m'] as const).map((title) => [title, '""'] as const) : []),
    ['lat', (point?.[0] ?? 99.999999).toFixed(6)],
    ['long', (point?.[1] ?? 0).toFixed(6)],
  ]);
}

/** The list of authorities, in which some are as small as a made list of their homes. */
export const authoritiesWith = (dwellings: Readonly<Record<string, number>>): string =>
  Object.entries(dwellings).reduce(
    (text, [code, count]) => text.replace(new RegExp(`^(${code},.*,)\\d+$`, 'm'), `$1${count}`),
    readFileSync(path.join(import.meta.dirname, '../../data/facts/billing-authorities.csv'), 'utf8'),
  );
