// The proof that a whole release keeps to its tables: what was proved when each part was written, proved again from
// disk, and beyond that what one part says of another. `domesday check` runs it; opening a part looks at lengths alone.

import type { Part } from './part.ts';
import type { Release } from './reader.ts';
import { type Elsewhere, type Table, table } from './table.ts';

/** Reads every part. Throws ReleaseDamaged at the first fault. Of parts that no table describes it checks the bytes. */
export function proveParts(release: Release, tables: readonly Table[]): void {
  const known = new Map<string, ReadonlyMap<string, number>>();
  const elsewhere: Elsewhere = (name, rows) => {
    const sizes = known.get(name) ?? sizesIn(release, name, tables);
    known.set(name, sizes);
    return sizes.get(rows);
  };
  for (const name of Object.keys(release.manifest.parts)) {
    const part = release.readPart(name);
    // Of a dataset that another version of the program laid out.
    if (!release.has(name)) continue;
    for (const own of tablesIn(name, tables)) for (const one of eachIn(part, own)) one.prove(part, elsewhere);
  }
}

function sizesIn(release: Release, name: string, tables: readonly Table[]): ReadonlyMap<string, number> {
  const own = tables.find(({ part, prefix }) => part === name && prefix === undefined);
  return own?.isIn(release) === true ? own.sizesIn(release.readPart(name)) : new Map();
}

const word = /<[a-z]+>/;

/** The tables that name the part, else those for whose word in angle brackets it stands. */
function tablesIn(name: string, tables: readonly Table[]): readonly Table[] {
  const exact = tables.filter(({ part }) => part === name);
  if (exact.length > 0) return exact;
  return tables.filter(({ part }) => {
    const [before = '', after] = part.split(word);
    return after !== undefined && name.startsWith(before) && name.endsWith(after);
  });
}

/** The table itself, or one for each prefix that stands in the part for its word in angle brackets. */
function eachIn(part: Part, own: Table): readonly Table[] {
  if (own.prefix === undefined || !word.test(own.prefix)) return [own];
  const split = part.columns.map(({ name }) => name.split(' '));
  // By any of its columns, so that a missing one is found missing.
  const mine = split.filter(([, column]) => column !== undefined && Object.hasOwn(own.columns, column));
  const prefixes = new Set(mine.map(([prefix = '']) => prefix));
  return [...prefixes].map((prefix) => table({ ...own, prefix }));
}
