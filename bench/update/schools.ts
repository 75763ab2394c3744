// A national register of schools and Ofsted's file in the official layouts, made up.

import { closeSync, mkdirSync, openSync, readFileSync, writeSync } from 'node:fs';
import path from 'node:path';
import { randomFrom } from '../../scripts/random.ts';
import { firstRows } from '../../src/ingest/read/csv.ts';
import { latLongToGrid } from '../../src/uk/grid.ts';
import { makePoint } from '../crime/made-up.ts';

const sandbox = (name: string) => path.join(import.meta.dirname, '../../data/sandbox', name);

/** The cells of the fictional town's files fill what is not made up here, so that rows are as wide as real ones. */
function templates(name: string): { titles: readonly string[]; rows: readonly (readonly string[])[] } {
  const [titles = [], ...rows] = firstRows(readFileSync(sandbox(name)), Number.POSITIVE_INFINITY, 'cp1252');
  return { titles, rows };
}

function write(
  folder: string,
  name: string,
  count: number,
  cellsOf: (row: number) => Readonly<Record<string, string>>,
): void {
  const { titles, rows } = templates(name);
  const out = openSync(path.join(folder, name), 'w');
  const quoted = (cell: string) => (/[",]/.test(cell) ? `"${cell}"` : cell);
  let text = `${titles.join(',')}\r\n`;
  for (let row = 0; row < count; row += 1) {
    const like = rows[row % rows.length] ?? [];
    const cells = cellsOf(row);
    text += `${titles.map((title, index) => quoted(cells[title] ?? like[index] ?? '')).join(',')}\r\n`;
    if (text.length > 1 << 20) {
      writeSync(out, text, null, 'latin1');
      text = '';
    }
  }
  writeSync(out, text, null, 'latin1');
  closeSync(out);
}

export type SchoolCounts = { readonly establishments: number; readonly inspected: number };

/** Writes gias.csv and ofsted.csv. */
export function writeSchools(folder: string, { establishments, inspected }: SchoolCounts): void {
  mkdirSync(folder, { recursive: true });
  const random = randomFrom(11);
  // Of the real register about 25,000 of 65,000 are open schools with pupils of 5 to 15.
  write(folder, 'gias.csv', establishments, (row) => {
    const { latitudeMicro, longitudeMicro } = makePoint(random);
    const { eastingMetres, northingMetres } = latLongToGrid(latitudeMicro / 1e6, longitudeMicro / 1e6);
    const isOpen = random() < 0.45;
    return {
      URN: String(100_000 + row),
      EstablishmentName: `Made Up School of Some Saint ${row}`,
      'EstablishmentStatus (name)': isOpen ? 'Open' : 'Closed',
      Street: `${row} A Street of Ordinary Length`,
      'Trusts (name)': 'A TRUST OF SCHOOLS WITH A LONG NAME',
      Easting: eastingMetres.toFixed(0),
      Northing: northingMetres.toFixed(0),
    };
  });
  write(folder, 'ofsted.csv', inspected, (row) => ({
    URN: String(100_000 + 3 * row),
    'School name': `Made Up School of Some Saint ${3 * row}`,
  }));
}
