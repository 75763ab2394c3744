// The project's own checked list of billing authorities, and of the councils that were abolished with those that
// took their place. No publisher has such a list in one file.

import { refuseOlder } from '../../ingest/dating.ts';
import type { InputFile, TextFile } from '../../ingest/files.ts';
import { hasTitles, type NamedCells, readNamedCells } from '../../ingest/read/named-rows.ts';
import { FileRefused } from '../../ingest/refusal.ts';
import type { Ground, Into, Loaded, Loader, RecognisedFile } from '../../ingest/source.ts';
import {
  type AbolishedAuthority,
  type Authority,
  abolishedPart,
  authoritiesPart,
  categories,
  encodeAbolished,
  encodeAuthorities,
} from '../../tables/council-tax/authorities.ts';
import { formatDay, parseDay } from '../../uk/calendar.ts';
import { nationOfCode } from '../../uk/council-tax-bands.ts';
import { parseNote, readAsOf } from '../bundled-note.ts';

const layouts = {
  authorities: 'CSV with the columns code, name, nation, category, websiteUrl, … (this project)',
  'abolished authorities': 'CSV with the columns code, name, abolished, successors (this project)',
  'note on the facts': 'JSON with "describes": "authorities" and "asOf" (this project)',
} as const;

type Layout = keyof typeof layouts;

const authorityColumns = {
  required: ['code', 'name', 'nation', 'category', 'websiteUrl'],
  optional: ['formerCode', 'govukOfficialName', 'mhclgEcode', 'dwellings'],
} as const;
const abolishedColumns = {
  required: ['code', 'name', 'abolished', 'successors'],
  optional: ['mhclgEcode'],
} as const;

export const authorities: Loader = {
  facts: {
    publisher: 'Office for National Statistics, Government Digital Service, MHCLG, Valuation Office Agency',
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
  headerAlone: () => 'refused',
  judge: (files, ground) => {
    refuseOlder(dayOf(files, ground), ground);
    return { read: files, passedOver: [] };
  },
  load,
};

function recognise(file: InputFile): Layout | undefined {
  if (file.form !== 'text') return undefined;
  if (parseNote(file, 'authorities') !== undefined) return 'note on the facts';
  if (hasTitles(file, ...authorityColumns.required)) return 'authorities';
  return hasTitles(file, ...abolishedColumns.required) ? 'abolished authorities' : undefined;
}

/** No row tells it. Throws FileRefused where nothing does, or what belongs together was not given. */
function dayOf(files: readonly RecognisedFile[], { dating }: Pick<Ground, 'dating'>): number {
  const names = files.map(({ file }) => file.name).join(', ');
  const ofLayout = (wanted: Layout) =>
    files.flatMap(({ file, layout }) => (layout === wanted && file.form === 'text' ? [file] : []));
  const [list] = ofLayout('authorities');
  const [note, ...others] = ofLayout('note on the facts');
  if (others.length > 0) throw new FileRefused(names, 'belong to several editions; give one');
  if (list === undefined) throw new FileRefused(names, 'goes with the list of authorities; give both');
  return note === undefined ? dating.dayOf(list) : readAsOf(note, 'authorities');
}

async function load(files: readonly RecognisedFile[], into: Into): Promise<Loaded> {
  const list = new Map<string, Authority>();
  const abolished = new Map<string, AbolishedAuthority>();
  const names = files.map(({ file }) => file.name).join(', ');
  for (const { file, layout } of files) {
    if (file.form !== 'text') continue;
    if (layout === 'authorities') await readAuthorities(file, into, list);
    else if (layout === 'abolished authorities') await readAbolished(file, into, abolished);
  }
  for (const gone of abolished.values()) {
    const unknown = gone.successors.find((code) => !list.has(code));
    if (unknown !== undefined) {
      throw new FileRefused(
        names,
        `names ${unknown} as successor of ${gone.code}, which is not in the list of authorities`,
      );
    }
  }
  const day = dayOf(files, into);
  into.writePart(authoritiesPart, encodeAuthorities([...list.values()]));
  into.writePart(abolishedPart, encodeAbolished([...abolished.values()]));
  into.tally.kept += list.size + abolished.size;
  return {
    edition: `${list.size} billing authorities, ${abolished.size} abolished councils`,
    asOf: formatDay(day),
    rows: list.size + abolished.size,
    extent: 'complete',
    nextEditionExpected: 'when councils are reorganised',
  };
}

async function readAuthorities(file: TextFile, into: Into, list: Map<string, Authority>): Promise<void> {
  const taken = new Set<string>();
  await readNamedCells(file, { width: 'exact' }, authorityColumns, into, (row) => {
    const { cell, refuse } = row;
    const code = readCode(row);
    const nation = nationOfCode(code);
    if (nation === undefined || cell('nation') !== nation) {
      throw refuse('nation', `${nation ?? 'England, Wales or Scotland'}, as the code ${code} has it`);
    }
    const category = categories.find((word) => word === cell('category'));
    if (category === undefined) throw refuse('category', `one of ${categories.join(', ')}`);
    const name = cell('name');
    if (name === '') throw refuse('name', 'a name');
    const formerCodes = cell('formerCode')
      .split(';')
      .filter((text) => text !== '');
    for (const known of [code, ...formerCodes]) {
      if (taken.has(known)) throw refuse('code', 'a code that no other row has');
      taken.add(known);
    }
    const dwellings = cell('dwellings');
    if (!/^\d{0,7}$/.test(dwellings)) throw refuse('dwellings', 'a whole number, or nothing');
    list.set(code, {
      code,
      name,
      fullName: cell('govukOfficialName') || name,
      nation,
      category,
      websiteUrl: cell('websiteUrl') || null,
      eCode: cell('mhclgEcode') || null,
      formerCodes,
      dwellings: Number(dwellings) || null,
    });
  });
}

async function readAbolished(
  file: TextFile,
  into: Into,
  list: Map<string, AbolishedAuthority>,
): Promise<void> {
  await readNamedCells(file, { width: 'exact' }, abolishedColumns, into, (row) => {
    const { cell, refuse } = row;
    const code = readCode(row);
    const abolishedDay = parseDay(cell('abolished'));
    if (abolishedDay === undefined) throw refuse('abolished', 'a date like 2023-04-01');
    const successors = cell('successors')
      .split(';')
      .filter((text) => text !== '');
    if (successors.length === 0) throw refuse('successors', 'at least one code');
    list.set(code, {
      code,
      name: cell('name'),
      eCode: cell('mhclgEcode') || null,
      abolishedDay,
      successors,
    });
  });
}

function readCode({ cell, refuse }: NamedCells<'code'>): string {
  const code = cell('code');
  if (nationOfCode(code) === undefined) throw refuse('code', 'a code like E09000033');
  return code;
}
