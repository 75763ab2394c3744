// Collects the figures of one census, area by area and table by table, on top of those of an earlier load.

import { defined } from '../../out-of-range.ts';
import type { Columns } from '../../release/part.ts';
import {
  type CensusDataset,
  type CensusMeasure,
  type CensusTable,
  censusMeasures,
  censusTable,
} from './census.ts';

export class CensusBuilder {
  /** What is loaded: the table, and the kind of area it was read for ("TS001" → "LSOAs"). */
  readonly tables = new Map<string, string>();
  readonly #rows = new Map<number, Float64Array>();

  get size(): number {
    return this.#rows.size;
  }

  /** Everything of an earlier load. */
  addAll(table: CensusTable): void {
    for (const text of table.tables) {
      const [name = '', areas = ''] = text.split(' of ');
      this.tables.set(name, areas);
    }
    for (const [row, code] of table.codes.entries()) {
      for (const measure of censusMeasures) this.set(code, measure, table.at(row, measure));
    }
  }

  /** Says whether another figure stood there. NaN is kept as "unknown". */
  set(code: number, measure: CensusMeasure, value: number): 'set' | 'replaced' {
    const row = this.#rows.get(code) ?? new Float64Array(censusMeasures.length).fill(Number.NaN);
    this.#rows.set(code, row);
    const at = censusMeasures.indexOf(measure);
    const before = defined(row[at]);
    row[at] = value;
    return Number.isNaN(before) || before === value ? 'set' : 'replaced';
  }

  /** Numbers of areas for which the figure is known, by the letter of their codes. */
  countKnown(measure: CensusMeasure): ReadonlyMap<string, number> {
    const at = censusMeasures.indexOf(measure);
    const counts = new Map<string, number>();
    for (const [code, row] of this.#rows) {
      if (Number.isNaN(defined(row[at]))) continue;
      const letter = String.fromCharCode(65 + Math.floor(code / 1e8));
      counts.set(letter, (counts.get(letter) ?? 0) + 1);
    }
    return counts;
  }

  encode(dataset: CensusDataset): Columns {
    const ordered = [...this.#rows].sort(([a], [b]) => a - b);
    const column = (measure: CensusMeasure) => {
      const at = censusMeasures.indexOf(measure);
      return Float64Array.from(ordered, ([, row]) => defined(row[at]));
    };
    return censusTable(dataset).encode({
      code: Float64Array.from(ordered, ([code]) => code),
      population: column('population'),
      'people-in-households': column('people-in-households'),
      density: column('density'),
      'median-age': column('median-age'),
      households: column('households'),
      'sized-people': column('sized-people'),
      'sized-households': column('sized-households'),
      adults: column('adults'),
      employed: column('employed'),
      tables: [...this.tables].map(([name, areas]) => `${name} of ${areas}`).sort(),
    });
  }
}
