// The list of Welsh schools cut to the postcodes of Newport. The whole list is refused where the postcodes of the country
// are not loaded, and the sample is drawn from those of three places.

import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { read, utils, write } from '@e965/xlsx';

const listName = 'address-list-schools-wales-20210825.ods';
const sheetName = 'Maintained';

/** A copy of the folder of Newport, in whose list of schools are those alone that lie in its postcodes. */
export function withSchoolsOfItsOwn(folder: string, into: string): string {
  cpSync(folder, into, { recursive: true });
  const [, ...lines] = readFileSync(path.join(folder, 'postcodes.csv'), 'utf8').split(/\r?\n/);
  const known = new Set(lines.map((line) => line.split(',')[0]));
  const { Sheets } = read(readFileSync(path.join(folder, listName)), { sheets: [sheetName] });
  const sheet = Sheets[sheetName];
  if (sheet === undefined) throw new Error(`${listName} has no sheet ${sheetName}.`);
  const rows = utils.sheet_to_json<readonly unknown[]>(sheet, { header: 1 });
  const header = rows.findIndex((row) => row.includes('Postcode'));
  const column = rows[header]?.indexOf('Postcode');
  if (column === undefined) throw new Error(`${listName} has no column Postcode.`);
  const own = rows.filter((row, at) => at <= header || known.has(String(row[column])));
  const book = utils.book_new();
  utils.book_append_sheet(book, utils.aoa_to_sheet(own.map((row) => [...row])), sheetName);
  writeFileSync(path.join(into, listName), write(book, { type: 'buffer', bookType: 'ods' }));
  return into;
}
