// Council tax per authority and year, as the three governments publish it, and the project's own checked figures.
// Published bands win over derived ones; where only band D is published, the others follow from it by law.

import type { InputFile, TextFile, WorkbookFile } from '../../ingest/files.ts';
import { type Sheet, tidy } from '../../ingest/read/workbook.ts';
import { FileRefused } from '../../ingest/refusal.ts';
import type { Ground, Into, Judgement, Loaded, Loader, RecognisedFile } from '../../ingest/source.ts';
import { defined } from '../../out-of-range.ts';
import { type Authorities, openAuthorities } from '../../tables/council-tax/authorities.ts';
import {
  type CouncilTaxRow,
  councilTaxPart,
  type Edition,
  editionsPart,
  encodeCouncilTax,
  openCouncilTax,
  publishers,
} from '../../tables/council-tax/council-tax.ts';
import { dayIn, formatLondonMidnight } from '../../uk/calendar.ts';
import { bandsOf, deriveBands, nationOfCode, nations } from '../../uk/council-tax-bands.ts';
import { formatTaxYear } from '../../uk/tax-year.ts';
import { parseNote } from '../bundled-note.ts';
import { readAllBands, readBandDSince1993, readLocalAuthorityLevel } from './england.ts';
import { isFacts, openFacts, readStatsWalesCsv, refuseWithoutAmounts } from './facts.ts';
import type { Figure, Table } from './figures.ts';
import { readScottishBands, readStatsWales, readWelshLevels } from './wales-scotland.ts';

const statsWalesTitle = /composition of average band D council tax/i;
const lineOf17 = /^17\. Average \(Band D/;

type SheetLayout = {
  readonly description: string;
  /** The sheets of a workbook that have this layout. */
  findSheets(file: WorkbookFile): readonly string[];
  read(table: Table, file: WorkbookFile): readonly Figure[];
};

const named =
  (...names: readonly string[]) =>
  ({ sheetNames }: WorkbookFile) =>
    sheetNames.filter((name) => names.includes(name.trim()));
const headOf = (file: WorkbookFile, sheet: string) => file.head(sheet).flat().map(tidy);

const sheetLayouts = {
  'local authority level data': {
    description: 'MHCLG local authority level data (Table 10, before Table 9), with the sheet "Data_Billing"',
    findSheets: (file) => [
      ...named('Data_Billing')(file),
      // The name of the sheet until 2022-23.
      ...named('Data')(file).filter((sheet) => headOf(file, sheet).some((text) => lineOf17.test(text))),
    ],
    read: readLocalAuthorityLevel,
  },
  'bands A to H': {
    description: 'MHCLG Tables 1 to 9, with the sheet "Table_9"',
    findSheets: named('Table_9'),
    read: readAllBands,
  },
  'band D since 1993': {
    description: 'MHCLG live table Band D, with the sheet "Area_CT"',
    findSheets: named('Area_CT', 'Area CT'),
    read: readBandDSince1993,
  },
  'Welsh levels': {
    description: 'Welsh Government, Council Tax levels, with the sheet "Table1"',
    findSheets: (file) =>
      named(
        'Table1',
        'Table_1',
        'Table 1',
      )(file).filter((sheet) => headOf(file, sheet).some((text) => /council tax/i.test(text))),
    read: (table, file) =>
      readWelshLevels(
        table,
        file.sheetNames.flatMap((sheet) => headOf(file, sheet)),
      ),
  },
  'StatsWales composition': {
    description:
      'StatsWales, Composition of average band D council tax, by billing authority (workbook or CSV)',
    findSheets: (file) =>
      file.sheetNames.filter((sheet) => headOf(file, sheet).some((text) => statsWalesTitle.test(text))),
    read: readStatsWales,
  },
  'Scottish bands': {
    description: 'Scottish Government, Council Tax by Band, with a sheet like "CT by Band, 2026-27"',
    findSheets: ({ sheetNames }) => sheetNames.filter((name) => /^CT by Band, \d{4}-\d\d$/i.test(tidy(name))),
    read: readScottishBands,
  },
} as const satisfies Record<string, SheetLayout>;

const isSheetLayout = (name: string): name is keyof typeof sheetLayouts => Object.hasOwn(sheetLayouts, name);
const sheetLayoutNames = Object.keys(sheetLayouts).filter(isSheetLayout);

export const councilTax: Loader = {
  facts: {
    publisher: 'Ministry of Housing, Communities and Local Government; Welsh Government; Scottish Government',
    publisherShort: nations.map((nation) => publishers[nation]).join(', '),
    licence: 'Open Government Licence v3.0',
    attribution: 'Contains public sector information licensed under the Open Government Licence v3.0.',
    coverage: {
      England: 'every billing authority; the edition names the years',
      Wales: 'every billing authority; the edition names the years',
      Scotland: 'every council; water and sewerage charges are not included',
      'Northern Ireland': 'none: domestic rates are levied there, not council tax',
    },
  },
  publications: [
    {
      name: 'council-tax-england',
      title: 'Council Tax levels set by local authorities in England',
      page: 'https://www.gov.uk/government/collections/council-tax-statistics',
      find: {
        kind: 'govuk',
        path: '/government/collections/council-tax-statistics',
        document: /^Council Tax levels set by local authorities in England (?<newest>20\d\d) to 20\d\d/i,
        // Which number the tables have, differs from year to year.
        files: [{ fileName: /^Tables?_1[-_](?:to_)?\d+_.*\.ods$/i }, { fileName: /^Table_\d+_.*\.ods$/i }],
      },
      hosts: ['www.gov.uk', 'assets.publishing.service.gov.uk'],
      rhythm: {
        text: 'yearly, in late March, with corrections in April and May',
        lateAfterDays: 420,
        askEveryDays: 0,
      },
      typicalBytes: 380_000,
      mostBytes: 50_000_000,
      loading: { seconds: 3, memoryBytes: 200_000_000, diskBytes: 1_000_000 },
      gives: 'bands of /council-tax/lookup and /council-tax/authority-lookup in England',
      set: 'essential',
      holds: 'everything',
      readWith: 'nothing else',
    },
    {
      name: 'council-tax-wales',
      title: 'Council Tax levels (Wales)',
      page: 'https://www.gov.wales/council-tax-levels',
      find: {
        kind: 'links',
        page: 'https://www.gov.wales/council-tax-levels',
        follow: [
          /\/council-tax-levels-april-(?<newest>20\d\d)-march-20\d\d$/,
          /\/council-tax-levels-april-20\d\d-march-20\d\d[^/]*\.(?:xlsx|ods)$/,
        ],
      },
      hosts: ['www.gov.wales'],
      rhythm: { text: 'yearly, in March', lateAfterDays: 420, askEveryDays: 0 },
      typicalBytes: 60_000,
      mostBytes: 50_000_000,
      loading: { seconds: 1, memoryBytes: 150_000_000, diskBytes: 1_000_000 },
      gives: 'bands of /council-tax/lookup and /council-tax/authority-lookup in Wales',
      set: 'essential',
      holds: 'everything',
      readWith: 'nothing else',
    },
    {
      name: 'council-tax-scotland',
      title: 'Council Tax datasets (Scotland)',
      page: 'https://www.gov.scot/publications/council-tax-datasets/',
      find: {
        kind: 'links',
        page: 'https://www.gov.scot/publications/council-tax-datasets/',
        follow: [/\/council-tax-by-band-(?<newest>20\d\d-\d\d)\/.*\.xlsx$/i],
      },
      hosts: ['www.gov.scot'],
      rhythm: { text: 'yearly, at the end of March', lateAfterDays: 420, askEveryDays: 0 },
      typicalBytes: 60_000,
      mostBytes: 50_000_000,
      loading: { seconds: 1, memoryBytes: 150_000_000, diskBytes: 1_000_000 },
      gives: 'bands of /council-tax/lookup and /council-tax/authority-lookup in Scotland',
      set: 'all',
      holds: 'everything',
      readWith: 'nothing else',
    },
  ],
  layouts: [
    ...sheetLayoutNames.map((name) => sheetLayouts[name].description),
    'CSV with the columns code, taxYear, bandA … bandI (this project)',
    'JSON with "describes": "council-tax" and "editions" (this project)',
  ],
  uses: ['authorities'],
  recognise,
  headerAlone: () => 'refused',
  judge,
  load,
};

function recognise(file: InputFile): string | undefined {
  if (file.form === 'workbook') {
    return sheetLayoutNames.find((name) => sheetLayouts[name].findSheets(file).length > 0);
  }
  if (file.form !== 'text') return undefined;
  if (parseNote(file, 'council-tax') !== undefined) return 'note on the facts';
  if (isFacts(file)) return 'facts';
  const head = file.head.toString('latin1').slice(0, 2_000);
  return statsWalesTitle.test(head) ? 'StatsWales composition' : undefined;
}

/** Throws FileRefused where a file does not tell its day. */
function judge(files: readonly RecognisedFile[], ground: Ground): Judgement {
  for (const { file, layout } of files) {
    if (file.form === 'text' && layout === 'StatsWales composition') {
      refuseWithoutAmounts(file);
      ground.dating.dayOf(file);
    }
    if (file.form !== 'workbook' || !isSheetLayout(layout)) continue;
    for (const sheet of sheetLayouts[layout].findSheets(file)) editionOf(file, sheet, ground);
  }
  return { read: files, passedOver: [] };
}

/** Figures of one file with the edition that each belongs to. */
type Evidence = { readonly figure: Figure; readonly edition: Edition };

async function load(files: readonly RecognisedFile[], into: Into): Promise<Loaded> {
  const { base, tally } = into;
  const evidence: Evidence[] = [];
  const facts = openFacts(files);
  for (const { file, layout } of files) {
    into.progress({ phase: `Reading ${file.name}`, done: 0, total: undefined });
    if (file.form === 'workbook') evidence.push(...(await readWorkbook(file, layout, into)));
    else if (file.form !== 'text') continue;
    else if (layout === 'facts') evidence.push(...(await facts.read(file, into)));
    else if (layout === 'StatsWales composition') evidence.push(...(await readText(file, into)));
  }
  const rows = new Map<string, CouncilTaxRow>();
  if (base?.findDataset(into.source.dataset) !== undefined) {
    for (const row of openCouncilTax(base).rows) rows.set(keyOf(row), row);
  }
  for (const item of evidence) merge(rows, item, into);
  const all = [...rows.values()];
  if (all.length === 0) {
    throw new FileRefused(files.map(({ file }) => file.name).join(', '), 'holds no council tax figures');
  }
  const { amounts, editions } = encodeCouncilTax(all);
  into.writePart(councilTaxPart, amounts);
  into.writePart(editionsPart, editions);
  tally.kept += evidence.length - rejectedOf(evidence, rows);
  return {
    edition: describeYears(all),
    asOf: all.reduce((newest, { edition }) => maxText(newest, edition.updatedAt.slice(0, 10)), ''),
    rows: all.length,
    ...describeCoverage(all, into),
    nextEditionExpected: `March ${Math.max(...all.map(({ taxYear }) => taxYear)) + 1}`,
  };
}

const keyOf = ({ code, taxYear }: { readonly code: string; readonly taxYear: number }) =>
  `${code} ${taxYear}`;
const maxText = (a: string, b: string) => (a > b ? a : b);
const rejectedOf = (evidence: readonly Evidence[], rows: ReadonlyMap<string, CouncilTaxRow>) =>
  evidence.filter(({ figure }) => rows.get(keyOf(figure))?.pence[3] !== figure.pence[3]).length;

/** Whole where every billing authority has the newest year that is loaded of its nation. */
function describeCoverage(
  rows: readonly CouncilTaxRow[],
  { base }: Into,
): Pick<Loaded, 'extent' | 'coverage'> {
  if (base?.findDataset('authorities') === undefined) return { extent: 'partial' };
  const authorities = openAuthorities(base).all;
  const counts = nations.map((nation) => {
    const own = rows.filter(({ code }) => nationOfCode(code) === nation);
    const newest = Math.max(...own.map(({ taxYear }) => taxYear));
    const listed = authorities.filter(({ code }) => nationOfCode(code) === nation);
    const known = new Set(own.filter(({ taxYear }) => taxYear === newest).map(({ code }) => code));
    return {
      nation,
      newest,
      known: listed.filter(({ code }) => known.has(code)).length,
      listed: listed.length,
    };
  });
  if (counts.every(({ known, listed }) => known === listed)) return { extent: 'complete' };
  const texts = counts.map(({ nation, newest, known, listed }): [string, string] => [
    nation,
    known === 0 ? 'none' : `${known} of ${listed} billing authorities for ${formatTaxYear(newest)}`,
  ]);
  return { extent: 'partial', coverage: Object.fromEntries(texts) };
}

function describeYears(rows: readonly CouncilTaxRow[]): string {
  return nations
    .flatMap((nation) => {
      const years = rows.filter(({ code }) => nationOfCode(code) === nation).map(({ taxYear }) => taxYear);
      if (years.length === 0) return [];
      return [
        `${nation} ${[...new Set(years)]
          .sort((a, b) => a - b)
          .map(formatTaxYear)
          .join(', ')}`,
      ];
    })
    .join('; ');
}

function merge(rows: Map<string, CouncilTaxRow>, { figure, edition }: Evidence, { tally }: Into): void {
  const fresh = completeRow(figure, edition);
  if (fresh === undefined) {
    tally.reject('no band D', figure.place);
    return;
  }
  const known = rows.get(keyOf(fresh));
  if (known === undefined || decide(known, fresh) === 'fresh') {
    const isChange = known?.pence.some((pence, index) => pence !== fresh.pence[index]);
    if (isChange) tally.revise('known amounts replaced by those of the file', figure.place);
    rows.set(keyOf(fresh), fresh);
  } else if (known.pence[3] !== fresh.pence[3]) {
    tally.reject('older than the loaded amounts', figure.place);
  }
}

/** Where band D agrees, the publication with all bands wins; where it differs, the later one. Of one day, the one with all
 *  bands, and of two such the one with the higher amounts: which came first must not count. */
function decide(known: CouncilTaxRow, fresh: CouncilTaxRow): 'known' | 'fresh' {
  const laterMs = Date.parse(fresh.edition.updatedAt) - Date.parse(known.edition.updatedAt);
  const isSameBandD = known.pence[3] === fresh.pence[3];
  if (known.basis !== fresh.basis && (isSameBandD || laterMs === 0))
    return fresh.basis === 'published' ? 'fresh' : 'known';
  const at = known.pence.findIndex((pence, index) => pence !== fresh.pence[index]);
  if (at < 0) return 'known';
  const higher = defined(fresh.pence[at]) - defined(known.pence[at]);
  return (laterMs || higher) > 0 ? 'fresh' : 'known';
}

function completeRow({ code, taxYear, pence }: Figure, edition: Edition): CouncilTaxRow | undefined {
  const nation = nationOfCode(code);
  const bandD = pence[3];
  if (nation === undefined || bandD === undefined) return undefined;
  const published = bandsOf(nation, taxYear).flatMap((_, index) => pence[index] ?? []);
  const isPublished = published.length === bandsOf(nation, taxYear).length;
  return isPublished
    ? { code, taxYear, pence: published, basis: 'published', edition }
    : { code, taxYear, pence: deriveBands(nation, taxYear, bandD), basis: 'derived', edition };
}

function knownAuthorities(file: string, { base }: Into): Authorities {
  if (base?.findDataset('authorities') === undefined) {
    throw new FileRefused(
      file,
      'needs the list of billing authorities, which is not loaded; load data/facts first',
    );
  }
  return openAuthorities(base);
}

async function readWorkbook(file: WorkbookFile, layout: string, into: Into): Promise<readonly Evidence[]> {
  if (!isSheetLayout(layout)) return [];
  const { findSheets, read }: SheetLayout = sheetLayouts[layout];
  const authorities = knownAuthorities(file.name, into);
  const evidence: Evidence[] = [];
  for (const name of findSheets(file)) {
    const sheet = await file.openSheet(name);
    const figures = read({ file: file.name, sheet, authorities, tally: into.tally }, file);
    const edition = editionOf(file, name, into);
    evidence.push(...figures.map((figure) => ({ figure, edition })));
  }
  return evidence;
}

async function readText(file: TextFile, into: Into): Promise<readonly Evidence[]> {
  const authorities = knownAuthorities(file.name, into);
  const sheet: Sheet = await readStatsWalesCsv(file);
  const figures = readStatsWales({ file: file.name, sheet, authorities, tally: into.tally });
  const day = formatLondonMidnight(into.dating.dayOf(file));
  const title = 'StatsWales, Composition of average band D council tax, by billing authority';
  return figures.map((figure) => ({
    figure,
    edition: { title, publishedAt: day, updatedAt: day },
  }));
}

/** The days of publication and of the last update that the workbook states; failing that, the day it is of. */
function editionOf(file: WorkbookFile, sheet: string, { dating }: Pick<Ground, 'dating'>): Edition {
  const texts = file.sheetNames.flatMap((name) => headOf(file, name));
  const find = (verb: RegExp) => {
    const found = texts.flatMap((text) => verb.exec(text)?.[0] ?? []).map(dayIn);
    return found.find((day) => dating.past(day) !== undefined);
  };
  const published = find(/publi(shed|cation)\b[^.]{0,120}?\d{1,2}(st|nd|rd|th)? [A-Z][a-z]+ \d{4}/i);
  const revised = find(/(updated|revised|last update)\b[^.]{0,60}?\d{1,2}(st|nd|rd|th)? [A-Z][a-z]+ \d{4}/i);
  const publishedAt = formatLondonMidnight(published ?? dating.dayOf(file));
  const updatedAt = revised === undefined ? publishedAt : formatLondonMidnight(revised);
  const title = headOf(file, sheet).find((text) => text.length > 15) ?? sheet;
  return {
    title: title.slice(0, 200),
    publishedAt,
    updatedAt: Date.parse(updatedAt) < Date.parse(publishedAt) ? publishedAt : updatedAt,
  };
}
