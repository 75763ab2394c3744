// Reads columns of a row by the type they must have, whatever the engine. A surprise, no row where there is always one
// included, means that the ledger or the records were changed by other hands.

export type Row = Readonly<Record<string, unknown>>;

export function readNumber(row: Row | undefined, column: string): number {
  const value = row?.[column];
  if (typeof value !== 'number') throw new TypeError(`${column} is not a number`);
  return value;
}

export function readText(row: Row | undefined, column: string): string {
  const value = row?.[column];
  if (typeof value !== 'string') throw new TypeError(`${column} is not a text`);
  return value;
}

export function readNumberOrNull(row: Row | undefined, column: string): number | null {
  return row?.[column] === null ? null : readNumber(row, column);
}

export function readTextOrNull(row: Row, column: string): string | null {
  return row[column] === null ? null : readText(row, column);
}

/** A column that holds one of a few words. */
export function readWord<const T extends string>(row: Row, column: string, words: readonly T[]): T {
  const value = readText(row, column);
  const word = words.find((candidate) => candidate === value);
  if (word === undefined) throw new TypeError(`${column} is none of ${words.join(', ')}`);
  return word;
}
