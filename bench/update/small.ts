// The publications of a few megabytes at most: rates, council tax, censuses, incomes. Each with the page or answer that leads
// to it, in the official layouts.

import { readFileSync } from 'node:fs';
import path from 'node:path';
import { makeZip } from '../../scripts/make-zip.ts';
import { randomFrom } from '../../scripts/random.ts';
import { nomisTables } from '../../src/sources/census/england-wales.ts';
import { deriveBands, type Nation } from '../../src/uk/council-tax-bands.ts';
import { nisraCsv } from '../../test/sources/census/files.ts';
import { book, localAuthorityLevel, type Row } from '../../test/sources/council-tax/books.ts';
import { nomisText } from './census.ts';
import type { Mirror } from './mirror.ts';
import { codeOf, readAuthorities, smallAreaAt, smallAreas } from './nations.ts';
import { writeZip } from './police-archive.ts';

const assets = 'https://assets.publishing.service.gov.uk/media/made-up';
const content = 'https://www.gov.uk/api/content';

export type Attachment = {
  readonly title: string;
  readonly fileName: string;
  readonly content: string | Buffer;
};

/** A document of GOV.UK and its attachments, as the content API tells them. */
export function putGovuk(mirror: Mirror, document: string, attachments: readonly Attachment[]): void {
  mirror.putJson(`${content}${document}`, {
    base_path: document,
    details: {
      attachments: attachments.map(({ title, fileName, content: bytes }) => ({
        title,
        filename: fileName,
        url: `${assets}/${fileName}`,
        file_size: Buffer.byteLength(bytes),
      })),
    },
  });
  for (const { fileName, content: bytes } of attachments) mirror.put(`${assets}/${fileName}`, bytes);
}

/** Every day since 1975 with its rate, as the statistical database exports them. */
export function makeBankRate(mirror: Mirror, [address = '']: readonly string[]): void {
  const changes = readFileSync(path.join(import.meta.dirname, '../../data/facts/bank-rate.csv'), 'utf8')
    .trim()
    .split('\n')
    .slice(1)
    .map((line) => line.split(','));
  const lines: string[] = [];
  let at = 0;
  for (let day = new Date('1975-01-20'); day < new Date('2026-10-28'); day = new Date(+day + 86_400_000)) {
    const iso = day.toISOString().slice(0, 10);
    while ((changes[at + 1]?.[0] ?? '9999') <= iso) at += 1;
    if (day.getUTCDay() % 6 === 0) continue;
    const written = day.toLocaleDateString('en-GB', { day: '2-digit', month: 'short', year: 'numeric' });
    lines.push(`${written.replace('Sept', 'Sep')},${changes[at]?.[1]}`);
  }
  mirror.put(address, `DATE,IUDBEDR\r\n${lines.join('\r\n')}\r\n`);
}

const authoritiesOf = (nation: Nation) => readAuthorities().filter((each) => each.nation === nation);
/** A pound above the real figure, so that it is something new. */
const bandsOf = (nation: Nation, bandDPounds: number) =>
  deriveBands(nation, 2026, Math.round(100 * (bandDPounds + 1))).map((pence) => pence / 100);

export function makeCouncilTax(mirror: Mirror): void {
  const england = authoritiesOf('England');
  // Later than what the program brings along.
  const year = (text: string) =>
    text
      .replaceAll('2024-25', '2026-27')
      .replaceAll('2023-24', '2025-26')
      .replaceAll('25 April 2024', '25 June 2026');
  const level = localAuthorityLevel(
    england.map(({ eCode, code, name, region, kind, bandDPounds }) => [
      ...[eCode, code, name, region, kind, null],
      ...[bandDPounds - 300, 100, 201, bandDPounds + 1],
    ]),
  );
  const tables: Record<string, readonly Row[]> = {
    Cover: [
      ['Council Tax levels set by local authorities'],
      ['First published: 25 March 2026'],
      ['Updated 25 June 2026'],
    ],
    Table_9: [
      ['Table 9: Area council tax for a dwelling occupied by two adults by band, 2026 to 2027'],
      ['This worksheet contains 1 table.'],
      ['E Code', 'ONS Code', 'Authority', 'Region', 'Class', 'Notes', ...'ABCDEFGH'].map((title) =>
        title.length === 1 ? `Band ${title}` : title,
      ),
      ...england.map(({ eCode, code, name, region, kind, bandDPounds }) => [
        ...[eCode, code, name, region, kind, null],
        ...bandsOf('England', bandDPounds),
      ]),
    ],
  };
  const collection = '/government/collections/council-tax-statistics';
  const document =
    '/government/statistics/council-tax-levels-set-by-local-authorities-in-england-2026-to-2027';
  mirror.putJson(`${content}${collection}`, {
    links: {
      documents: [
        {
          title: 'Council Tax levels set by local authorities in England 2026 to 2027',
          base_path: document,
        },
      ],
    },
  });
  const levelOfYear = Object.fromEntries(
    Object.entries(level).map(([name, rows]) => [
      name,
      rows.map((row) => row.map((cell) => (typeof cell === 'string' ? year(cell) : cell))),
    ]),
  );
  putGovuk(mirror, document, [
    { title: 'Tables 1 to 9', fileName: 'Tables_1-9_2026-27.ods', content: book(tables) },
    { title: 'Table 10', fileName: 'Table_10_2026-27.ods', content: book(levelOfYear) },
  ]);
  makeWelshLevels(mirror);
  makeScottishBands(mirror);
}

function makeWelshLevels(mirror: Mirror): void {
  const index = 'https://www.gov.wales/council-tax-levels';
  const page = `${index}-april-2026-march-2027`;
  const file =
    'https://www.gov.wales/sites/default/files/statistics-and-research/2026-03/council-tax-levels-april-2026-march-2027-318.xlsx';
  mirror.putPage(index, new URL(page).pathname);
  mirror.putPage(page, new URL(file).pathname);
  const rows = authoritiesOf('Wales').map(({ name, bandDPounds }) => [name, bandDPounds + 1, 5.5, 1_700]);
  const sheets = {
    Contents: [['Council Tax levels: April 2026 to March 2027'], ['Publication date: 24 June 2026']],
    Table1: [
      ['Table 1: Average band D council tax by local authority, 2026-27 (£)'],
      ['Local authority', 'Overall average band D', 'Percentage change in overall band D', 'County council'],
      ...rows,
    ],
  };
  mirror.put(file, book(sheets, 'xlsx'));
}

function makeScottishBands(mirror: Mirror): void {
  const page = 'https://www.gov.scot/publications/council-tax-datasets/';
  const file =
    'https://www.gov.scot/binaries/content/documents/govscot/publications/statistics/2026/03/council-tax-datasets/documents/council-tax-by-band-2026-27/council-tax-by-band-2026-27/CTAS-2026.xlsx';
  mirror.putPage(page, new URL(file).pathname);
  const ratios = [240 / 360, 280 / 360, 320 / 360, 1, 473 / 360, 585 / 360, 705 / 360, 882 / 360];
  const sheets = {
    'CT by Band, 2026-27': [
      ['Council Tax by Band, 2026-27'],
      ['Excludes water and sewerage charges'],
      [null, ...[...'ABCDEFGH'].map((band) => `Band ${band}`)],
      ['Ratio to Band D', ...ratios],
      ...authoritiesOf('Scotland').map(({ name, bandDPounds }) => [
        name,
        ...ratios.map((ratio) => (bandDPounds + 1) * ratio),
      ]),
    ],
  };
  mirror.put(file, book(sheets, 'xlsx'));
}

const outputAreas = 188_880;

/** As the archives of Nomis: one file for each kind of area, of which only one is read. */
export async function makeCensus(mirror: Mirror, addresses: readonly string[]): Promise<void> {
  const random = randomFrom(1);
  const { E, W } = smallAreas;
  const lsoa = (index: number) =>
    index < E.count ? codeOf(E.prefix, E.first + index) : codeOf(W.prefix, W.first + index - E.count);
  for (const address of addresses) {
    const name = path.basename(new URL(address).pathname, '.zip');
    const table = nomisTables.find(({ id }) => name.endsWith(id.toLowerCase()));
    if (table === undefined) throw new Error(`${address} is of no table that is read`);
    const place = mirror.placeOf(address);
    await writeZip(place, [
      { name: `${name}-lsoa.csv`, text: nomisText(table, E.count + W.count, lsoa, random) },
      {
        name: `${name}-oa.csv`,
        text: nomisText(table, outputAreas, (index) => codeOf('E00', index + 1), random),
      },
    ]);
    mirror.publish(place);
  }
}

const scottishOutputAreas = 46_363;
/** Tables of the archive that nothing is read from. */
const scottishOthers = 85;

export async function makeScottishCensus(mirror: Mirror): Promise<void> {
  const random = randomFrom(2);
  const zip = 'https://www.scotlandscensus.gov.uk/media/made-up/Census-2022-Output-Area-v1.zip';
  mirror.putPage(
    'https://www.scotlandscensus.gov.uk/documents/2022-output-area-data/',
    new URL(zip).pathname,
  );
  const place = mirror.placeOf(zip);
  await writeZip(place, scottishTables(random));
  mirror.publish(place);
  const lookup = 'https://www.nrscotland.gov.uk/media/made-up/output-area-2022-to-data-zone-2022.csv';
  mirror.putPage(
    'https://www.nrscotland.gov.uk/publications/2022-census-geography-products/',
    new URL(lookup).pathname,
  );
  const lines = Array.from({ length: scottishOutputAreas }, (_, at) => {
    const { code, index } = smallAreaAt('S', at / scottishOutputAreas);
    return `${codeOf('S00', 135_307 + at)},${code},${codeOf('S02', 1 + (index >> 3))}`;
  });
  mirror.put(lookup, `OA22,DZ22,IZ22\n${lines.join('\n')}\n`);
}

/** Titles are those of the fictional town's tables; a total comes first, where the table has one. */
function* scottishTables(random: () => number): Generator<{ name: string; text: string }> {
  const tables = ['uv101b', 'uv103', 'uv406', 'uv601'];
  for (const name of tables) {
    const made = readFileSync(
      path.join(import.meta.dirname, `../../data/sandbox/scotland-${name}.csv`),
      'utf8',
    ).split(/\r?\n/);
    const first = made.findIndex((line) => line.startsWith('S00'));
    const width = made[first]?.split(',').length ?? 0;
    yield {
      name: `${name.toUpperCase().replace('B', 'b')} - made up.csv`,
      text: scottishText(made.slice(0, first), width, name, random),
    };
  }
  for (let other = 0; other < scottishOthers; other += 1) {
    const head = [`UV9${String(other).padStart(2, '0')} - Another table`, 'Census 2022', 'All people'];
    head.push(`Output Area 2022,${Array.from({ length: 12 }, (_, at) => `Answer ${at}`).join(',')}`);
    yield { name: `UV9${other} - another.csv`, text: scottishText(head, 13, 'other', random) };
  }
}

function scottishText(head: readonly string[], width: number, table: string, random: () => number): string {
  const lines = Array.from({ length: scottishOutputAreas }, (_, at) => {
    const counts = Array.from({ length: width - 2 }, () =>
      Math.floor(random() * (table === 'uv103' ? 4 : 60)),
    );
    const total = counts.reduce((sum, count) => sum + count, 0);
    return `${codeOf('S00', 135_307 + at)},${total},${counts.join(',')}`;
  });
  return `${[...head, ...lines].join('\r\n')}\r\n`;
}

/** Ages, sizes of households and activity of every data zone, one row for each category. */
export function makeNorthernIrishCensus(mirror: Mirror, addresses: readonly string[]): void {
  const random = randomFrom(3);
  const zones = Array.from({ length: smallAreas.N.count }, (_, at) => codeOf('N20', 1 + at));
  const tables = {
    Age: Array.from({ length: 86 }, (_, age) => (age === 85 ? '85 and over' : String(age))),
    'Household Size - 8 Categories': [
      '1 person',
      ...Array.from({ length: 6 }, (_, at) => `${at + 2} people`),
      '8 or more people',
    ],
    'Economic Activity - 7 Categories A': [
      'No code required',
      'Economically active (excluding full-time students): Employee',
      'Economically active (excluding full-time students): Self-employed',
      'Economically active (excluding full-time students): Unemployed',
      'Economically active and a full-time student: In employment',
      'Economically active and a full-time student: Unemployed',
      'Economically inactive: Retired',
    ],
  };
  for (const [at, [variable, labels]] of Object.entries(tables).entries()) {
    const rows = zones.flatMap((zone) =>
      labels.map((label, code) => [zone, code, label, Math.floor(random() * 30)] as const),
    );
    mirror.put(addresses[at] ?? '', nisraCsv(variable, rows));
  }
}

export function makeIncomes(mirror: Mirror): void {
  const authorities = readAuthorities();
  const random = randomFrom(4);
  const median = () => 22_000 + Math.floor(20_000 * random());
  const sheets = {
    Contents: [['Personal Incomes: tables 3.12 to 3.15']],
    Table_3_14: [
      ['Table 3.14: Income and tax by borough and district or unitary authority, tax year 2023 to 2024'],
      ['This worksheet contains one table.'],
      ['Amounts are in £.'],
      ['Taxpayers only'],
      [
        'Area Code',
        'Area Name',
        'Total income: Number of individuals',
        'Total income: Mean',
        'Total income: Median',
      ],
      ...authorities.map(({ code, name }) => [code, name, 60, 40_000, median()]),
    ],
  };
  putGovuk(
    mirror,
    '/government/statistics/income-and-tax-by-borough-and-district-or-unitary-authority-2010-to-2011',
    [{ title: 'Table 3.14', fileName: 'Table_3_14_2324.ods', content: book(sheets) }],
  );
  const page =
    'https://www.ons.gov.uk/employmentandlabourmarket/peopleinwork/earningsandworkinghours/datasets/placeofresidencebylocalauthorityashetable8';
  const file = `${new URL(page).pathname}/2025provisional/ashetable82025provisional.zip`;
  mirror.putPage(page, `/file?uri=${file}`);
  const earnings = (name: string): Record<string, readonly Row[]> => ({
    All: [
      [`${name}   Annual pay - Gross (£) - For all employee jobsa: United Kingdom, 2025`],
      [],
      [null, null, 'Number', null, 'Annual', null, 'Annual', 'Percentiles'],
      [null, null, 'of jobsb', null, 'percentage', null, 'percentage'],
      ['Description', 'Code', '(thousand)', 'Median', 'change', 'Mean', 'change', 10, 20],
      ...authorities.map(({ code, name: who }) => [who, code, 60, median(), 4.2, 40_000, 4, 9_000, 'x']),
    ],
  });
  const names = ['1a', '2a', '3a', '4a', '5a', '6a', '7a', '8a', '9a', '10a', '11a'];
  const entries = names.map((number) => [
    `PROV - Home Geography Table 8.${number}   Annual pay - Gross 2025.xlsx`,
    book(earnings(`Table 8.${number}`), 'xlsx'),
  ]);
  mirror.put(`https://www.ons.gov.uk/file?uri=${file}`, makeZip(Object.fromEntries(entries)));
}
