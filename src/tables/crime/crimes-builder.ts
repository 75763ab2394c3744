// Collects incidents in any order and lays them out as crimes.ts reads them. There are tens of millions of rows, so that
// everything is numbers in growing typed arrays; months are finished one after the other.

import { arrange, arrangeBytes, postingsOf } from '../../columns/codes.ts';
import { encodePoints } from '../../columns/point-bands.ts';
import { defined } from '../../out-of-range.ts';
import type { Columns } from '../../release/part.ts';
import { formatMonth } from '../../uk/calendar.ts';
import { crimeGroupOf, crimeGroups } from '../../uk/police.ts';
import { parsePlaceCode } from '../postcodes/place-names.ts';
import { crimeArchivesTable } from './archives.ts';
import { crimeAreasPart, crimeAreasTable } from './areas.ts';
import { type CrimeWords, MonthRows } from './month-rows.ts';
import { crimeIdsTable, crimeMonthTable, crimesTable, idBytes } from './tables.ts';

/** About 910 metres: outside towns, where a circle has few points, it is the number of bands that costs. */
const bandMicroDegrees = 8192;
const rowsPerPart = 250_000;
const noPoint = 0xffff_ffff;
/** A row holds its force in one byte. */
const mostForces = 256;

type NewPoint = {
  readonly latitudeMicro: number;
  readonly longitudeMicro: number;
  /** Numbers of `names` and `lsoas` as the caller counts them; 0 is no LSOA. */
  readonly name: number;
  readonly lsoa: number;
  /** In which it was published with that LSOA. */
  readonly month: number;
};

// Counts the incidents of a load by LSOA, month and group, as areas.ts reads them. An incident lies in the LSOA that its
// place was last published with, so that codes of the 2011 census become those of 2021 where the place tells. Where it does
// not (one row in thousands), the row stays in its area of 2011: the nearest place would be wrong for one in seven.

type PlacedRows = {
  readonly months: readonly number[];
  readonly month: (month: number) => MonthRows;
  /** Number of the LSOA plus one; 0 for none. */
  readonly lsoaOfPoint: Uint32Array;
  /** Rows read per force and month. */
  readonly published: Uint32Array;
};

function encodeCrimeAreas(given: PlacedRows, words: CrimeWords): Columns {
  const { months, published: rows } = given;
  const { codes, areaOfPoint } = numberAreas(given.lsoaOfPoint, words.lsoas);
  const groups = Uint8Array.from(words.categories, (slug) => crimeGroups.indexOf(crimeGroupOf(slug)));
  const counts = new Uint32Array(months.length * codes.length * crimeGroups.length);
  const unplaced = rows.slice();
  for (const [column, month] of months.entries()) {
    const { size, point, category, force } = given.month(month);
    for (let row = 0; row < size; row += 1) {
      const area = defined(areaOfPoint[defined(point[row])]) - 1;
      if (area < 0) continue;
      const cell =
        (column * codes.length + area) * crimeGroups.length + defined(groups[defined(category[row])]);
      counts[cell] = defined(counts[cell]) + 1;
      const published = defined(force[row]) * months.length + column;
      unplaced[published] = defined(unplaced[published]) - 1;
    }
  }
  return crimeAreasTable.encode({
    code: codes,
    counts,
    months: Uint16Array.from(months),
    forces: words.forces,
    rows,
    unplaced,
  });
}

/** Areas in the order of their codes; per point the number of its area plus one. */
function numberAreas(lsoaOfPoint: Uint32Array, lsoas: readonly string[]) {
  const isUsed = new Uint8Array(lsoas.length + 1);
  for (const lsoa of lsoaOfPoint) isUsed[lsoa] = 1;
  const codeOf = lsoas.map((code, at) => (isUsed[at + 1] === 1 ? parsePlaceCode(code.trim()) : undefined));
  const codes = Float64Array.from(new Set(codeOf.filter((code) => code !== undefined))).sort();
  const areaOfCode = new Map(Array.from(codes, (code, area) => [code, area + 1]));
  const areaOfLsoa = Uint32Array.from([undefined, ...codeOf], (code) => areaOfCode.get(code ?? -1) ?? 0);
  return { codes, areaOfPoint: lsoaOfPoint.map((lsoa) => defined(areaOfLsoa[lsoa])) };
}

export class CrimesBuilder {
  readonly #months = new Map<number, MonthRows>();
  /** Month → rows read per force, those without a point included. */
  readonly #published = new Map<number, Uint32Array>();
  /** Month → per force the archive its rows are of. */
  readonly #archives = new Map<number, Uint16Array>();
  #points = 0;
  #latitude = new Int32Array(1024);
  #longitude = new Int32Array(1024);
  #name = new Uint32Array(1024);
  #lsoa = new Uint32Array(1024);
  #lsoaMonth = new Uint16Array(1024);
  /** By the number of an LSOA: the newest month in which any row had it. */
  readonly #lsoaLastMonth: number[] = [];
  #next = new Uint32Array(1024);
  /** Open addressing: hash of the place → the newest point of that hash. */
  #heads = new Uint32Array(4096).fill(noPoint);

  get pointCount(): number {
    return this.#points;
  }

  get size(): number {
    return this.#months.values().reduce((sum, rows) => sum + rows.size, 0);
  }

  months(): readonly number[] {
    return [...new Set([...this.#months.keys(), ...this.#published.keys()])].sort((a, b) => a - b);
  }

  month(month: number): MonthRows {
    const known = this.#months.get(month);
    if (known !== undefined) return known;
    const rows = new MonthRows();
    this.#months.set(month, rows);
    return rows;
  }

  hasPublished(month: number, force: number): boolean {
    return this.rowsOf(month, force) > 0;
  }

  /** Rows of the force that were read for the month, those without a point included. */
  rowsOf(month: number, force: number): number {
    const counts = this.#published.get(month);
    return counts === undefined ? 0 : defined(counts[force]);
  }

  /** A row of the force for that month was read, wherever it lies. */
  countPublished(month: number, force: number, rows = 1): void {
    let counts = this.#published.get(month);
    if (counts === undefined) {
      counts = new Uint32Array(mostForces);
      this.#published.set(month, counts);
    }
    counts[force] = defined(counts[force]) + rows;
  }

  /** `archive` is the newest month of the archive that the force's rows of the month are of. */
  setArchive(month: number, force: number, archive: number): void {
    const archives = this.#archives.get(month) ?? new Uint16Array(mostForces);
    archives[force] = archive;
    this.#archives.set(month, archives);
  }

  /** 0 where the month of the force has no rows. */
  archiveOf(month: number, force: number): number {
    const archives = this.#archives.get(month);
    return archives === undefined ? 0 : defined(archives[force]);
  }

  /**
   * The number of the point, new or known: a place and what it is called. It has the LSOA of the newest month, in whatever
   * order months are loaded. `isOtherLsoa` where it had another one before.
   */
  point({ latitudeMicro, longitudeMicro, name, lsoa, month }: NewPoint): {
    point: number;
    isOtherLsoa: boolean;
  } {
    const lastMonth = this.#lsoaLastMonth[lsoa];
    if (lastMonth === undefined || lastMonth < month) this.#lsoaLastMonth[lsoa] = month;
    const slot = this.#slotOf(latitudeMicro, longitudeMicro);
    for (let at = defined(this.#heads[slot]); at !== noPoint; at = defined(this.#next[at])) {
      if (
        this.#latitude[at] === latitudeMicro &&
        this.#longitude[at] === longitudeMicro &&
        this.#name[at] === name
      ) {
        const before = defined(this.#lsoa[at]);
        if (lsoa !== 0 && (before === 0 || month >= defined(this.#lsoaMonth[at]))) {
          this.#lsoa[at] = lsoa;
          this.#lsoaMonth[at] = month;
        }
        return { point: at, isOtherLsoa: before !== 0 && lsoa !== 0 && lsoa !== before };
      }
    }
    const point = this.#points;
    if (point === this.#latitude.length) this.#grow();
    this.#points += 1;
    this.#latitude[point] = latitudeMicro;
    this.#longitude[point] = longitudeMicro;
    this.#name[point] = name;
    this.#lsoa[point] = lsoa;
    this.#lsoaMonth[point] = month;
    this.#link(point);
    return { point, isOtherLsoa: false };
  }

  /**
   * The police rename places now and then. A code that was given up since, as those of 2011 were, is not taken from its last
   * name then, but from a name that the place has had since. Codes that go on stay: two may share a place on their border.
   */
  #settleLsoas(): void {
    for (let point = 0; point < this.#points; point += 1) {
      const lsoa = defined(this.#lsoa[point]);
      let newest = lsoa === 0 ? 0 : defined(this.#lsoaLastMonth[lsoa]);
      for (const other of this.#othersAt(point)) {
        const month = defined(this.#lsoaMonth[other]);
        if (this.#lsoa[other] === 0 || month <= newest) continue;
        newest = month;
        this.#lsoa[point] = defined(this.#lsoa[other]);
      }
    }
  }

  /** Points of the same place that are called otherwise. */
  *#othersAt(point: number): Generator<number> {
    const latitude = defined(this.#latitude[point]);
    const longitude = defined(this.#longitude[point]);
    const head = defined(this.#heads[this.#slotOf(latitude, longitude)]);
    for (let at = head; at !== noPoint; at = defined(this.#next[at])) {
      if (at !== point && this.#latitude[at] === latitude && this.#longitude[at] === longitude) yield at;
    }
  }

  /** Every part, one after the other; lists as the numbers of the rows count them. */
  *encode(lists: CrimeWords): Generator<readonly [name: string, columns: Columns]> {
    this.#settleLsoas();
    const { order, columns: index } = encodePoints(
      this.#latitude.subarray(0, this.#points),
      this.#longitude.subarray(0, this.#points),
      bandMicroDegrees,
    );
    const rank = new Uint32Array(order.length);
    for (const [at, point] of order.entries()) rank[point] = at;
    const months = this.months();
    const parts = this.#shareParts(months);
    const rows = this.coverageRows(lists.forces.length);
    yield [
      crimesTable.part,
      crimesTable.encode({
        ...index,
        'point-name': arrange(this.#name, order),
        'point-lsoa': arrange(this.#lsoa, order),
        'totals-before': this.#sum(rank, months),
        months: Uint16Array.from(months),
        'month-parts': Uint16Array.from(parts.flatMap((shared) => shared.map(() => defined(shared[0])))),
        'coverage-rows': rows,
        names: lists.names,
        lsoas: lists.lsoas,
        forces: lists.forces,
        categories: lists.categories,
        outcomes: lists.outcomes,
      }),
    ];
    const placed = {
      months,
      month: (month: number) => this.month(month),
      lsoaOfPoint: this.#lsoa.subarray(0, this.#points),
      published: rows,
    };
    yield [crimeAreasPart, encodeCrimeAreas(placed, lists)];
    for (const shared of parts) {
      const first = formatMonth(defined(shared[0]));
      const encoded = shared.map((month) => this.#encodeMonth(first, month, rank));
      // The names of a part do not depend on the month, only those of its columns do.
      yield [crimeMonthTable(first, first).part, Object.assign({}, ...encoded.map(({ rows }) => rows))];
      yield [crimeIdsTable(first, first).part, Object.assign({}, ...encoded.map(({ ids }) => ids))];
    }
  }

  /** Rows read per force and month, those without a point included. */
  coverageRows(forceCount: number): Uint32Array {
    return Uint32Array.from(this.#perForce(forceCount, (month, force) => this.rowsOf(month, force)));
  }

  encodeArchives(forces: readonly string[]): Columns {
    return crimeArchivesTable.encode({
      months: Uint16Array.from(this.months()),
      forces,
      archive: Uint16Array.from(
        this.#perForce(forces.length, (month, force) => this.archiveOf(month, force)),
      ),
    });
  }

  /** One force after the other, each with all its months. */
  #perForce(forceCount: number, value: (month: number, force: number) => number): readonly number[] {
    const months = this.months();
    return Array.from({ length: forceCount }, (_, force) =>
      months.map((month) => value(month, force)),
    ).flat();
  }

  /** Months that go into one part together: a file each would cost more than what is in it. */
  #shareParts(months: readonly number[]): readonly (readonly number[])[] {
    const parts: number[][] = [];
    let rows = 0;
    for (const month of months) {
      const { size } = this.month(month);
      const last = parts.at(-1);
      rows += size;
      if (last !== undefined && rows <= rowsPerPart) last.push(month);
      else {
        parts.push([month]);
        rows = size;
      }
    }
    return parts;
  }

  /** Columns of a month, its incidents by point in the order of the index. */
  #encodeMonth(firstOfPart: string, month: number, rank: Uint32Array) {
    const given = this.month(month);
    const { starts: first, rows } = postingsOf(
      arrange(rank, given.point.subarray(0, given.size)),
      this.#points,
    );
    const id = Buffer.alloc(given.size * idBytes);
    const contexts: (readonly [row: number, text: string])[] = [];
    for (const [at, row] of rows.entries()) {
      given.id.copy(id, at * idBytes, row * idBytes, (row + 1) * idBytes);
      const context = given.contexts.size === 0 ? undefined : given.contexts.get(row);
      if (context !== undefined) contexts.push([at, context]);
    }
    const name = formatMonth(month);
    return {
      rows: crimeMonthTable(firstOfPart, name).encode({
        first,
        category: arrangeBytes(given.category, rows),
        outcome: arrangeBytes(given.outcome, rows),
        'outcome-after': arrangeBytes(given.outcomeAfter, rows),
        force: arrangeBytes(given.force, rows),
        'context-row': Uint32Array.from(contexts, ([row]) => row),
        contexts: contexts.map(([, text]) => text),
      }),
      ids: crimeIdsTable(firstOfPart, name).encode({ id }),
    };
  }

  #sum(rank: Uint32Array, months: readonly number[]): Uint32Array {
    const totalsBefore = new Uint32Array((rank.length + 1) * months.length);
    for (const [column, month] of months.entries()) {
      const { size, point } = this.month(month);
      for (let row = 0; row < size; row += 1) {
        const at = defined(rank[defined(point[row])]);
        const cell = (at + 1) * months.length + column;
        totalsBefore[cell] = defined(totalsBefore[cell]) + 1;
      }
    }
    for (let cell = months.length; cell < totalsBefore.length; cell += 1) {
      totalsBefore[cell] = defined(totalsBefore[cell]) + defined(totalsBefore[cell - months.length]);
    }
    return totalsBefore;
  }

  #slotOf(latitudeMicro: number, longitudeMicro: number): number {
    const mixed = Math.imul(latitudeMicro, 0x9e3779b1) ^ Math.imul(longitudeMicro, 0x85ebca6b);
    return (mixed ^ (mixed >>> 15)) & (this.#heads.length - 1);
  }

  #link(point: number): void {
    const slot = this.#slotOf(defined(this.#latitude[point]), defined(this.#longitude[point]));
    this.#next[point] = defined(this.#heads[slot]);
    this.#heads[slot] = point;
  }

  #grow(): void {
    const capacity = 2 * this.#latitude.length;
    const longer = <T extends Int32Array | Uint32Array | Uint16Array>(to: T, from: T): T => {
      to.set(from);
      return to;
    };
    this.#latitude = longer(new Int32Array(capacity), this.#latitude);
    this.#longitude = longer(new Int32Array(capacity), this.#longitude);
    this.#name = longer(new Uint32Array(capacity), this.#name);
    this.#lsoa = longer(new Uint32Array(capacity), this.#lsoa);
    this.#lsoaMonth = longer(new Uint16Array(capacity), this.#lsoaMonth);
    this.#next = new Uint32Array(capacity);
    this.#heads = new Uint32Array(4 * capacity).fill(noPoint);
    for (let point = 0; point < this.#points; point += 1) this.#link(point);
  }
}
