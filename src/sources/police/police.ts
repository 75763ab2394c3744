// Street-level crime and outcomes of data.police.uk: the archive as a zip or folder, or single files of it. A force's
// month takes the place of the same month loaded before, unless that is of a newer archive; everything else stays.

import type { InputFile } from '../../ingest/files.ts';
import { loadedBefore } from '../../ingest/losses.ts';
import { hasTitles } from '../../ingest/read/named-rows.ts';
import { FileRefused } from '../../ingest/refusal.ts';
import type {
  DatasetFacts,
  Ground,
  Into,
  Judgement,
  Loaded,
  Loader,
  RecognisedFile,
} from '../../ingest/source.ts';
import { defined } from '../../out-of-range.ts';
import { crimeArchivesTable, readCrimeArchives } from '../../tables/crime/archives.ts';
import { openCrimes } from '../../tables/crime/crimes.ts';
import { formatDay, formatMonth, lastDayOf } from '../../uk/calendar.ts';
import { transportPolice } from '../../uk/police.ts';
import { carryOver } from './carry-over.ts';
import { chooseFiles, describeFiles, type Layout } from './overlaps.ts';
import { outcomesColumns, PoliceRows, streetColumns } from './rows.ts';
import { describeCoverage, monthsWithoutTransportPolice } from './whole.ts';

const policeFacts: DatasetFacts = {
  publisher: 'Police forces of England, Wales and Northern Ireland, through data.police.uk',
  publisherShort: 'data.police.uk',
  licence: 'Open Government Licence v3.0',
  attribution: 'Contains public sector information licensed under the Open Government Licence v3.0.',
  coverage: {
    England: 'the loaded forces and months; Greater Manchester has published nothing since July 2019',
    Wales: 'the loaded forces and months',
    'Northern Ireland': 'until July 2023; never with outcomes',
    Scotland: 'British Transport Police only',
  },
};

export const police: Loader = {
  facts: policeFacts,
  publications: [
    {
      name: 'police-archive',
      title: 'Street-level crime, the three-year archive',
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
      loading: { seconds: 220, memoryBytes: 1_900_000_000, diskBytes: 1_010_000_000 },
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
  // A force may have nothing to publish in a month. What is loaded of that month stays.
  // Forces revise their months; each is compared by itself.
  shrinks: { share: 0.2, perYear: 0 },
  headerAlone: () => 'passed over',
  judge,
  load,
};

function recognise(file: InputFile): Layout | undefined {
  if (file.form !== 'text') return undefined;
  if (hasTitles(file, ...streetColumns.required)) return 'street';
  return hasTitles(file, ...outcomesColumns.required) ? 'outcomes' : undefined;
}

const textsOf = (files: readonly RecognisedFile[]) =>
  files.flatMap(({ file, layout }) =>
    file.form === 'text' ? [{ file, layout: layout === 'street' ? 'street' : 'outcomes' } as const] : [],
  );

/** Which of them are read, their contents tell. */
function judge(files: readonly RecognisedFile[], { dating }: Ground): Judgement {
  describeFiles(textsOf(files), dating);
  return { read: files, passedOver: [] };
}

async function load(files: readonly RecognisedFile[], into: Into): Promise<Loaded> {
  const { dating, tally } = into;
  const before = loadedBefore(into.base, 'crime');
  const archiveBefore = before === undefined ? () => 0 : readCrimeArchives(before);
  const rows = new PoliceRows(into, archiveBefore);
  const chosen = await chooseFiles(describeFiles(textsOf(files), dating), tally);
  for (const { file, layout } of chosen) if (layout === 'outcomes') await rows.readOutcomes(file);
  for (const { file, layout, archive } of chosen)
    if (layout === 'street') await rows.readStreet(file, archive);
  for (const { force, month, crimes } of into.cut?.elsewhere ?? [])
    rows.builder.countPublished(month, rows.forces.list.number(force), crimes);
  if (before !== undefined) carryOver(openCrimes(before), archiveBefore, rows, into);
  if (rows.builder.size === 0) {
    const names = files.map(({ file }) => file.name).join(', ');
    throw new FileRefused(names, 'holds no crimes; expected files like 2024-12-leicestershire-street.csv');
  }
  rows.report(transportPolice);
  tellTransportPolice(rows, into);
  into.writePart(crimeArchivesTable.part, rows.builder.encodeArchives(rows.forces.list.words));
  return writeCrimes(rows, into);
}

/** Who loads the files of single forces does not see that other crimes lie in their areas too. */
function tellTransportPolice({ builder, forces }: PoliceRows, { tally }: Into): void {
  const { words } = forces.list;
  const months = builder.months();
  const missing = monthsWithoutTransportPolice({
    forces: words,
    months,
    rows: builder.coverageRows(words.length),
  });
  tally.note(
    `month without ${transportPolice}, whose crimes lie on railways in the areas of all other forces`,
    missing.length,
    missing.length === 0 ? '' : formatMonth(defined(missing.at(-1))),
  );
}

/** Writes every part of the table. */
function writeCrimes(rows: PoliceRows, into: Into): Loaded {
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
  const first = defined(months[0]);
  const last = defined(months.at(-1));
  return {
    edition: `${formatMonth(first)} to ${formatMonth(last)}`,
    asOf: formatDay(lastDayOf(last)),
    rows: builder.size,
    nextEditionExpected: 'monthly, two months behind',
    ...describeCoverage({ forces, months, rows: builder.coverageRows(forces.length) }),
  };
}
