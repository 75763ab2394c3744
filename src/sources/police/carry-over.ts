// Takes the months of the release before into a load: those of forces that its files do not have, or have from an older
// archive only. They may be all of twenty million rows, so that what can be done per word or month is not done per row.

import type { Into, ReplacedPiece } from '../../ingest/source.ts';
import { formatCount, type Tally } from '../../ingest/tally.ts';
import { defined } from '../../out-of-range.ts';
import type { ArchiveOf } from '../../tables/crime/archives.ts';
import type { Crimes } from '../../tables/crime/crimes.ts';
import { idBytes } from '../../tables/crime/tables.ts';
import { formatMonth } from '../../uk/calendar.ts';
import type { PoliceRows } from './rows.ts';

const notYet = 0xffff_ffff;
const leastOfMonth = 0.5;

/** Adds what only `before` has, with the outcomes that these files have for it. All street files have been read. */
export function carryOver(
  before: Crimes,
  archiveBefore: ArchiveOf,
  rows: PoliceRows,
  { progress, tally, losses }: Into,
): void {
  const { builder } = rows;
  const words = before.words();
  const forces = before.forces.map((force) => rows.forces.list.number(force));
  const categories = words.categories.map((slug) => rows.categories.list.number(slug));
  const outcomes = [0, ...words.outcomes.map((label) => 1 + rows.outcomes.list.number(label))];
  const pointOf = pointsOf(before, words, rows);
  losses.refuseShrunk(findCutOff(before, forces, builder));
  for (const [done, month] of before.months.entries()) {
    progress({ phase: 'Keeping the earlier months', done, total: before.months.length });
    // The rows of these files are counted already, so this must be decided before any row is added.
    const isKept = forces.map((force) => !builder.hasPublished(month, force));
    for (const [at, force] of forces.entries()) {
      const name = defined(before.forces[at]);
      const { rows: count } = before.coverageOf(name, month);
      if (isKept[at] !== true) tellShrunk(name, month, count, builder.rowsOf(month, force), tally);
      else if (count > 0) {
        builder.countPublished(month, force, count);
        builder.setArchive(month, force, archiveBefore(name, month));
      }
    }
    const { first, ids, contexts, ...columns } = before.columnsOf(month);
    const made = builder.month(month);
    const firstMade = made.size;
    made.reserve(columns.force.length);
    // Rows that are taken one after the other lie so in both, and their ids are copied together.
    let idsFrom = 0;
    const copyIds = (end: number) =>
      made.id.set(ids.subarray(idsFrom * idBytes, end * idBytes), (made.size - (end - idsFrom)) * idBytes);
    for (let point = 0; point < before.pointCount; point += 1) {
      const end = defined(first[point + 1]);
      for (let row = defined(first[point]); row < end; row += 1) {
        const force = defined(columns.force[row]);
        if (isKept[force] !== true) {
          copyIds(row);
          idsFrom = row + 1;
          continue;
        }
        const at = made.add(
          pointOf(point),
          defined(categories[defined(columns.category[row])]),
          defined(outcomes[defined(columns.outcome[row])]),
          defined(columns.outcomeAfter[row]),
          defined(forces[force]),
        );
        const context = contexts.size === 0 ? undefined : contexts.get(row);
        if (context !== undefined) made.contexts.set(at, context);
      }
    }
    copyIds(columns.force.length);
    for (let at = firstMade; at < made.size; at += 1) rows.settleOutcome(month, at);
    made.trim();
  }
}

/** Points of `before` → points of the load, made when first asked for. Texts are looked up once each, not once a point. */
function pointsOf(
  before: Crimes,
  { names, lsoas }: ReturnType<Crimes['words']>,
  rows: PoliceRows,
): (point: number) => number {
  const made = new Uint32Array(before.pointCount).fill(notYet);
  const nameCodes = new Uint32Array(names.length).fill(notYet);
  const lsoaCodes = new Uint32Array(lsoas.length).fill(notYet);
  const codeOf = (codes: Uint32Array, at: number, make: () => number) => {
    const known = defined(codes[at]);
    if (known !== notYet) return known;
    const code = make();
    codes[at] = code;
    return code;
  };
  const make = (point: number) => {
    const { name, lsoa, ...place } = before.pointAt(point);
    return rows.builder.point({
      ...place,
      name: codeOf(nameCodes, name, () => rows.names.codeOfText(defined(names[name]))),
      lsoa:
        lsoa === 0
          ? 0
          : 1 + codeOf(lsoaCodes, lsoa - 1, () => rows.lsoas.codeOfText(defined(lsoas[lsoa - 1]))),
      month: defined(before.newestMonthAt(point)),
    }).point;
  };
  return (point) => codeOf(made, point, () => make(point));
}

/** A cut file looks like this, and so may a month that the force has revised. */
/** Months of a force that came with less than half of their rows: forces correct a few in a hundred. */
function findCutOff(
  before: Crimes,
  forces: readonly number[],
  builder: PoliceRows['builder'],
): readonly ReplacedPiece[] {
  return before.months.flatMap((month) =>
    before.forces.flatMap((name, at) => {
      const force = defined(forces[at]);
      if (!builder.hasPublished(month, force)) return [];
      const piece = {
        name: `${formatMonth(month)} of ${name}`,
        before: before.coverageOf(name, month).rows,
        now: builder.rowsOf(month, force),
      };
      return piece.now < piece.before * leastOfMonth ? [piece] : [];
    }),
  );
}

function tellShrunk(force: string, month: number, before: number, now: number, tally: Tally): void {
  if (now >= before) return;
  const place = `${formatMonth(month)} of ${force}: ${formatCount(now)} rows instead of ${formatCount(before)}`;
  tally.reviseAll([
    { reason: 'month with fewer rows than were loaded before', count: before - now, places: [place] },
  ]);
}
