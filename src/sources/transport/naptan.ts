// NaPTAN, the national list of access nodes to public transport: stations and bus stops of Great Britain, as one CSV
// of all areas or of some. Also the list of railway stations of its older form (RailReferences.csv). An area that is
// given takes the place of the same area loaded before.

import { refuseOlder } from '../../ingest/dating.ts';
import { chooseFile, together } from '../../ingest/editions.ts';
import type { InputFile, TextFile } from '../../ingest/files.ts';
import { type CsvRow, firstRows } from '../../ingest/read/csv.ts';
import {
  columnsOf,
  hasTitles,
  type Places,
  placeOf,
  type RowFormat,
  readNamedRows,
  refuseHeader,
} from '../../ingest/read/named-rows.ts';
import { FileRefused } from '../../ingest/refusal.ts';
import type { Ground, Into, Judgement, Loaded, Loader, RecognisedFile } from '../../ingest/source.ts';
import { formatCount } from '../../ingest/tally.ts';
import { defined, outOfRange } from '../../out-of-range.ts';
import {
  type AreaDays,
  type BusStop,
  busStopTypes,
  encodeBusStops,
  encodeStations,
  encodeStopAreas,
  openStops,
  type Station,
  type StationKind,
  type StopsCover,
  stationsPart,
} from '../../tables/transport/stops.ts';
import { isWholeOfStops } from '../../tables/whole.ts';
import { formatDay, parseDay } from '../../uk/calendar.ts';
import { type MicroPoint, parseDegrees, parseGrid } from '../gb-point.ts';
import { isRailStation, mergeStations } from './station-merge.ts';

type Layout = 'access nodes' | 'railway stations';

const nodeColumns = {
  required: ['atcocode', 'commonname', 'easting', 'northing', 'stoptype', 'modificationdatetime', 'status'],
  optional: ['gridtype', 'longitude', 'latitude'],
} as const;

const railColumns = {
  required: ['atcocode', 'stationname', 'easting', 'northing', 'modificationdatetime'],
  optional: ['gridtype', 'modification'],
} as const;

const format: RowFormat = { width: 'counted', encoding: 'either' };

/** Today's list has the words in full, older files have them in short. A row without one is active, as the schema says. */
const activeWords: readonly string[] = ['active', 'act', ''];
const otherWords: readonly string[] = ['inactive', 'pending', 'ina', 'pen', 'del', 'deleted'];

/** A code begins with its area's. */
const areaOf = (code: string) => code.slice(0, 3);
const railArea = '910';
const areasNamed = 5;

const notRail = 'stop of a bus, boat or metro in the list of railway stations';
const noPoint = 'no place in Great Britain';

export const naptan: Loader = {
  facts: {
    publisher: 'Department for Transport',
    publisherShort: 'DfT',
    licence: 'Open Government Licence v3.0',
    attribution:
      'Contains public sector information licensed under the Open Government Licence v3.0 (Department for Transport, NaPTAN).',
    coverage: {
      England: 'stations and bus stops in use',
      Wales: 'stations and bus stops in use',
      Scotland: 'stations and bus stops in use',
      'Northern Ireland': 'none',
    },
  },
  publications: [
    {
      name: 'naptan',
      title: 'NaPTAN, access nodes',
      page: 'https://beta-naptan.dft.gov.uk/download',
      find: {
        kind: 'fixed',
        addresses: ['https://naptan.api.dft.gov.uk/v1/access-nodes?dataFormat=csv'],
      },
      hosts: ['naptan.api.dft.gov.uk'],
      rhythm: { text: 'daily', lateAfterDays: 120, askEveryDays: 30 },
      typicalBytes: 101_601_122,
      mostBytes: 600_000_000,
      loading: { seconds: 9, memoryBytes: 400_000_000, diskBytes: 5_000_000 },
      gives: 'stations of /area/statistics',
      set: 'essential',
      holds: 'everything',
      readWith: 'nothing else',
    },
  ],
  layouts: [
    'CSV of access nodes (https://naptan.api.dft.gov.uk/v1/access-nodes?dataFormat=csv), of all areas or some',
    'RailReferences.csv of the older archive: railway stations alone',
  ],
  recognise,
  headerAlone: () => 'refused',
  judge,
  load,
};

function recognise(file: InputFile): Layout | undefined {
  if (hasTitles(file, 'atcocode', 'commonname', 'stoptype')) return 'access nodes';
  return hasTitles(file, 'atcocode', 'tiploccode', 'stationname') ? 'railway stations' : undefined;
}

/** The list of all areas has 100 MB, and there are some 140 areas: so much is never of one. */
const leastOfAllAreas = 40_000_000;

/** Of all areas one list is read. Lists of some areas are read together, but for those that begin with the same stop: they
 *  are editions of one list. */
function judge(files: readonly RecognisedFile[], ground: Ground): Judgement {
  const judged = chooseFiles(files, ground);
  for (const { file, layout } of judged.read) {
    const columns = layout === ('access nodes' satisfies Layout) ? nodeColumns : railColumns;
    if (file.form === 'text') refuseHeader(file, format, columnsOf(file, columns, format));
  }
  return judged;
}

function chooseFiles(files: readonly RecognisedFile[], ground: Ground): Judgement {
  const nodes = files.filter(({ layout }) => layout === ('access nodes' satisfies Layout));
  const railways = files.filter((given) => !nodes.includes(given));
  const passOver = (given: readonly RecognisedFile[], because: string): Judgement => ({
    read: [],
    passedOver: given.map(({ file }) => ({ name: file.name, because })),
  });
  if (nodes.length === 0) {
    const judged = chooseFile(railways, ground);
    refuseRailways(ground);
    return judged;
  }
  const older = passOver(railways, 'the older list of stations, beside access nodes');
  const all = nodes.filter(({ file }) => file.weight >= leastOfAllAreas);
  if (all.length > 0) {
    const areas = nodes.filter((given) => !all.includes(given));
    return together(
      chooseFile(all, ground),
      passOver(areas, 'its areas are in the list of all areas'),
      older,
    );
  }
  const lists = Map.groupBy(nodes, ({ file }) => firstStop(file) ?? file.name);
  return together(...[...lists.values()].map((same) => chooseFile(same, ground)), older);
}

function firstStop(file: InputFile): string | undefined {
  if (file.form !== 'text') return undefined;
  const [header = [], first = []] = firstRows(file.head, 2, 'cp1252');
  return first[header.map((title) => title.trim().toLowerCase()).indexOf('atcocode')];
}

async function load(files: readonly RecognisedFile[], into: Into): Promise<Loaded> {
  const rows = new NaptanRows(into);
  const texts = (wanted: Layout) =>
    files.flatMap(({ file, layout }) => (layout === wanted && file.form === 'text' ? [file] : []));
  const nodes = texts('access nodes');
  const railways = texts('railway stations');
  for (const file of nodes) await rows.readNodes(file);
  for (const file of railways) await rows.readRailways(file);
  if (rows.stations.length + rows.busStops.length === 0) {
    const names = files.map(({ file }) => file.name).join(', ');
    throw new FileRefused(
      names,
      'holds no active station or bus stop; expected rows of StopType BCT, RLY, MET',
    );
  }
  const [first] = files;
  const day = rows.days.newest ?? (first === undefined ? outOfRange() : into.dating.dayOf(first.file));
  return writeStops(rows, takeOver(rows, day, into), into);
}

/** The older list has no Underground and no buses. */
function refuseRailways({ base, losses }: Ground): void {
  if (base?.findDataset('stops') === undefined) return;
  const covers = [...openStops(base).covers].filter((cover) => cover !== 'rail');
  losses.refuse(
    covers.map((cover) => `stops of kind ${cover}`),
    'Give the CSV of access nodes instead.',
  );
}

// Of which day the stops of an area are. Areas come together in one list or each in its own, so that each has a day; an older
// list of an area is told from one in which nothing has changed for months.

const laterOf = (a: number | undefined, b: number | undefined): number | undefined =>
  a === undefined || b === undefined ? (a ?? b) : Math.max(a, b);

type Told = { readonly listed: number | undefined; readonly changed: number | undefined };

/** What the rows of the files tell. */
class DaysOfAreas {
  /** The newest change in all files; undefined where no row tells one. */
  newest: number | undefined;
  readonly #areas = new Map<string, Told>();
  /** Of the file that is being read. */
  readonly #changed = new Map<string, number | undefined>();

  /** A stop of the area, with the day on which it was changed. */
  add(area: string, day: number | undefined): void {
    this.#changed.set(area, laterOf(this.#changed.get(area), day));
  }

  /** Each area of a list is of the day of the list. */
  endFile(): void {
    const listed = [...this.#changed.values()].reduce(laterOf, undefined);
    for (const [area, changed] of this.#changed) {
      const known = this.#areas.get(area);
      this.#areas.set(area, {
        listed: laterOf(known?.listed, listed),
        changed: laterOf(known?.changed, changed),
      });
    }
    this.newest = laterOf(this.newest, listed);
    this.#changed.clear();
  }

  /** By area; `day` for lists whose rows tell none. */
  orElse(day: number): Map<string, AreaDays> {
    return new Map(
      [...this.#areas].map(([area, { listed, changed }]) => [area, { listed: listed ?? day, changed }]),
    );
  }
}

type Age = {
  readonly area: string;
  readonly age: 'older' | 'not older' | 'not known';
  /** The day that the area is known to be of. */
  readonly listed: number;
  readonly lost?: string;
};

/** A list of some areas may have had no change for months. One of an earlier day is older where the loaded one of the same
 *  area has later changes. */
function compareDays(area: string, before: AreaDays, now: AreaDays): Age {
  const listed = Math.max(before.listed, now.listed);
  if (now.listed >= before.listed) return { area, age: 'not older', listed };
  if (before.changed === undefined || now.changed === undefined) return { area, age: 'not known', listed };
  if (now.changed >= before.changed) return { area, age: 'not older', listed };
  const lost = `changes of area ${area} from ${formatDay(now.changed)} to ${formatDay(before.changed)}`;
  return { area, age: 'older', listed, lost };
}

/** Adds the areas of the earlier load that these files do not have. Returns the days of all areas. Throws IngestRefused. */
function takeOver(rows: NaptanRows, day: number, into: Into): ReadonlyMap<string, AreaDays> {
  const days = rows.days.orElse(day);
  const { base } = into;
  const before = base?.findDataset('stops');
  if (base === undefined || before === undefined || before.extent === 'sample') return days;
  const stops = openStops(base);
  const known = [...stops.stations()];
  const areas = countByArea(known, stops.busStops());
  const replaced = [...areas.keys()].filter((area) => days.has(area));
  const given = countByArea(mergeStations(rows.stations), rows.busStops);
  into.losses.refuseShrunk(
    replaced.map((area) => ({
      name: `area ${area}`,
      before: defined(areas.get(area)),
      now: given.get(area) ?? 0,
    })),
  );
  const knownDays = (area: string): AreaDays => defined(stops.areaDays.get(area));
  const newest = Math.max(...[...areas.keys()].map((area) => knownDays(area).listed));
  // Where all of before is replaced, no area can have been without a change for months.
  if (replaced.length === areas.size) refuseOlder(day, into, newest);
  const ages = replaced.map((area) => compareDays(area, knownDays(area), defined(days.get(area))));
  const lost = ages.flatMap((age) => age.lost ?? []);
  const more = lost.length - areasNamed;
  into.losses.refuse(
    [...lost.slice(0, areasNamed), ...(more > 0 ? [`changes of ${more} more areas`] : [])],
    'Give a newer list of each area.',
  );
  const unclear = ages.filter(({ age }) => age === 'not known').map(({ area }) => area);
  const reason = `area replaced by a list with changes to ${formatDay(day)}; the loaded one had changes to ${before.asOf}`;
  into.tally.note(reason, unclear.length, unclear.join(' '));
  for (const { area, age, listed } of ages)
    if (age === 'not older') days.set(area, { ...defined(days.get(area)), listed });
  const kept = new Set([...areas.keys()].filter((area) => !days.has(area)));
  for (const area of kept) days.set(area, knownDays(area));
  for (const station of known) if (kept.has(areaOf(station.code))) rows.stations.push(station);
  for (const stop of stops.busStops()) if (kept.has(stop.area)) rows.busStops.push(stop);
  return days;
}

function countByArea(stations: Iterable<Station>, busStops: Iterable<BusStop>): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  const count = (area: string) => counts.set(area, 1 + (counts.get(area) ?? 0));
  for (const { code } of stations) count(areaOf(code));
  for (const { area } of busStops) count(area);
  return counts;
}

function writeStops(rows: NaptanRows, days: ReadonlyMap<string, AreaDays>, into: Into): Loaded {
  const { tally, kind } = into;
  const { busStops } = rows;
  const stations = mergeStations(rows.stations);
  const filled = countByArea(stations, busStops);
  const ofFilled = new Map([...days].filter(([area]) => filled.has(area)));
  tally.note('row merged into another row of its station', rows.stations.length - stations.length, '');
  tally.note('row without a status, which means active', rows.withoutStatus, '');
  tally.kept = rows.kept;
  const areas = new Set(busStops.map(({ area }) => area)).size;
  const isWhole = kind === 'sandbox' || isWholeOfStops('bus', areas);
  // The sample tells by itself how far it reaches.
  const covers: StopsCover[] = [
    ...[...Map.groupBy(stations, (station) => station.kind)]
      .filter(([of, those]) => kind !== 'loaded' || isWholeOfStops(of, those.length))
      .map(([of]) => of),
    ...(isWhole ? (['bus'] as const) : []),
  ];
  into.writePart(stationsPart, encodeStations(stations, covers));
  const others = { ...encodeBusStops(busStops), ...encodeStopAreas(ofFilled) };
  for (const [part, columns] of Object.entries(others)) into.writePart(part, columns);
  const listed = [...ofFilled.values()].map((area) => formatDay(area.listed)).sort();
  const [oldest = outOfRange()] = listed;
  const newest = defined(listed.at(-1));
  const isEverything = isWhole && covers.includes('tube') && covers.includes('rail');
  return {
    edition: `changes to ${newest}${oldest === newest ? '' : `, in the oldest area to ${oldest}`}`,
    asOf: oldest,
    rows: stations.length + busStops.length,
    extent: isEverything ? 'complete' : 'partial',
    nextEditionExpected: 'daily',
    coverage: { 'Great Britain': describe(stations, busStops.length, areas), 'Northern Ireland': 'none' },
  };
}

function describe(stations: readonly Station[], busStops: number, areas: number): string {
  const count = (kind: StationKind) => stations.filter((station) => station.kind === kind).length;
  return `${formatCount(count('tube'))} Underground, ${formatCount(count('rail'))} railway and ${formatCount(count('metro'))} metro and tram stations; ${formatCount(busStops)} bus stops of ${areas} areas`;
}

class NaptanRows {
  /** One a row, not yet merged. */
  readonly stations: Station[] = [];
  readonly busStops: BusStop[] = [];
  /** Of every code in the files, whether kept or not: what these files speak for. */
  readonly days = new DaysOfAreas();
  kept = 0;
  withoutStatus = 0;
  readonly #into: Into;
  /** Of every row that was kept, the file it stands in. */
  readonly #codes = new Map<string, TextFile>();

  constructor(into: Into) {
    this.#into = into;
  }

  async readNodes(file: TextFile): Promise<void> {
    await readNamedRows(file, format, columnsOf(file, nodeColumns, format), this.#into, (row, at) => {
      const outcome = this.#takeNode(row, at, file);
      if (outcome === 'kept') this.kept += 1;
      else this.#into.tally.reject(outcome, placeOf(file, row));
    });
    this.days.endFile();
  }

  async readRailways(file: TextFile): Promise<void> {
    await readNamedRows(file, format, columnsOf(file, railColumns, format), this.#into, (row, at) => {
      const outcome = this.#takeRailway(row, at, file);
      if (outcome === 'kept') this.kept += 1;
      else this.#into.tally.reject(outcome, placeOf(file, row));
    });
    this.days.endFile();
  }

  /** Returns why a row was not kept. */
  #takeNode(row: CsvRow, at: Places<typeof nodeColumns>, file: TextFile): string {
    const code = row.text(at.atcocode).trim();
    if (code === '') return 'no ATCO code';
    const area = areaOf(code);
    this.#takeDay(area, row.text(at.modificationdatetime));
    const status = row.text(at.status).trim().toLowerCase();
    if (otherWords.includes(status)) return 'not active';
    if (!activeWords.includes(status)) return `unknown status ${JSON.stringify(status)}`;
    const type = row.text(at.stoptype).trim().toUpperCase();
    // On the street, and bays of bus stations.
    const busType = busStopTypes.find((known) => known === type);
    if (busType === undefined && type !== 'RLY' && type !== 'MET')
      return 'another kind of node, not a station or bus stop';
    const name = row.text(at.commonname).trim();
    if (type === 'RLY' && !isRailStation(code, name)) return notRail;
    if (this.#isGiven(code, file)) return 'duplicate ATCO code';
    const point = parseDegrees(row.text(at.latitude), row.text(at.longitude)) ?? this.#pointOnGrid(row, at);
    if (point === undefined) return noPoint;
    this.#codes.set(code, file);
    if (status === '') this.withoutStatus += 1;
    if (busType !== undefined) this.busStops.push({ ...point, area, named: { code, name, type: busType } });
    else this.stations.push({ ...point, kind: kindOf(type, code), code, name });
    return 'kept';
  }

  #takeRailway(row: CsvRow, at: Places<typeof railColumns>, file: TextFile): string {
    const code = row.text(at.atcocode).trim();
    if (code === '') return 'no ATCO code';
    this.#takeDay(railArea, row.text(at.modificationdatetime));
    const name = row.text(at.stationname).trim();
    if (row.text(at.modification).trim().toLowerCase() === 'del') return 'not active';
    if (!isRailStation(code, name)) return notRail;
    if (this.#isGiven(code, file)) return 'duplicate ATCO code';
    const point = this.#pointOnGrid(row, at);
    if (point === undefined) return noPoint;
    this.#codes.set(code, file);
    this.stations.push({ ...point, kind: 'rail', code, name });
    return 'kept';
  }

  /** Throws FileRefused where another file has the stop: which of them is newer is not known. */
  #isGiven(code: string, file: TextFile): boolean {
    const other = this.#codes.get(code);
    if (other === undefined || other === file) return other !== undefined;
    throw new FileRefused(
      `${other.name}, ${file.name}`,
      `both have the stop ${code}, so they are two editions of one list; give one of them`,
    );
  }

  #pointOnGrid(
    row: CsvRow,
    at: Pick<Places<typeof nodeColumns>, 'gridtype' | 'easting' | 'northing'>,
  ): MicroPoint | undefined {
    // "I" or "IrishOS": another grid, which would put the stop into the sea.
    const isIrish = row.text(at.gridtype).trim().toUpperCase().startsWith('I');
    return isIrish ? undefined : parseGrid(row.text(at.easting), row.text(at.northing));
  }

  #takeDay(area: string, text: string): void {
    // Clocks of some authorities run ahead.
    this.days.add(area, this.#into.dating.past(parseDay(text.slice(0, 10))));
  }
}

function kindOf(type: string, code: string): StationKind {
  if (type === 'RLY') return 'rail';
  // Battersea Power Station and Nine Elms have no LU in their codes.
  return /^9400ZZ(LU|BPSUST|NEUGST)/i.test(code) ? 'tube' : 'metro';
}
