// A small valid file of every publication, where its real publisher keeps it: behind the indexes, redirects and names that
// each of them has, with the validators that each of them sends.

import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { makeZip } from '../../scripts/make-zip.ts';
import { firstRows } from '../../src/ingest/read/csv.ts';
import { ashe } from '../sources/census/ashe.ts';
import { activity, ages, sizes } from '../sources/census/nisra-tables.ts';
import {
  allBands,
  book,
  localAuthorityLevel,
  type Row,
  scottishBands,
  welshLevels,
} from '../sources/council-tax/books.ts';
import { fixtureText } from '../sources/postcodes/desk.ts';
import { contactBook, contactRow, welshBook, welshRow } from '../sources/schools/desk.ts';
import type { Kept, Publishers } from './publishers.ts';

const sandboxFile = (name: string) =>
  readFileSync(path.join(import.meta.dirname, '../../data/sandbox', name));

type Tells = Kept['tells'];

const file = (content: Uint8Array | string, tells: Tells, more: Partial<Kept> = {}): Kept => ({
  content,
  tells,
  is: 'file',
  ...more,
});
const page = (html: string): Kept => ({
  content: `<!DOCTYPE html>\n<html lang="en"><body>${html}</body></html>\n`,
  tells: 'nothing',
  is: 'index',
  type: 'text/html',
});
const json = (value: unknown): Kept => ({
  content: JSON.stringify(value),
  tells: 'nothing',
  is: 'index',
  type: 'application/json',
});

const content = 'https://www.gov.uk/api/content';
const assets = 'https://assets.publishing.service.gov.uk/media';

/** The content API: what is attached to a page, others beside it. */
export function putAttachments(
  publishers: Publishers,
  at: string,
  attachments: readonly {
    readonly title: string;
    readonly filename: string;
    readonly content?: Uint8Array | string;
  }[],
): void {
  const listed = attachments.map(({ title, filename, content = '' }) => ({
    attachment_type: 'file',
    id: filename,
    title,
    url: `${assets}/${createHash('md5').update(filename).digest('hex').slice(0, 24)}/${filename}`,
    content_type: 'application/octet-stream',
    file_size: Buffer.byteLength(content),
    filename,
    body: content,
  }));
  publishers.put(
    `${content}${at}`,
    json({
      base_path: at,
      public_updated_at: '2026-03-19T09:30:00.000+00:00',
      details: { attachments: listed.map(({ body, ...entry }) => entry) },
    }),
  );
  for (const { url, body } of listed) publishers.put(url, file(body, 'etag and day'));
}

const searchOf = (q: string) =>
  `https://www.arcgis.com/sharing/rest/search?${new URLSearchParams({ f: 'json', num: '100', sortField: 'modified', sortOrder: 'desc', q })}`;

type Directory = { readonly id: string; readonly month: string; readonly zip: Uint8Array };

/** ArcGIS: a user guide that is newer, older months, and redirects within the host. */
export function putDirectory(publishers: Publishers, product: string, editions: readonly Directory[]): void {
  const items = editions.map(({ id, month, zip }) => ({
    id,
    title: `${product} (${month}) for the UK`,
    type: 'CSV Collection',
    size: zip.byteLength,
    modified: 1_787_581_239_000,
  }));
  const guide = {
    id: 'f'.repeat(32),
    title: `${product} User Guide (November 2026)`,
    type: 'PDF',
    modified: 1_787_999_999_000,
  };
  publishers.put(
    searchOf(`title:"${product}" AND owner:ONSGeography_data`),
    json({ total: items.length + 1, results: [guide, ...items] }),
  );
  for (const { id, zip } of editions) {
    const data = `https://www.arcgis.com/itemdata/${id}/data.zip`;
    publishers.put(`https://www.arcgis.com/sharing/rest/content/items/${id}/data`, {
      movedTo: data,
      status: 302,
    });
    publishers.put(data, file(zip, 'etag and day'));
  }
}

const isTerminated = (line: string) => /^(?:"[^"]*",){4}"\d/.test(line);

/** The directory of the sandbox, with so many of its living postcodes and one of Northern Ireland. */
export function onspdZip(name: string, rows = Number.POSITIVE_INFINITY): Buffer {
  const lines = sandboxFile('postcodes.csv').toString('utf8').trimEnd().split('\n');
  const [first = ''] = lines.slice(1);
  const northern = first
    .replaceAll('ZZ1 1AA', 'BT1 1AA')
    .replaceAll('ZZ1  1AA', 'BT1 1AA')
    .replaceAll('E92000001', 'N92000002')
    .replaceAll('E06000999', 'N09000999');
  return makeZip({
    [`Data/${name}_UK.csv`]: `${[...lines.filter((line, at) => at <= rows || isTerminated(line)), northern].join('\n')}\n`,
    'User Guide/ONSPD User Guide.pdf': '%PDF-1.7',
  });
}

export const policeIndex = 'https://data.police.uk/data/archive/';

/** The archive's page: the MD5 stands behind each link; files lie in another host. */
export function putPolice(publishers: Publishers, months: readonly string[], zip: Uint8Array): void {
  const md5 = createHash('md5').update(zip).digest('hex');
  const rows = months.map(
    (month) => `<li><a href="/data/archive/${month}.zip">${month}.zip</a> (1.6 GB) <span>${md5}</span></li>`,
  );
  publishers.put(
    policeIndex,
    page(`<ul><li><a href="/data/archive/latest.zip">latest</a></li>${rows.join('\n')}</ul>`),
  );
  for (const month of months) {
    const stored = `https://policeuk-data.s3.amazonaws.com/archive/${month}.zip`;
    publishers.put(`${policeIndex}${month}.zip`, { movedTo: stored, status: 302 });
    publishers.put(stored, file(zip, 'etag and day'));
  }
}

export const ofstedPath =
  '/government/statistical-data-sets/monthly-management-information-ofsteds-school-inspections-outcomes';

export const ofstedFile = (month: string, csv: Uint8Array | string = sandboxFile('ofsted.csv')) => ({
  title: `Management information - state-funded schools - latest inspections as at ${month}`,
  filename: `Management_information_-_state-funded_schools_-_latest_inspections_as_at_${month.replaceAll(' ', '_')}.csv`,
  content: csv,
});

export function putOfsted(publishers: Publishers, newest: ReturnType<typeof ofstedFile>): void {
  putAttachments(publishers, ofstedPath, [
    { title: 'Methodology', filename: 'methodology.pdf' },
    newest,
    { title: 'State-funded schools: five-year inspection data', filename: 'five_years.csv' },
  ]);
}

export const bankRateAddress =
  'https://www.bankofengland.co.uk/boeapps/database/_iadb-fromshowcolumns.asp?csv.x=yes&Datefrom=01/Jan/1975&Dateto=now&SeriesCodes=IUDBEDR&CSVF=TN&UsingCodes=Y&VPD=Y&VFD=N';
export const bikePointAddress = 'https://api.tfl.gov.uk/BikePoint';
export const trafficAddress =
  'https://storage.googleapis.com/dft-statistics/road-traffic/downloads/data-gov-uk/dft_traffic_counts_aadf.zip';
export const completeAddress = 'https://price-paid-data.publicdata.landregistry.gov.uk/pp-complete.csv';
export const changesAddress =
  'https://price-paid-data.publicdata.landregistry.gov.uk/pp-monthly-update-new-version.csv';
const nomis = 'https://www.nomisweb.co.uk/output/census/2021';
const nisra = 'https://build.nisra.gov.uk/en/custom/table.csv';
const gias = 'https://ea-edubase-api-prod.azurewebsites.net/edubase/downloads/public';

export const bankRateCsv = (...lines: readonly string[]): string =>
  `DATE,IUDBEDR\n01 Aug 2025,4.25\n06 Aug 2025,4.2500\n07 Aug 2025,4\n17 Dec 2025,4\n18 Dec 2025,3.75\n${lines.map((line) => `${line}\n`).join('')}`;

/** Everything that any publisher has. */
export function putEverything(publishers: Publishers): void {
  const { put } = publishers;
  put(bankRateAddress, file(bankRateCsv('05 Nov 2026,3.75'), 'nothing', { type: 'text/csv' }));
  putPostcodes(publishers);
  putCouncilTax(publishers);
  put(completeAddress, file(sandboxFile('price-paid.csv'), 'day'));
  put(changesAddress, file(sandboxFile('price-paid.csv').subarray(0, 0), 'day'));
  putPolice(publishers, ['2026-08', '2026-09', '2025-12'], sandboxFile('police.zip'));
  put(`${gias}/edubasealldata20261113.csv`, file(sandboxFile('gias.csv'), 'nothing'));
  putOfsted(publishers, ofstedFile('31 October 2026'));
  putSchoolsOfWalesAndScotland(publishers);
  putCensus(publishers);
  putIncomes(publishers);
  const map = 'https://download.geofabrik.de/europe/united-kingdom';
  put(`${map}-latest.osm.pbf`, { movedTo: `${map}-261115.osm.pbf`, status: 302 });
  put(`${map}-261115.osm.pbf`, file(sandboxFile('map.osm.pbf'), 'etag and day'));
  put(
    'https://naptan.api.dft.gov.uk/v1/access-nodes?dataFormat=csv',
    file(sandboxFile('naptan.csv'), 'nothing'),
  );
  put(
    'https://data.bus-data.dft.gov.uk/timetable/download/gtfs-file/all/',
    file(sandboxFile('bus-timetables.zip'), 'nothing', { ranges: 'ignored' }),
  );
  put(bikePointAddress, file(sandboxFile('bikepoint.json'), 'nothing', { type: 'application/json' }));
  put(
    trafficAddress,
    file(makeZip({ 'dft_traffic_counts_aadf.csv': sandboxFile('traffic.csv') }), 'etag and day'),
  );
}

export const onspdId = '9e5a92a3cfb14dc7ad43d6ea7a7b8c7f';
export const olderOnspdId = '6fff67d204fd4f339591ed667a6e3642';

function putPostcodes(publishers: Publishers): void {
  putDirectory(publishers, 'ONS Postcode Directory', [
    { id: olderOnspdId, month: 'May 2026', zip: onspdZip('ONSPD_MAY_2026') },
    { id: onspdId, month: 'August 2026', zip: onspdZip('ONSPD_AUG_2026') },
  ]);
  putDirectory(publishers, 'National Statistics Postcode Lookup', [
    {
      id: '9d8364ebae8b4439aa66cda440e54fc8',
      month: 'August 2026',
      zip: makeZip({ 'Data/NSPL_AUG_2026_UK.csv': fixtureText('NSPL_AUG_2026_UK.csv') }),
    },
  ]);
  const products = 'https://api.os.uk/downloads/v1/products/CodePointOpen';
  const zip = makeZip({
    'Data/CSV/zz.csv': fixtureText('code-point-2025.csv'),
    'Doc/metadata.txt': fixtureText('code-point-metadata.txt'),
  });
  const url = `${products}/downloads?area=GB&format=CSV&redirect`;
  publishers.put(
    products,
    json({ id: 'CodePointOpen', version: '2026-08', downloadsUrl: `${products}/downloads` }),
  );
  const offer = { format: 'CSV', area: 'GB', fileName: 'codepo_gb.zip', size: zip.byteLength, url };
  const md5 = createHash('md5').update(zip).digest('hex');
  publishers.put(
    `${products}/downloads`,
    json([
      { ...offer, format: 'GeoPackage', url: 'https://api.os.uk/other' },
      { ...offer, md5 },
    ]),
  );
  const blob =
    'https://omseprd1stdstordownload.blob.core.windows.net/downloads/CodePointOpen/codepo_gb.zip?sig=x';
  publishers.put(url, { movedTo: blob, status: 307 });
  publishers.put(blob, file(zip, 'etag and day'));
}

type Authority = { readonly code: string; readonly name: string; readonly ecode: string };

/** Those that there are: a table of council tax that lacks one is refused. */
function authoritiesOf(nation: string): readonly Authority[] {
  const list = readFileSync(path.join(import.meta.dirname, '../../data/facts/billing-authorities.csv'));
  return firstRows(list, 1_000, 'cp1252').flatMap(
    ([code = '', name = '', of, , , , , ecode = '']): readonly Authority[] =>
      of === nation ? [{ code, name, ecode }] : [],
  );
}

const bandsOf = (bandD: number) => [6, 7, 8, 9, 11, 13, 15, 18].map((ninths) => (bandD * ninths) / 9);

function putCouncilTax(publishers: Publishers): void {
  const release =
    '/government/statistics/council-tax-levels-set-by-local-authorities-in-england-2024-to-2025';
  const titleOf = (years: string) => `Council Tax levels set by local authorities in England ${years}`;
  const england = authoritiesOf('England').map(
    ({ code, name, ecode }): Row => [ecode, code, name, 'SE', 'SD', null],
  );
  const levels = england.map((row): Row => [...row, 344.07, 1633.41, 239.91, 2217.39]);
  const bands = england.map((row): Row => [...row, ...bandsOf(2217.39)]);
  publishers.put(
    `${content}/government/collections/council-tax-statistics`,
    json({
      links: {
        documents: [
          { title: titleOf('2023 to 2024'), base_path: '/government/statistics/older' },
          { title: `${titleOf('2024 to 2025')} (revised)`, base_path: release },
          { title: 'Council Taxbase 2026', base_path: '/government/statistics/base' },
        ],
      },
    }),
  );
  putAttachments(publishers, release, [
    { title: 'Statistical release', filename: 'Council_Tax_levels_2024-25.pdf' },
    { title: 'Tables 1 to 9', filename: 'Tables_1-9_2024-25.ods', content: book(allBands(bands)) },
    { title: 'Table 10', filename: 'Table_10_2024-25.ods', content: book(localAuthorityLevel(levels)) },
  ]);
  const welsh = authoritiesOf('Wales').map(({ name }): Row => [name, 2100.5, 5.5, 1700]);
  const wales = 'https://www.gov.wales/council-tax-levels';
  const year = `${wales}-april-2026-march-2027`;
  const older = `${wales}-april-2025-march-2026`;
  publishers.put(
    wales,
    page(`<a href="${older}">2025</a><a href="/council-tax-levels-april-2026-march-2027">2026</a>`),
  );
  const workbook = '/sites/default/files/2026-03/council-tax-levels-april-2026-march-2027-123.xlsx';
  publishers.put(year, page(`<a href="/help">Help</a><a href="${workbook}">Tables</a>`));
  publishers.put(`https://www.gov.wales${workbook}`, file(book(welshLevels(welsh), 'xlsx'), 'day'));
  const scottish = authoritiesOf('Scotland').map(({ name }): Row => [name, ...bandsOf(1710.82)]);
  const scotland = 'https://www.gov.scot/publications/council-tax-datasets/';
  const band = '/binaries/content/documents/council-tax-by-band-2026-27/council-tax-by-band.xlsx';
  publishers.put(scotland, page(`<a class="x" href='${band}'>Council Tax by Band - 2026-27</a>`));
  publishers.put(`https://www.gov.scot${band}`, file(book(scottishBands(scottish), 'xlsx'), 'nothing'));
}

function putSchoolsOfWalesAndScotland(publishers: Publishers): void {
  const welsh = '/sites/default/files/2026-04/address-list-of-schools-in-wales.ods';
  publishers.put('https://www.gov.wales/address-list-schools', page(`<a href="${welsh}">Address list</a>`));
  const rows = [
    welshRow(9992001, 'Ysgol Gynradd Zedborth', 'Primary', 'Infants & Juniors', 'ZZ3 1AA'),
    welshRow(9994001, 'Zedborth High School', 'Secondary', 'Secondary (ages 11-19)', 'ZZ3 1AB'),
  ];
  publishers.put(`https://www.gov.wales${welsh}`, file(welshBook(rows), 'day'));
  const contacts =
    '/binaries/content/documents/govscot/publications/school-contact-details/school-contact-details.xlsx';
  publishers.put(
    'https://www.gov.scot/publications/school-contact-details/',
    page(
      `<a href="${contacts}?forceDownload=true">a copy</a> <a href="${contacts}">School contact details</a>`,
    ),
  );
  const scottish = contactBook([
    contactRow(5_100_001, 'Pier Primary School', 'ZZ4 1AA', { primary: 'Yes' }),
    contactRow(5_100_002, 'Zedhaven Academy', 'ZZ4 1AA', { secondary: 'Yes' }),
  ]);
  publishers.put(`https://www.gov.scot${contacts}`, file(scottish, 'nothing'));
}

function putCensus(publishers: Publishers): void {
  for (const table of ['ts001', 'ts006', 'ts007a', 'ts017', 'ts041', 'ts066']) {
    const name = `census2021-${table}`;
    const zip = makeZip({ [`${name}-lsoa.csv`]: sandboxFile(`${name}-lsoa.csv`) });
    publishers.put(`${nomis}/${name}.zip`, file(zip, 'nothing'));
  }
  const scotland = 'https://www.scotlandscensus.gov.uk';
  const zipped = '/media/f1kdvo3s/Census-2022-Output-Area-v1.zip';
  const tables = ['uv101b', 'uv103', 'uv406', 'uv601'];
  publishers.put(`${scotland}/documents/2022-output-area-data/`, page(`<a href="${zipped}">All tables</a>`));
  publishers.put(
    `${scotland}${zipped}`,
    file(
      makeZip(Object.fromEntries(tables.map((name) => [`${name}.csv`, sandboxFile(`scotland-${name}.csv`)]))),
      'nothing',
    ),
  );
  const lookup = '/media/abc/output-area-to-data-zone-2022-lookup.csv';
  const nrs = 'https://www.nrscotland.gov.uk';
  publishers.put(
    `${nrs}/publications/2022-census-geography-products/`,
    page(`<a href="${lookup}">Look-up</a>`),
  );
  publishers.put(`${nrs}${lookup}`, file(sandboxFile('scotland-oa22-dz22-iz22.csv'), 'nothing'));
  publishers.put(`${nisra}?d=PEOPLE&v=DZ21&v=AGE_SYOA_85`, file(ages, 'nothing'));
  publishers.put(`${nisra}?d=HOUSEHOLD&v=DZ21&v=HH_SIZE`, file(sizes, 'nothing'));
  publishers.put(`${nisra}?d=PEOPLE&v=DZ21&v=ECONOMIC_ACTIVITY_AGG12`, file(activity, 'nothing'));
}

function putIncomes(publishers: Publishers): void {
  putAttachments(
    publishers,
    '/government/statistics/income-and-tax-by-borough-and-district-or-unitary-authority-2010-to-2011',
    [{ title: 'Table 3.14', filename: 'Table_3.14_2324.ods', content: sandboxFile('personal-incomes.ods') }],
  );
  const dataset =
    '/employmentandlabourmarket/peopleinwork/earningsandworkinghours/datasets/placeofresidencebylocalauthorityashetable8';
  const zipOf = (year: string) => `/file?uri=${dataset}/${year}/ashetable8${year}.zip`;
  publishers.put(
    `https://www.ons.gov.uk${dataset}`,
    page(`<a href="${zipOf('2024revised')}">2024</a><a href="${zipOf('2025provisional')}">2025</a>`),
  );
  const zip = makeZip({
    'PROV - Home Geography Table 8.7a   Annual pay - Gross 2025.xlsx': book(ashe(2025, 27_150), 'xlsx'),
  });
  publishers.put(`https://www.ons.gov.uk${zipOf('2025provisional')}`, file(zip, 'etag'));
}
