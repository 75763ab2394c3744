// Street-level crime and outcomes of data.police.uk: the archive as a zip or folder, or single files of it. A force's
// month takes the place of the same month loaded before; everything else that was loaded stays.

import { outOfRange } from '../../columns/out-of-range.ts';
import type { InputFile } from '../../ingest/files.ts';
import { hasTitles } from '../../ingest/read/named-rows.ts';
import { FileRefused } from '../../ingest/refusal.ts';
import type { DatasetFacts, Into, Loaded, Loader, RecognisedFile } from '../../ingest/source.ts';
import { formatCount, type Tally } from '../../ingest/tally.ts';
import { type Coverage, type CoverageKind, judgeForces, shareOfUsual } from '../../tables/crime/coverage.ts';
import { type Crimes, openCrimes } from '../../tables/crime/crimes.ts';
import { idBytes } from '../../tables/crime/tables.ts';
import { formatDay, formatMonth, lastDayOf } from '../../uk/calendar.ts';
import { silentForce, territorialForces, transportPolice } from '../../uk/police.ts';
import { chooseFiles, describeFile, type Layout } from './overlaps.ts';
import { outcomesColumns, PoliceRows, streetColumns } from './rows.ts';

export const policeFacts: DatasetFacts = {
  publisher: 'Police forces of England, Wales and Northern Ireland, through data.police.uk',
  publisherShort: 'data.police.uk',
  licence: 'Open Government Licence v3.0',
  attribution: 'Contains public sector information licensed under the Open Government Licence v3.0.',
  coverage: {
    England: 'forces and months that were loaded; Greater Manchester publishes none since July 2019',
    Wales: 'forces and months that were loaded',
    'Northern Ireland': 'until July 2023; never with outcomes',
    Scotland: 'British Transport Police only',
  },
};

export const police: Loader = {
  facts: policeFacts,
  publications: [
    {
      name: 'police-archive',
      title: 'Street-level crime, the archive of three years',
      page: 'https://data.police.uk/data/archive/',
      find: {
        kind: 'links',
        page: 'https://data.police.uk/data/archive/',
        follow: [/^https:\/\/data\.police\.uk\/data\/archive\/(?<newest>20\d\d-\d\d)\.zip$/],
        md5Behind: true,
      },
      hosts: ['data.police.uk', 'policeuk-data.s3.amazonaws.com'],
      rhythm: { text: 'monthly, at the end of the following month', lateAfterDays: 75, askEveryDays: 0 },
      typicalBytes: 1_733_535_664,
      mostBytes: 6_000_000_000,
      loading: { seconds: 280, memoryBytes: 1_900_000_000, diskBytes: 960_000_000 },
      gives: 'crime of /area/statistics and all of /crime/by-postcode',
      set: 'essential',
      holds: 'everything',
      readWith: 'nothing else',
    },
  ],
  layouts: [
    'the archive of data.police.uk (YYYY-MM.zip), or its files YYYY-MM-<force>-street.csv and -outcomes.csv',
  ],
  recognise,
  load,
};

function recognise(file: InputFile): Layout | undefined {
  if (file.form !== 'text') return undefined;
  if (hasTitles(file, ...streetColumns.required)) return 'street';
  return hasTitles(file, ...outcomesColumns.required) ? 'outcomes' : undefined;
}

async function load(files: readonly RecognisedFile[], into: Into): Promise<Loaded> {
  const rows = new PoliceRows(into);
  const described = files.flatMap(({ file, layout }) =>
    file.form === 'text' ? [describeFile(file, layout === 'street' ? 'street' : 'outcomes')] : [],
  );
  const chosen = await chooseFiles(described, into.tally);
  for (const { file, layout } of chosen) if (layout === 'outcomes') await rows.readOutcomes(file);
  for (const { file, layout } of chosen) if (layout === 'street') await rows.readStreet(file);
  const { base } = into;
  const known = base?.findDataset('crime');
  if (base !== undefined && known !== undefined && known.extent !== 'sample')
    carryOver(openCrimes(base), rows, into);
  if (rows.builder.size === 0) {
    const names = files.map(({ file }) => file.name).join(', ');
    throw new FileRefused(names, 'holds no crimes; expected files like 2024-12-leicestershire-street.csv');
  }
  rows.report(transportPolice);
  return writeCrimes(rows, into);
}

/** Adds what only the base has, with the outcomes that these files have for it. */
function carryOver(before: Crimes, rows: PoliceRows, { progress, tally }: Into): void {
  const { builder } = rows;
  const forces = before.forces.map((force) => rows.forces.list.number(force));
  const categories = before.words.categories.map((slug) => rows.categories.list.number(slug));
  const outcomes = before.words.outcomes.map((label) => 1 + rows.outcomes.list.number(label));
  const lastMonth = before.months.at(-1) ?? outOfRange();
  const points = new Map<number, number>();
  const pointOf = (point: number): number => {
    const { location, lsoaCode, ...place } = before.pointAt(point);
    const { point: made } = builder.point({
      ...place,
      name: rows.names.codeOfText(location),
      lsoa: lsoaCode === '' ? 0 : 1 + rows.lsoas.codeOfText(lsoaCode),
      month: before.newestMonthAt(point) ?? outOfRange(),
    });
    points.set(point, made);
    return made;
  };
  for (const [done, month] of before.months.entries()) {
    progress({ phase: 'Taking over the months of before', done, total: before.months.length });
    const columns = before.columnsOf(month);
    // The rows of these files are counted already, so this must be decided before any row is added.
    const isKept = forces.map((force) => !builder.hasPublished(month, force));
    for (const [at, force] of forces.entries()) {
      const { rows: count } = before.coverageOf(before.forces[at] ?? '', month);
      if (isKept[at] === true) {
        if (count > 0) builder.countPublished(month, force, count);
        continue;
      }
      tellShrunk(before.forces[at] ?? outOfRange(), month, count, builder.rowsOf(month, force), tally);
    }
    const made = builder.month(month);
    for (let point = 0; point < before.pointCount; point += 1) {
      const end = columns.first[point + 1] ?? outOfRange();
      for (let row = columns.first[point] ?? outOfRange(); row < end; row += 1) {
        const force = columns.force[row] ?? outOfRange();
        if (isKept[force] !== true) continue;
        const label = columns.outcome[row] ?? outOfRange();
        const at = made.add(
          points.get(point) ?? pointOf(point),
          categories[columns.category[row] ?? outOfRange()] ?? outOfRange(),
          label === 0 ? 0 : (outcomes[label - 1] ?? outOfRange()),
          columns.outcomeAfter[row] ?? outOfRange(),
          forces[force] ?? outOfRange(),
        );
        made.id.set(columns.ids.subarray(row * idBytes, (row + 1) * idBytes), at * idBytes);
        const context = columns.contexts.get(row);
        if (context !== undefined) made.contexts.set(at, context);
        rows.updateOutcome(month, at, lastMonth);
      }
    }
    made.trim();
  }
}

/** A cut file looks like this, and so may a month that the force has revised. */
function tellShrunk(force: string, month: number, before: number, now: number, tally: Tally): void {
  if (now >= before) return;
  const place = `${formatMonth(month)} of ${force}: ${formatCount(now)} rows instead of ${formatCount(before)}`;
  tally.reviseAll([
    { reason: 'month with fewer rows than were loaded of it before', count: before - now, places: [place] },
  ]);
}

/** Writes every part of the table. */
export function writeCrimes(rows: PoliceRows, into: Into): Loaded {
  const { builder } = rows;
  const forces = rows.forces.list.words;
  const months = builder.months();
  const words = {
    names: rows.names.texts,
    lsoas: rows.lsoas.texts,
    forces,
    categories: rows.categories.list.words,
    outcomes: rows.outcomes.list.words,
  };
  for (const [name, columns] of builder.encode(words)) {
    into.progress({ phase: `Writing ${name}`, done: 0, total: undefined });
    into.writePart(name, columns);
  }
  const judged = judgeForces(months, builder.coverageRows(forces.length));
  const first = months[0] ?? outOfRange();
  const last = months.at(-1) ?? outOfRange();
  return {
    edition: `${formatMonth(first)} to ${formatMonth(last)}`,
    asOf: formatDay(lastDayOf(last)),
    rows: builder.size,
    nextEditionExpected: 'monthly, two months behind',
    ...describeCoverage(forces, months, judged),
  };
}

const forcesNamed = 3;

/** "43 forces, 2022-01 to 2024-12; not loaded: Kent Police; without Dyfed-Powys Police 2024-02; partial: Dyfed-Powys Police 2024-01 (31.1% of the usual number)". */
function describeCoverage(
  forces: readonly string[],
  months: readonly number[],
  judged: readonly Coverage[],
): Pick<Loaded, 'extent' | 'coverage'> {
  const monthsOf = (at: number, ...kinds: readonly CoverageKind[]) =>
    months.flatMap((month, column) => {
      const coverage = judged[at * months.length + column] ?? outOfRange();
      return kinds.includes(coverage.kind) ? [{ month, ...coverage }] : [];
    });
  const placed = [...forces.entries()].filter(([, force]) => force !== transportPolice);
  const gaps = placed.flatMap(([at, force]) => {
    const missing = monthsOf(at, 'absent', 'collapsed').map(({ month }) => formatMonth(month));
    if (missing.length === 0) return [];
    const which = missing.length > 3 ? `${missing.length} of ${months.length} months` : missing.join(', ');
    return [`${force} ${which}`];
  });
  const partial = placed.flatMap(([at, force]) =>
    monthsOf(at, 'partial').map((found) => `${force} ${formatMonth(found.month)} (${shareOfUsual(found)})`),
  );
  const span = `${formatMonth(months[0] ?? outOfRange())} to ${formatMonth(months.at(-1) ?? outOfRange())}`;
  const who = forces.length === 1 ? `${forces[0]} only` : `${forces.length} forces`;
  // One publishes nothing since 2019, so it is not missing.
  const absent = territorialForces.filter((force) => force !== silentForce && !forces.includes(force));
  const others = absent.length > forcesNamed ? `${absent.length} other forces` : absent.join(', ');
  const text = [
    `${who}, ${span}`,
    ...(absent.length === 0 ? [] : [`not loaded: ${others}`]),
    ...(gaps.length === 0 ? [] : [`without ${gaps.join('; ')}`]),
    ...(partial.length === 0 ? [] : [`partial: ${partial.join('; ')}`]),
  ].join('; ');
  const isAll = absent.length === 0 && gaps.length === 0;
  return { extent: isAll ? 'complete' : 'partial', coverage: { 'United Kingdom': text } };
}
