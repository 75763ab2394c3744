// HM Land Registry's price paid data: the complete file, years, parts of years and monthly changes (one layout),
// and exports of its query tool.

import { chooseFile, together } from '../../ingest/editions.ts';
import type { InputFile } from '../../ingest/files.ts';
import { loadedBefore } from '../../ingest/losses.ts';
import { firstRows } from '../../ingest/read/csv.ts';
import { FileRefused } from '../../ingest/refusal.ts';
import type { Ground, Into, Judgement, Loaded, Loader, RecognisedFile } from '../../ingest/source.ts';
import { formatCount } from '../../ingest/tally.ts';
import { encodeSaleChanges, saleChangesPart } from '../../tables/sales/changes.ts';
import { encodeSalesIndex, openSalesIndex, type SalesIndex } from '../../tables/sales/sales.ts';
import { salesIndexPart, unplacedArea } from '../../tables/sales/table.ts';
import { formatDay, formatMonth } from '../../uk/calendar.ts';
import { applyFiles } from './apply.ts';
import type { Before } from './build.ts';
import type { FileSizes } from './reading.ts';
import { bulkFields, parseHeader } from './records.ts';

const layouts = {
  'price paid': 'CSV of 16 columns without header (pp-complete, pp-YYYY and its parts, monthly changes)',
  'query-tool export': 'CSV with the columns unique_id, price_paid, deed_date, … (ppd_data.csv)',
} as const;

type Layout = keyof typeof layouts;

const notCovered = 'not covered by the publication';

export const pricePaidOf = (sizes: FileSizes): Loader => ({
  facts: {
    publisher: 'HM Land Registry',
    publisherShort: 'HM Land Registry',
    licence:
      'Open Government Licence v3.0; the addresses only for personal use or to provide residential property price information (Royal Mail and Ordnance Survey)',
    attribution:
      'Contains HM Land Registry data © Crown copyright and database right 2026. This data is licensed under the Open Government Licence v3.0.',
    coverage: {
      England: 'sales registered since 1995',
      Wales: 'sales registered since 1995',
      Scotland: notCovered,
      'Northern Ireland': notCovered,
    },
  },
  publications: [
    {
      name: 'price-paid-complete',
      title: 'Price Paid Data, the complete file',
      page: 'https://www.gov.uk/government/statistical-data-sets/price-paid-data-downloads',
      find: {
        kind: 'fixed',
        addresses: ['https://price-paid-data.publicdata.landregistry.gov.uk/pp-complete.csv'],
      },
      hosts: ['price-paid-data.publicdata.landregistry.gov.uk'],
      rhythm: { text: 'monthly, on the 20th working day', lateAfterDays: 45, askEveryDays: 0 },
      typicalBytes: 5_525_539_417,
      mostBytes: 12_000_000_000,
      loading: { seconds: 200, memoryBytes: 2_900_000_000, diskBytes: 1_730_000_000 },
      gives: 'all of /area/sold-prices',
      set: 'essential',
      terms: {
        name: 'price-paid-addresses',
        text: 'Addresses in Price Paid Data belong to Royal Mail and Ordnance Survey. You may use them for personal purposes or to provide a service of residential property prices, and for nothing else.',
        page: 'https://www.gov.uk/guidance/about-the-price-paid-data',
        leavesOut: 'the publication',
      },
      holds: 'everything',
      readWith: 'nothing else',
    },
    {
      name: 'price-paid-changes',
      title: 'Price Paid Data, changes of the newest month',
      page: 'https://www.gov.uk/government/statistical-data-sets/price-paid-data-downloads',
      find: {
        kind: 'fixed',
        addresses: [
          'https://price-paid-data.publicdata.landregistry.gov.uk/pp-monthly-update-new-version.csv',
        ],
      },
      hosts: ['price-paid-data.publicdata.landregistry.gov.uk'],
      rhythm: { text: 'monthly, on the 20th working day', lateAfterDays: 45, askEveryDays: 0 },
      typicalBytes: 22_000_000,
      mostBytes: 400_000_000,
      loading: { seconds: 25, memoryBytes: 900_000_000, diskBytes: 50_000_000 },
      gives: 'the newest month of /area/sold-prices',
      set: 'essential',
      terms: {
        name: 'price-paid-addresses',
        text: 'Addresses in Price Paid Data belong to Royal Mail and Ordnance Survey. You may use them for personal purposes or to provide a service of residential property prices, and for nothing else.',
        page: 'https://www.gov.uk/guidance/about-the-price-paid-data',
        leavesOut: 'the publication',
      },
      holds: 'changes',
      readWith: 'nothing else',
    },
  ],
  layouts: Object.values(layouts),
  wholeFiles: 'the complete file (pp-complete.csv)',
  // The register grows. Of the changes of a month nothing is asked: how many there are differs from season to season.
  shrinks: { share: 0.01, perYear: 0 },
  recognise,
  headerAlone: ({ file }) => (beginsWithSale(file) ? 'read' : 'refused'),
  judge,
  load: (files, into) => load(files, into, sizes),
});

export const pricePaid: Loader = pricePaidOf({ complete: 5_000_000, month: 300_000 });

function recognise(file: InputFile): Layout | undefined {
  if (file.form !== 'text') return undefined;
  const [first] = firstRows(file.head, 1, 'cp1252');
  if (first === undefined) return undefined;
  const header = parseHeader(first);
  if (header !== undefined) return 'query-tool export';
  const [id = '', price = '', date = ''] = first;
  const isRecord =
    first.length === bulkFields.columns &&
    /^\{?[0-9A-F]{8}(-[0-9A-F]{4}){3}-[0-9A-F]{12}\}?$/i.test(id) &&
    /^\d+$/.test(price) &&
    /^\d{4}-\d\d-\d\d( |$)/.test(date);
  return isRecord ? 'price paid' : undefined;
}

/** Files for bulk download have no header, and the query tool may write the first sale behind its header. */
function beginsWithSale(file: InputFile): boolean {
  const [first = []] = file.form === 'text' ? firstRows(file.head, 1, 'cp1252') : [];
  const header = parseHeader(first);
  return header === undefined || header.gluedAt !== undefined;
}

/** The complete file has had more since 2000. No other has a tenth of it. */
const leastOfComplete = 1 << 30;

/** One complete file is read, and whatever else is given is applied to it. Changes alone need what they change. */
function judge(files: readonly RecognisedFile[], ground: Ground): Judgement {
  // Of sales that this program cannot read, the loader tells what to do.
  const isLoaded =
    loadedBefore(ground.base, 'price-paid') !== undefined ||
    ground.base?.findUnreadable('price-paid') !== undefined;
  const [change] = files.filter(({ file }) => isOfChanges(file));
  if (!isLoaded && change !== undefined && files.every(({ file }) => isOfChanges(file))) {
    throw new FileRefused(
      change.file.name,
      'has the changes of a month, but nothing is loaded that they could change. Give the complete file (pp-complete.csv) or the files of years (pp-2026.csv) with it, or load them first',
    );
  }
  const complete = files.filter(({ file }) => file.weight >= leastOfComplete);
  const others = { read: files.filter((given) => !complete.includes(given)), passedOver: [] };
  return together(chooseFile(complete, ground), others);
}

/** Among its first records are some that correct or delete a sale. */
const isOfChanges = (file: InputFile): boolean =>
  file.form === 'text' &&
  firstRows(file.head, headRows, 'cp1252').some(
    (row) => row.length === bulkFields.columns && /^[CD]$/.test(row.at(-1)?.trim() ?? ''),
  );
const headRows = 100;

async function load(files: readonly RecognisedFile[], into: Into, sizes: FileSizes): Promise<Loaded> {
  const known = openBefore(into);
  const { build, log, standing, before, isWhole } = await applyFiles(files, into, known, sizes);
  if (!isWhole) into.needBefore();
  const { areas, areaOfTown, outcome } = await build.finish(before);
  into.writePart(salesIndexPart, encodeSalesIndex({ areas, areaOfTown, standing }));
  if (log.isChanged || before === undefined)
    into.writePart(saleChangesPart, encodeSaleChanges(log.toChanges()));
  else into.keepPart(saleChangesPart);
  const served = areas.filter(({ area }) => area !== unplacedArea);
  if (served.length === 0) {
    const names = files.map(({ file }) => file.name).join(', ');
    throw new FileRefused(names, `has no sale that can be loaded${firstReason(into)}`);
  }
  const { missing } = log.months;
  into.tally.note(missingNote(missing), missing.length, '');
  if (outcome === 'same' && !log.isChanged)
    into.tally.note('nothing changed: everything in these files is already loaded', 1, '');
  const newestDay = newestOf(served);
  const newestBefore = known === undefined ? 0 : newestOf(known.index.areas);
  if (isWhole && newestDay < newestBefore) {
    const lost = `sales after ${formatDay(newestDay)}, to ${formatDay(newestBefore)}`;
    into.losses.refuse([lost], 'Load a newer complete file, or give the files of the months since with it.');
  }
  const newest = formatDay(newestDay);
  return {
    edition: `sales to ${newest}`,
    asOf: newest,
    rows: served.reduce((sum, { rows }) => sum + rows, 0),
    extent: standing === 'complete' && missing.length > 0 ? 'partial' : standing,
    nextEditionExpected: 'monthly, on the 20th working day',
    ...(standing === 'complete'
      ? coverageWithout(missing)
      : { coverage: partialCoverage(served, newest, missing) }),
  };
}

const monthsNamed = 12;

function listMonths(months: readonly number[]): string {
  const named = months.slice(0, monthsNamed).map(formatMonth).join(', ');
  return months.length > monthsNamed ? `${named} and ${months.length - monthsNamed} more` : named;
}

const missingNote = (months: readonly number[]) =>
  `no changes of ${listMonths(months)} are loaded, though later ones are. Load that file too, now or later; if you cannot get it, the complete file has all of it`;

/** The complete register is loaded, and some months after it are missing. */
const coverageWithout = (missing: readonly number[]): Pick<Loaded, 'coverage'> => {
  if (missing.length === 0) return {};
  const what = `sales registered since 1995, without the changes of ${listMonths(missing)}`;
  return {
    coverage: { England: what, Wales: what, Scotland: notCovered, 'Northern Ireland': notCovered },
  };
};
const newestOf = (areas: readonly { readonly newestDay: number }[]) =>
  areas.reduce((latest, { newestDay }) => Math.max(latest, newestDay), 0);

const areasNamed = 12;

/** What is there of the register, of which the complete file was never given. */
function partialCoverage(
  served: SalesIndex['areas'],
  newest: string,
  missing: readonly number[],
): NonNullable<Loaded['coverage']> {
  const named = served.slice(0, areasNamed).map(({ area, newestDay }) => {
    const to = formatDay(newestDay);
    return to.slice(0, 7) < newest.slice(0, 7) ? `${area} (to ${to})` : area;
  });
  const more = served.length - named.length;
  const areas = `postcode area${served.length === 1 ? '' : 's'} ${named.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
  const rows = served.reduce((sum, area) => sum + area.rows, 0);
  return {
    'England and Wales': `${formatCount(rows)} sales of ${areas}, to ${newest}; the complete register is not loaded${missing.length === 0 ? '' : `, nor are the changes of ${listMonths(missing)}`}`,
    Scotland: notCovered,
    'Northern Ireland': notCovered,
  };
}

/** The sales to build on. The sample that comes with the program gives way to what an operator loads. */
function openBefore({ base, source, kind, tally }: Into): Before | undefined {
  if (base?.findDataset(source.dataset) === undefined) return undefined;
  const index = openSalesIndex(base);
  if (index.standing !== 'sample' || kind !== 'loaded') return { release: base, index };
  const rows = index.areas.reduce((sum, area) => sum + area.rows, 0);
  for (let row = 0; row < rows; row++)
    tally.revise('sale of the bundled sample removed', `${base.id}:${row + 1}`);
  return undefined;
}

function firstReason({ tally }: Into): string {
  const [first] = tally.rejects;
  return first === undefined ? '' : `; ${first.places[0] ?? ''}: ${first.reason}`;
}
