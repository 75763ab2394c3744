// All benchmarks: what each compares, and what starts it.

export type Benchmark = {
  readonly name: string;
  /** Below bench/. */
  readonly program: string;
  /** Given where the command line gives none. */
  readonly args?: readonly string[];
  /** What it must be told, for those that cannot start without. */
  readonly needs?: string;
  /** `all`: part of a run without names, some minutes each. `named`: hours, many gigabytes, a browser or another checkout. */
  readonly runs: 'all' | 'named';
  readonly compares: string;
};

export const benchmarks: readonly Benchmark[] = [
  {
    name: 'metering',
    program: 'metering/run.ts',
    runs: 'all',
    compares:
      'The metered `/bank-rates?limit=1` (key, three windows, envelope, log line, charge committed with `synchronous=FULL` before the reply) against bare Fastify that returns the same object. The load generator never sleeps: waking a reader costs the slower server more.',
  },
  {
    name: 'metering-against',
    program: 'metering/against.ts',
    needs: 'FOLDER of another checkout after its `npm ci`',
    runs: 'named',
    compares:
      'The same call of this checkout and of another, both serving at once, asked in turn for a tenth of a second each. A program against a copy of itself gives 0.98 to 1.02. The row is of the state before batches, compression, dashboard and request log.',
  },
  {
    name: 'engine-alone',
    program: 'engine-alone.ts',
    runs: 'all',
    compares:
      'Admission and charge by the embedded ledger, with 1, 8, 64 and 512 callers, against a plain program of SQLite (`WAL`, `synchronous=FULL`) that keeps a journal with a unique id and balances, as many charges in a commit. The first is processor time, the median of one caller the clock.',
  },
  {
    name: 'batch',
    program: 'batch/run.ts',
    runs: 'all',
    compares:
      'A hundred look-ups in one `POST /batch` against the same hundred as single calls on 8 connections, each charged. On a Neoverse N1, whose single calls are slower, the ratio was 9.2.',
  },
  {
    name: 'replicas',
    program: 'replicas/run.ts',
    runs: 'named',
    compares:
      'The metered call with the ledger in a file and in PostgreSQL 18 (`fsync` on), one process and two, 64 connections, against bare Fastify. Database, services and load share two cores; the time of the main thread is what counts where the database has its own machine.',
  },
  {
    name: 'start',
    program: 'start/run.ts',
    runs: 'all',
    compares:
      'From the command to the first 200 of `/health/ready` with the bundled sample: after `npm ci`, on a home that is there, and after an install without scripts.',
  },
  {
    name: 'postcodes',
    program: 'postcodes/run.ts',
    runs: 'all',
    compares:
      'Look-ups of 200,000 postcodes in the 1.7 million of the country against SQLite with the file’s lock kept and all of it in memory.',
  },
  {
    name: 'sold-prices',
    program: 'sold-prices/run.ts',
    args: ['30000000'],
    runs: 'named',
    compares:
      'Questions to 30 million made-up sales, from parameters to finished JSON, against rows in the driver from SQLite and PostgreSQL with covering indexes and from DuckDB; equal answers first.',
  },
  {
    name: 'sold-prices-ingest',
    program: 'sold-prices/ingest.ts',
    args: ['30000000'],
    runs: 'named',
    compares: 'Loading those sales, and then a month of changes. Aims: 200 s and 2.5 GB.',
  },
  {
    name: 'sold-prices-load',
    program: 'sold-prices/load.ts',
    args: ['30000000'],
    runs: 'named',
    compares:
      'The tail: the real server with keys and charges, questions of all shapes arriving at a fixed rate; a reply’s time counts from when its request was due.',
  },
  {
    name: 'crime',
    program: 'crime/run.ts',
    runs: 'named',
    compares:
      'Totals of 24 months and categories of the newest within a mile, among 20 million made-up crimes, against SQLite (R-tree), DuckDB and PostgreSQL (GiST); equal answers first.',
  },
  {
    name: 'area-statistics',
    program: 'area-statistics/run.ts',
    needs: 'HOME with the country loaded',
    runs: 'named',
    compares:
      'One call of `/area/statistics` and of `/area/places`, from parameters to finished JSON, anywhere and in inner London. The rows are of an earlier made-up country of the same size.',
  },
  {
    name: 'addresses',
    program: 'addresses/run.ts',
    runs: 'all',
    compares:
      'One match among 10,000 addresses of one postcode (a real one has a hundred), for ordinary and hostile texts.',
  },
  {
    name: 'address-pairs',
    program: 'addresses/pairs.ts',
    runs: 'named',
    compares:
      'Never a wrong home: a million made-up homes that differ from the listed ones in one thing, by the matcher, and 40,000 by `/council-tax/property-lookup`. Every run has another seed and prints it.',
  },
  {
    name: 'update',
    program: 'update/run.ts',
    needs: '[SCALE = 1] [FOLDER of the mirror] [HOME]; the command `zip`; half an hour and 24 GB at scale 1',
    runs: 'named',
    compares:
      'Every publication made up in its official layout and real size (11.6 GB), then `domesday update` on an empty home, again with nothing new, and beside a service that answers 100 requests a second. HOME then has the country for the benchmarks that need one.',
  },
  {
    name: 'explore',
    program: 'explore/place-page.ts',
    needs: 'HOME with the country loaded; Chromium',
    runs: 'named',
    compares:
      'To the last panel of a place, in a browser: from the search, at the first visit, the second and the third.',
  },
  {
    name: 'map',
    program: 'explore/map-frames.ts',
    needs: 'Chromium',
    runs: 'named',
    compares:
      'Frames of the map under a finger with 20,000 points, on a phone’s screen with a processor four times as slow.',
  },
];
