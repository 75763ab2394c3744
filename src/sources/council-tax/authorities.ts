// The project's own checked list of billing authorities, and of the councils that were abolished with those that
// took their place. No publisher has such a list in one file.

import type { InputFile, TextFile } from '../../ingest/files.ts';
import {
  type CsvRecord,
  hasColumns,
  headerOf,
  parseNote,
  readRecords,
} from '../../ingest/read/csv-records.ts';
import { FileRefused } from '../../ingest/refusal.ts';
import type { Into, Loaded, Loader, RecognisedFile } from '../../ingest/source.ts';
import {
  type AbolishedAuthority,
  type Authority,
  abolishedPart,
  authoritiesPart,
  categories,
  encodeAbolished,
  encodeAuthorities,
} from '../../tables/council-tax/authorities.ts';
import { formatDay, londonToday, parseDay } from '../../uk/calendar.ts';
import { nationOfCode } from '../../uk/council-tax-bands.ts';

const layouts = {
  authorities: 'CSV with the columns code, name, nation, category, websiteUrl, … (this project)',
  'abolished authorities': 'CSV with the columns code, name, abolished, successors (this project)',
  'note on the facts': 'JSON with "describes": "authorities" and "asOf" (this project)',
} as const;

type Layout = keyof typeof layouts;

export const authorities: Loader = {
  facts: {
    publisher: 'Office for National Statistics, Government Digital Service, MHCLG',
    publisherShort: 'ONS',
    licence: 'Open Government Licence v3.0',
    attribution: 'Contains public sector information licensed under the Open Government Licence v3.0.',
    coverage: {
      England: 'complete',
      Wales: 'complete',
      Scotland: 'complete',
      'Northern Ireland': 'none: councils there levy domestic rates, not council tax',
    },
  },
  layouts: Object.values(layouts),
  recognise,
  load,
};

function recognise(file: InputFile): Layout | undefined {
  if (file.form !== 'text') return undefined;
  if (parseNote(file, 'authorities') !== undefined) return 'note on the facts';
  const header = headerOf(file);
  if (hasColumns(header, 'code', 'name', 'nation', 'category', 'websiteUrl')) return 'authorities';
  return hasColumns(header, 'code', 'name', 'abolished', 'successors') ? 'abolished authorities' : undefined;
}

async function load(files: readonly RecognisedFile[], into: Into): Promise<Loaded> {
  const list = new Map<string, Authority>();
  const abolished = new Map<string, AbolishedAuthority>();
  let asOf: number | undefined;
  const names = files.map(({ file }) => file.name).join(', ');
  for (const { file, layout } of files) {
    if (file.form !== 'text') continue;
    if (layout === 'authorities') await readAuthorities(file, into, list);
    else if (layout === 'abolished authorities') await readAbolished(file, into, abolished);
    else asOf = readAsOf(file);
  }
  if (list.size === 0) throw new FileRefused(names, 'goes with the list of authorities; give both');
  for (const gone of abolished.values()) {
    const unknown = gone.successors.find((code) => !list.has(code));
    if (unknown !== undefined) {
      throw new FileRefused(
        names,
        `names ${unknown} as successor of ${gone.code}, which is not in the list of authorities`,
      );
    }
  }
  into.writePart(authoritiesPart, encodeAuthorities([...list.values()]));
  into.writePart(abolishedPart, encodeAbolished([...abolished.values()]));
  into.tally.kept += list.size + abolished.size;
  return {
    edition: `${list.size} billing authorities, ${abolished.size} abolished councils`,
    asOf: formatDay(asOf ?? londonToday(into.atMs)),
    rows: list.size + abolished.size,
    extent: 'complete',
    nextEditionExpected: 'when councils are reorganised',
  };
}

function readAsOf(file: TextFile): number {
  const note = parseNote(file, 'authorities') ?? {};
  const day = 'asOf' in note && typeof note.asOf === 'string' ? parseDay(note.asOf) : undefined;
  if (day === undefined) throw new FileRefused(file.name, 'has no "asOf" with a date like 2026-04-01');
  return day;
}

async function readAuthorities(file: TextFile, into: Into, list: Map<string, Authority>): Promise<void> {
  const taken = new Set<string>();
  await readRecords(file, into, (record) => {
    const code = readCode(record);
    const nation = nationOfCode(code);
    if (nation === undefined || record.get('nation') !== nation) {
      throw record.refuse('nation', `${nation ?? 'England, Wales or Scotland'}, as the code ${code} has it`);
    }
    const category = categories.find((word) => word === record.get('category'));
    if (category === undefined) throw record.refuse('category', `one of ${categories.join(', ')}`);
    const name = record.get('name');
    if (name === '') throw record.refuse('name', 'a name');
    const formerCodes = record
      .get('formerCode')
      .split(';')
      .filter((text) => text !== '');
    for (const known of [code, ...formerCodes]) {
      if (taken.has(known)) throw record.refuse('code', 'a code that stands in no other row');
      taken.add(known);
    }
    list.set(code, {
      code,
      name,
      fullName: record.get('govukOfficialName') || name,
      nation,
      category,
      websiteUrl: record.get('websiteUrl') || null,
      eCode: record.get('mhclgEcode') || null,
      formerCodes,
    });
  });
}

async function readAbolished(
  file: TextFile,
  into: Into,
  list: Map<string, AbolishedAuthority>,
): Promise<void> {
  await readRecords(file, into, (record) => {
    const code = readCode(record);
    const abolishedDay = parseDay(record.get('abolished'));
    if (abolishedDay === undefined) throw record.refuse('abolished', 'a date like 2023-04-01');
    const successors = record
      .get('successors')
      .split(';')
      .filter((text) => text !== '');
    if (successors.length === 0) throw record.refuse('successors', 'at least one code');
    list.set(code, {
      code,
      name: record.get('name'),
      eCode: record.get('mhclgEcode') || null,
      abolishedDay,
      successors,
    });
  });
}

function readCode(record: CsvRecord): string {
  const code = record.get('code');
  if (nationOfCode(code) === undefined) throw record.refuse('code', 'a code like E09000033');
  return code;
}
