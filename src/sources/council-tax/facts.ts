// Council tax in text files: the project's own checked figures with the note on where each comes from, and the CSV of
// StatsWales.

import type { InputFile, TextFile } from '../../ingest/files.ts';
import { headerAlone } from '../../ingest/header-alone.ts';
import { firstRows, readCsv } from '../../ingest/read/csv.ts';
import { hasTitles, type NamedCells, readNamedCells } from '../../ingest/read/named-rows.ts';
import type { Sheet } from '../../ingest/read/workbook.ts';
import { FileRefused } from '../../ingest/refusal.ts';
import type { Into, RecognisedFile } from '../../ingest/source.ts';
import type { Edition } from '../../tables/council-tax/council-tax.ts';
import { formatLondonMidnight, parseDay } from '../../uk/calendar.ts';
import { bands, bandsOf, type Nation, nationOfCode, nations } from '../../uk/council-tax-bands.ts';
import { formatTaxYear, parseTaxYear } from '../../uk/tax-year.ts';
import { parseNote } from '../bundled-note.ts';
import type { Figure } from './figures.ts';

type BandColumn = `band${(typeof bands)[number]}`;
const columnOf = (band: (typeof bands)[number]): BandColumn => `band${band}`;

type Column = 'code' | 'taxYear' | BandColumn;
const columns: readonly [Column, ...Column[]] = ['code', 'taxYear', ...bands.map(columnOf)];

export const isFacts = (file: InputFile): boolean => hasTitles(file, ...columns);

type Sourced = { readonly figure: Figure; readonly edition: Edition };

type Facts = { read(file: TextFile, into: Into): Promise<readonly Sourced[]> };

/** Finds the notes among the files; each row must have an edition in one of them. */
export function openFacts(files: readonly RecognisedFile[]): Facts {
  const editions = new Map<string, Edition>();
  for (const { file, layout } of files) {
    if (layout === 'note on the facts' && file.form === 'text') readEditions(file, editions);
  }
  return {
    read: async (file, into) => {
      const sourced: Sourced[] = [];
      const seen = new Set<string>();
      await readNamedCells(file, { width: 'exact' }, { required: columns }, into, (row) => {
        const { figure, nation } = readFigure(row);
        const key = keyOf(nation, figure.taxYear);
        const edition = editions.get(key);
        if (edition === undefined) {
          throw row.refuse(
            'taxYear',
            `a year for which the note (council-tax.json) has an edition of ${nation}`,
          );
        }
        const entry = `${figure.code} ${figure.taxYear}`;
        if (seen.has(entry)) throw row.refuse('code', 'an authority once per tax year');
        seen.add(entry);
        sourced.push({ figure, edition });
      });
      return sourced;
    },
  };
}

const keyOf = (nation: Nation, taxYear: number) => `${nation} ${taxYear}`;

function readFigure({ cell, refuse, place }: NamedCells<Column>): {
  readonly figure: Figure;
  readonly nation: Nation;
} {
  const code = cell('code');
  const nation = nationOfCode(code);
  if (nation === undefined) throw refuse('code', 'a code like E09000033');
  const taxYear = parseTaxYear(cell('taxYear'));
  if (taxYear === undefined) throw refuse('taxYear', 'a tax year like 2026-27');
  const pence = bands.map((band) => {
    const column = columnOf(band);
    const text = cell(column);
    if (text === '') return undefined;
    if (!/^\d{2,5}\.\d\d$/.test(text)) throw refuse(column, 'pounds and pence like 2217.39');
    return Number(text.replace('.', ''));
  });
  if (pence[3] === undefined) throw refuse(columnOf('D'), 'an amount; band D is always published');
  const published = pence.filter((amount) => amount !== undefined).length;
  if (published !== 1 && published !== bandsOf(nation, taxYear).length) {
    throw refuse(columnOf('A'), 'band D alone, or every band');
  }
  return { figure: { code, taxYear, pence, place }, nation };
}

function readEditions(file: TextFile, into: Map<string, Edition>): void {
  const { editions } = parseNote(file, 'council-tax') ?? {};
  const list: readonly unknown[] = Array.isArray(editions) ? editions : [];
  for (const [index, entry] of list.entries()) {
    const text = (name: string) => {
      const value: unknown =
        typeof entry === 'object' && entry !== null ? Reflect.get(entry, name) : undefined;
      return typeof value === 'string' ? value : '';
    };
    const nation = nations.find((word) => word === text('nation'));
    const taxYear = parseTaxYear(text('taxYear'));
    const published = parseDay(text('published'));
    const updated = parseDay(text('updated'));
    if (nation === undefined || taxYear === undefined || published === undefined || updated === undefined) {
      throw new FileRefused(
        file.name,
        `editions[${index}] lacks one of nation (England), taxYear (2026-27), published and updated (2026-03-25)`,
      );
    }
    into.set(keyOf(nation, taxYear), {
      title: text('title') || `Council tax ${nation} ${formatTaxYear(taxYear)}`,
      publishedAt: formatLondonMidnight(published),
      updatedAt: formatLondonMidnight(updated),
    });
  }
}

/** Titles and headers take some ten rows. */
const headRows = 40;

/** Throws FileRefused where a CSV of StatsWales ends with its header. */
export function refuseWithoutAmounts(file: TextFile): void {
  const rows = firstRows(file.head, headRows, 'cp1252');
  if (!rows.some((row) => row.some((cell) => /^\d+(\.\d+)?$/.test(cell.trim())))) throw headerAlone(file);
}

/** The CSV has the rows of the workbook, so it is read as the same table. */
export async function readStatsWalesCsv(file: TextFile): Promise<Sheet> {
  const rows: string[][] = [];
  await readCsv(file.open(), { file: file.name, encoding: 'utf-8' }, (row) => rows.push(row.texts()));
  return {
    name: 'CSV',
    lastRow: rows.length - 1,
    lastColumn: rows.reduce((widest, row) => Math.max(widest, row.length), 1) - 1,
    cell: (row, column) => {
      const value = rows[row]?.[column] ?? '';
      return value.trim() === '' ? undefined : { kind: 'text', value };
    },
  };
}
