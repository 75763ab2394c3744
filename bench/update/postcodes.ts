// The ONS Postcode Directory, made up, as one zip with the national file and the lists of names. Live postcodes and where they
// lie are those of Code-Point Open where it is at hand. The lists of schools in Wales and Scotland come along, because they place
// schools by postcode.

import { spawnSync } from 'node:child_process';
import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import { randomFrom } from '../../scripts/random.ts';
import { gridToLatLong } from '../../src/uk/grid.ts';
import { findForceAreaOfDistrict } from '../../src/uk/police-districts.ts';
import { packedPerOutcode, packPostcodeText, unpackPostcode } from '../../src/uk/postcode.ts';
import { contactBook, contactRow, welshBook, welshRow } from '../../test/sources/schools/desk.ts';
import { chooseOutcodes, directoryLine, onspdHeader } from '../postcodes/country.ts';
import type { Mirror } from './mirror.ts';
import { codeOf, type Nation, readAuthorities, smallAreaAt } from './nations.ts';

const live = 1_746_000;
const northernIrish = 50_000;
/** Terminated postcodes to each live one. */
const terminatedShare = 0.54;
const [welshSchools, scottishSchools] = [1_460, 2_450];
const item = '9e5a92a3cfb14dc7ad43d6ea7a7b8c7f';
const sharing = 'https://www.arcgis.com/sharing/rest';

type Live = {
  readonly postcode: string;
  readonly nation: Nation;
  readonly district: string;
  readonly ward: string;
  readonly latitude: number;
  readonly longitude: number;
};

export function makePostcodes(mirror: Mirror, scale: number): void {
  const random = randomFrom(1086);
  const all = [...(readCodePoint() ?? makeUp(random))].filter(() => random() < scale);
  const postcodes = [...all, ...makeUpNorthernIreland(random, Math.round(northernIrish * scale))];
  const place = mirror.placeOf(`${sharing}/content/items/${item}/data`);
  writeArchive(place, postcodes, random);
  mirror.publish(place);
  const query = new URLSearchParams({
    f: 'json',
    num: '100',
    sortField: 'modified',
    sortOrder: 'desc',
    q: 'title:"ONS Postcode Directory" AND owner:ONSGeography_data',
  });
  const title = 'ONS Postcode Directory (August 2026) for the UK';
  mirror.putJson(`${sharing}/search?${query}`, {
    total: 2,
    results: [
      { id: 'a'.repeat(32), title: `${title} User Guide`, type: 'PDF' },
      { id: item, title, type: 'CSV Collection' },
    ],
  });
  makeSchools(mirror, postcodes);
}

const sharedFolders = ['../../../shared', '../../../../shared'];

/** Undefined where the file is not at hand. */
function readCodePoint(): readonly Live[] | undefined {
  const file = sharedFolders
    .map((folder) =>
      path.join(import.meta.dirname, folder, 'data/codepoint_open/codepo_gb_2025.4_all.csv.gz'),
    )
    .find((place) => existsSync(place));
  if (file === undefined) return undefined;
  const nations: Readonly<Record<string, Nation>> = { E92000001: 'E', W92000004: 'W', S92000003: 'S' };
  return gunzipSync(readFileSync(file))
    .toString('latin1')
    .split('\n')
    .flatMap((line) => {
      const cells = line.replaceAll('"', '').split(',');
      const [postcode = '', , east = '0', north = '0', country = '', , , , district = '', ward = ''] = cells;
      const nation = nations[country];
      if (nation === undefined || Number(east) === 0) return [];
      const { latitudeDegrees, longitudeDegrees } = gridToLatLong(Number(east), Number(north));
      return [{ postcode, nation, district, ward, latitude: latitudeDegrees, longitude: longitudeDegrees }];
    });
}

/** As many, anywhere. */
function* makeUp(random: () => number): Generator<Live> {
  const authorities = readAuthorities();
  const outcodes = chooseOutcodes(random);
  const density = live / outcodes.length / packedPerOutcode;
  for (const [index, outcode] of outcodes.entries()) {
    const nation = index % 100 < 85 ? 'E' : index % 100 < 90 ? 'W' : 'S';
    const own = authorities.filter(({ code }) => code.startsWith(nation));
    const district = own[index % own.length]?.code ?? '';
    const [latitude, longitude] = [50.2 + 8 * random(), -5 + 6 * random()];
    for (let unit = 0; unit < packedPerOutcode; unit += 1) {
      if (random() >= density) continue;
      yield {
        postcode: unpackPostcode(outcode * packedPerOutcode + unit),
        nation,
        district,
        ward: codeOf(`${nation}05`, 3 * index + Math.floor((3 * unit) / packedPerOutcode)),
        latitude: latitude + 0.05 * random(),
        longitude: longitude + 0.08 * random(),
      };
    }
  }
}

function* makeUpNorthernIreland(random: () => number, count: number): Generator<Live> {
  const letters = 'ABDEFGHJLNPQRSTUWXYZ';
  for (let at = 0; at < count; at += 1) {
    const [outcode, unit] = [1 + (at % 80), Math.floor(at / 80)];
    const sector = Math.floor(unit / 400);
    yield {
      postcode: `BT${outcode} ${sector}${letters[Math.floor(unit / 20) % 20]}${letters[unit % 20]}`,
      nation: 'N',
      district: codeOf('N09', 1 + (at % 11)),
      ward: codeOf('N08', 1 + (at % 460)),
      latitude: 54.1 + random(),
      longitude: -7.8 + 2 * random(),
    };
  }
}

const countries = { E: 'E92000001', W: 'W92000004', S: 'S92000003', N: 'N92000002' } as const;

function writeArchive(place: string, postcodes: readonly Live[], random: () => number): void {
  const folder = `${place}.made`;
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(path.join(folder, 'Data'), { recursive: true });
  const national = openSync(path.join(folder, 'Data/ONSPD_AUG_2026_UK.csv'), 'w');
  writeSync(national, `${onspdHeader}\n`);
  const totals = new Map<Nation, number>();
  for (const { nation } of postcodes) totals.set(nation, (totals.get(nation) ?? 0) + 1);
  const taken = new Set(postcodes.map(({ postcode }) => packPostcodeText(postcode)));
  const done = new Map<Nation, number>();
  let lines: string[] = [];
  const flush = () => {
    writeSync(national, lines.map((line) => `${line}\n`).join(''));
    lines = [];
  };
  for (const row of postcodes) {
    if (lines.length > 10_000) flush();
    const before = done.get(row.nation) ?? 0;
    done.set(row.nation, before + 1);
    const share = before / (totals.get(row.nation) ?? 1);
    lines.push(lineOf(row, row.postcode, '', share, random));
    if (random() >= terminatedShare) continue;
    const withdrawn = findFree(row.postcode, taken);
    if (withdrawn === undefined) continue;
    const year = 2010 + Math.floor(16 * random());
    lines.push(lineOf(row, withdrawn, `${year}0${1 + Math.floor(9 * random())}`, share, random));
  }
  flush();
  closeSync(national);
  writeNames(path.join(folder, 'Documents'), postcodes);
  // From within the folder, so that entries have plain names.
  const made = spawnSync('zip', ['-6', '-q', '-r', '../archive.zip', '.'], { cwd: folder, stdio: 'inherit' });
  if (made.status !== 0) throw new Error('The command "zip" is needed to make the archive.');
  renameSync(path.join(path.dirname(folder), 'archive.zip'), place);
  rmSync(folder, { recursive: true });
}

/** The lists of names that lie beside the directory. */
function writeNames(folder: string, postcodes: readonly Live[]): void {
  mkdirSync(folder);
  const districts = readAuthorities().map(({ code, name }) => `${code},${name}`);
  const wards = [...new Set(postcodes.map(({ ward }) => ward))].map((code) => `${code},Ward ${code}`);
  for (const [file, titles, rows] of [
    ['LAD names and codes UK as at 08_26.csv', 'LAD26CD,LAD26NM', districts],
    ['Ward names and codes UK as at 08_26.csv', 'WD26CD,WD26NM', wards],
  ] as const) {
    writeFileSync(path.join(folder, file), `${[titles, ...rows].join('\r\n')}\r\n`);
  }
}

/** A code of the same outcode that nobody has. */
function findFree(postcode: string, taken: Set<number | undefined>): string | undefined {
  const packed = packPostcodeText(postcode);
  if (packed === undefined) return undefined;
  const end = (Math.floor(packed / packedPerOutcode) + 1) * packedPerOutcode;
  for (let next = packed + 1; next < Math.min(end, packed + 6); next += 1) {
    if (taken.has(next)) continue;
    taken.add(next);
    return unpackPostcode(next);
  }
  return undefined;
}

function lineOf(
  { nation, district, ward, latitude, longitude }: Live,
  postcode: string,
  terminated: string,
  share: number,
  random: () => number,
): string {
  const { code, index } = smallAreaAt(nation, share);
  return directoryLine({
    postcode,
    terminated,
    country: countries[nation],
    region: nation === 'E' ? codeOf('E12', 1 + (index % 9)) : `${nation}99999999`,
    district,
    ward,
    outputArea: codeOf(`${nation}00`, 1 + index),
    lsoa: code,
    msoa: codeOf(`${nation}02`, 1 + (index >> 2)),
    policeForceArea: findForceAreaOfDistrict(district) ?? `${nation}99999999`,
    latitude,
    longitude,
    deprivation: 1 + Math.floor(random() * 32_000),
  });
}

function makeSchools(mirror: Mirror, postcodes: readonly Live[]): void {
  const spread = (nation: Nation, wanted: number) => {
    const own = postcodes.filter((row) => row.nation === nation);
    const count = Math.min(wanted, own.length);
    return Array.from(
      { length: count },
      (_, at) => own[Math.floor((at * own.length) / count)]?.postcode ?? '',
    );
  };
  const welsh = 'https://www.gov.wales/sites/default/files/publications/2026-05/address-list-of-schools.ods';
  mirror.put(
    welsh,
    welshBook(
      spread('W', welshSchools).map((postcode, at) =>
        at % 7 === 0
          ? welshRow(6_600_001 + at, `Ysgol ${at}`, 'Secondary', 'Secondary (ages 11-18)', postcode)
          : welshRow(6_600_001 + at, `Ysgol ${at}`, 'Primary', 'Infants & Juniors', postcode),
      ),
    ),
  );
  mirror.putPage('https://www.gov.wales/address-list-schools', new URL(welsh).pathname);
  const scottish =
    'https://www.gov.scot/binaries/content/documents/govscot/publications/statistics/2026/07/school-contact-details/documents/school-contact-details/school-contact-details.xlsx';
  mirror.put(
    scottish,
    contactBook(
      spread('S', scottishSchools).map((postcode, at) =>
        contactRow(
          5_100_001 + at,
          `School ${at}`,
          postcode,
          at % 7 === 0 ? { secondary: 'Yes' } : { primary: 'Yes' },
        ),
      ),
    ),
  );
  mirror.putPage('https://www.gov.scot/publications/school-contact-details/', new URL(scottish).pathname);
}
