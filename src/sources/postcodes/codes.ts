// Reads the codes of the national statistics (E06000001) from millions of rows, without making a text of a code that was
// seen before.

import type { CsvRow } from '../../ingest/read/csv.ts';
import { FileRefused } from '../../ingest/refusal.ts';
import { defined } from '../../out-of-range.ts';
import type { PostcodesBuilder } from '../../tables/postcodes/postcodes-builder.ts';
import { type Nation, nationCodes, nations } from '../../tables/postcodes/postcodes-table.ts';
import { currentAuthorityCode } from '../../uk/authority-codes.ts';

const codeBytes = 9;
const letterA = 0x41;
const letterZ = 0x5a;
const digit0 = 0x30;

export const nationsByCode: ReadonlyMap<string, Nation> = new Map(
  nations.map((nation) => [nationCodes[nation], nation]),
);

/** What a column may hold, and how to tell the operator. */
export type CodeColumn = { readonly at: number; readonly name: string; readonly pattern: RegExp };

/** Northern Ireland's areas of 2001 (95GG15S1) are codes too. */
export const anyCode = /^[A-Z0-9]{3,12}$/;

export class CodeReader {
  readonly #builder: PostcodesBuilder;
  /** Per column: the code as a number (letter × 10⁸ + digits) → the builder's number. */
  readonly #known = new Map<string, Map<number, number>>();

  constructor(builder: PostcodesBuilder) {
    this.#builder = builder;
  }

  /** The builder's number; 0 where the field is empty or a pseudo code. Throws FileRefused. */
  read(row: CsvRow, column: CodeColumn, file: string): number {
    const start = row.start(column.at);
    const end = row.end(column.at);
    if (start === end) return 0;
    const key = end - start === codeBytes ? keyOf(row.bytes, start) : -1;
    if (key < 0) return this.#readOther(row, column, file);
    // E99999999, W99999999, E63999999: "none here".
    if (key % 1_000_000 === 999_999) return 0;
    let known = this.#known.get(column.name);
    if (known === undefined) {
      known = new Map();
      this.#known.set(column.name, known);
    }
    const found = known.get(key);
    if (found !== undefined) return found;
    const number = this.#readOther(row, column, file);
    known.set(key, number);
    return number;
  }

  #readOther(row: CsvRow, { at, name, pattern }: CodeColumn, file: string): number {
    const text = row.text(at);
    if (pattern.test(text)) return this.#builder.code(currentAuthorityCode(text));
    throw new FileRefused(
      file,
      `line ${row.line} has ${JSON.stringify(text)} as ${name}; expected a code like ${example(pattern)}`,
    );
  }
}

const example = (pattern: RegExp) =>
  ['E09000001', 'E05000001', 'E10000002'].find((code) => pattern.test(code)) ?? 'E01000001';

/** −1 where it is not a capital letter and eight digits. */
function keyOf(bytes: Buffer, start: number): number {
  const letter = defined(bytes[start]);
  if (letter < letterA || letter > letterZ) return -1;
  let key = letter - letterA + 1;
  for (let at = start + 1; at < start + codeBytes; at += 1) {
    const digit = defined(bytes[at]) - digit0;
    if (digit < 0 || digit > 9) return -1;
    key = 10 * key + digit;
  }
  return key;
}
