// What it costs to say what happens outside an array, to look at lengths when a part is opened, and to prove a part when
// it is written. Ways of reading take turns, so that all meet the same machine; decision 15 has the figures.

import { outOfRange } from '../../src/out-of-range.ts';
import { encodePart, Part } from '../../src/release/part.ts';
import { encodeSales } from '../../src/tables/sales/encode.ts';
import { emptyRows } from '../../src/tables/sales/rows.ts';
import { salesTable } from '../../src/tables/sales/table.ts';

const size = 10_000_000;
const dictionary = 1_000_000;
const rounds = 9;

const values = Uint32Array.from({ length: size }, (_, at) => at % 1000);
const codes = Uint32Array.from({ length: size }, (_, at) => (at * 7919) % dictionary);

class CheckedColumn {
  readonly #values: Uint32Array;
  readonly length: number;
  constructor(given: Uint32Array) {
    this.#values = given;
    this.length = given.length;
  }
  at(index: number): number {
    if (index >= this.length) outOfRange();
    // The cast that the class is measured for.
    return this.#values[index] as number;
  }
}

const checkedAt = (given: Uint32Array, index: number): number => {
  const value = given[index];
  if (value === undefined) throw new RangeError(`There is no value ${index}.`);
  return value;
};

type Way = { readonly sum: () => number; readonly gather: () => number };

const ways: Readonly<Record<string, Way>> = {
  '?? 0': {
    sum: () => {
      let total = 0;
      for (let at = 0; at < values.length; at += 1) total += values[at] ?? 0;
      return total;
    },
    gather: () => {
      let total = 0;
      for (let at = 0; at < codes.length; at += 1) total += values[codes[at] ?? 0] ?? 0;
      return total;
    },
  },
  '?? outOfRange()': {
    sum: () => {
      let total = 0;
      for (let at = 0; at < values.length; at += 1) total += values[at] ?? outOfRange();
      return total;
    },
    gather: () => {
      let total = 0;
      for (let at = 0; at < codes.length; at += 1) total += values[codes[at] ?? outOfRange()] ?? outOfRange();
      return total;
    },
  },
  'as number': {
    sum: () => {
      let total = 0;
      for (let at = 0; at < values.length; at += 1) total += values[at] as number;
      return total;
    },
    gather: () => {
      let total = 0;
      for (let at = 0; at < codes.length; at += 1) total += values[codes[at] as number] as number;
      return total;
    },
  },
  'at(values, index)': {
    sum: () => {
      let total = 0;
      for (let at = 0; at < values.length; at += 1) total += checkedAt(values, at);
      return total;
    },
    gather: () => {
      let total = 0;
      for (let at = 0; at < codes.length; at += 1) total += checkedAt(values, checkedAt(codes, at));
      return total;
    },
  },
  'column.at(index)': {
    sum: () => {
      const column = new CheckedColumn(values);
      let total = 0;
      for (let at = 0; at < column.length; at += 1) total += column.at(at);
      return total;
    },
    gather: () => {
      const [column, coded] = [new CheckedColumn(values), new CheckedColumn(codes)];
      let total = 0;
      for (let at = 0; at < coded.length; at += 1) total += column.at(coded.at(at));
      return total;
    },
  },
};

function time<T>(work: () => T): { readonly ms: number; readonly result: T } {
  const start = process.hrtime.bigint();
  const result = work();
  return { ms: Number(process.hrtime.bigint() - start) / 1e6, result };
}

/** Whatever else runs on the machine only ever adds. */
const lowest = (times: readonly number[]): number => Math.min(...times);

for (const kind of ['sum', 'gather'] as const) {
  const taken = Object.entries(ways).map(([name, way]) => ({ name, work: way[kind], ms: [] as number[] }));
  const wanted = taken[0]?.work();
  for (let round = 0; round < rounds; round += 1) {
    for (const { work, ms, name } of taken) {
      const { ms: own, result } = time(work);
      if (result !== wanted) throw new Error(`${name} gives ${result} instead of ${wanted}.`);
      // The first rounds are the compiler's.
      if (round > 1) ms.push(own);
    }
  }
  for (const { name, ms } of taken) {
    const own = lowest(ms);
    console.log(
      `${kind} of ${size}: ${name.padEnd(20)} ${own.toFixed(1)} ms, ${((1e6 * own) / size).toFixed(2)} ns a value`,
    );
  }
}

/** One area of a million sales, its words about as many as in a real one. */
function makeSales() {
  const sales = 1_000_000;
  const rows = emptyRows(sales);
  for (let row = 0; row < sales; row += 1) {
    const mixed = Math.imul(row, 0x9e3779b1) >>> 0;
    rows.days[row] = 9131 + (mixed % 11_000);
    rows.prices[row] = 1000 * (1 + (mixed % 2000));
    rows.flags[row] = mixed % 20;
    rows.postcodes[row] = 1_000_000 + (mixed % 40_000);
    rows.places[row] = mixed % 20_000;
    rows.paons[row] = mixed % 30_000;
    rows.saons[row] = mixed % 5000;
    rows.ids.set([mixed, mixed >>> 8, mixed >>> 16, mixed >>> 24, row, row >>> 8, row >>> 16], 16 * row);
  }
  const texts = (count: number, word: string) => Array.from({ length: count }, (_, at) => `${word} ${at}`);
  const places = Uint32Array.from({ length: 100_000 }, (_, at) =>
    at % 5 === 0 ? (at / 5) % 15_000 : at % 300,
  );
  const words = {
    paons: texts(30_000, ''),
    saons: texts(5000, 'FLAT'),
    streets: texts(15_000, 'ROAD'),
    names: texts(300, 'TOWN'),
    places,
  };
  return { rows, words };
}

const { rows, words } = makeSales();
const made = time(() => encodeSales(rows, words));
const written = time(() => encodePart(made.result.sales));
const bytes = written.result.length;
const opened = time(() => Part.open(new Uint8Array(written.result).buffer));
const lengths: number[] = [];
const proofs: number[] = [];
for (let round = 0; round < rounds; round += 1) {
  lengths.push(time(() => salesTable.read(opened.result)).ms);
  proofs.push(time(() => salesTable.prove(opened.result)).ms);
}
console.log(
  `sales of an area, 1,000,000 rows, ${(bytes / 1e6).toFixed(0)} MB, ${Object.keys(salesTable.columns).length} columns:`,
);
console.log(
  `  laid out and proved ${made.ms.toFixed(0)} ms, of which the proof ${lowest(proofs).toFixed(1)} ms (first ${proofs[0]?.toFixed(1)})`,
);
console.log(
  `  encoded as a part ${written.ms.toFixed(0)} ms; opened, its checksums compared ${opened.ms.toFixed(0)} ms`,
);
console.log(
  `  columns and lengths looked at ${lowest(lengths).toFixed(3)} ms (first ${lengths[0]?.toFixed(3)})`,
);
