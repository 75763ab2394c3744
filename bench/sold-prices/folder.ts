// The folder of one size of the benchmark: the generated file, the release made of it, the engines loaded with it. What
// is there from an earlier run is used again.

import { existsSync, mkdirSync, mkdtempSync, renameSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { noProgress } from '../../src/ingest/progress.ts';
import { runIngest } from '../../src/ingest/run.ts';
import { ReleaseStore } from '../../src/release/store.ts';
import { sourcesNamed } from '../../src/sources/index.ts';
import { layouts } from '../../src/tables/index.ts';
import { report } from '../figures.ts';
import { allLines, createWorld, type World, writeLines } from './generate.ts';

export const say = (line: string): void => console.log(line);
export const seconds = (sinceMs: number): string => `${((performance.now() - sinceMs) / 1000).toFixed(1)} s`;
export const megabytes = (bytes: number): string => `${Math.round(bytes / 2 ** 20)} MB`;

export class BenchFolder {
  readonly rows: number;
  readonly path: string;
  readonly csv: string;
  readonly store: ReleaseStore;
  #world: World | undefined;

  constructor(rows: number, folder: string | undefined) {
    this.rows = rows;
    this.path = folder ?? mkdtempSync(path.join(tmpdir(), 'domesday-sold-prices-'));
    mkdirSync(this.path, { recursive: true });
    this.csv = path.join(this.path, 'pp.csv');
    this.store = new ReleaseStore(path.join(this.path, 'releases'), layouts);
    say(
      `node ${process.version}, ${process.platform} ${process.arch}, ${rows.toLocaleString('en-GB')} rows, seed 1`,
    );
  }

  /** Made when asked for, because it takes as much memory as some of what is measured. */
  get world(): World {
    this.#world ??= createWorld(this.rows, 1);
    return this.#world;
  }

  generate(): void {
    if (existsSync(this.csv)) return;
    const startMs = performance.now();
    writeLines(`${this.csv}.part`, allLines(this.world, this.rows));
    renameSync(`${this.csv}.part`, this.csv);
    say(`generated in ${seconds(startMs)}`);
  }

  /** Builds on the release that is current, if any, and makes the new one current. */
  async ingest(id: string, file: string): Promise<void> {
    const { store } = this;
    const startMs = performance.now();
    const cpu = process.cpuUsage();
    const ingested = await runIngest({
      paths: [file],
      sources: sourcesNamed('price-paid'),
      derivations: [],
      store,
      base: store.currentId() === undefined ? undefined : store.openCurrent(),
      id,
      kind: 'loaded',
      atMs: Date.now(),
      progress: noProgress,
    });
    store.point(id);
    const { user, system } = process.cpuUsage(cpu);
    const tookSeconds = (performance.now() - startMs) / 1000;
    const peakBytes = process.resourceUsage().maxRSS * 1024;
    report([
      { what: `${id}: time`, value: tookSeconds, unit: 's' },
      { what: `${id}: most memory`, value: peakBytes / 1e9, unit: 'GB' },
    ]);
    say(
      `${id}: ${ingested.sources[0]?.rows} sales in ${seconds(startMs)} (${((user + system) / 1e6).toFixed(0)} s of processor), peak ${megabytes(peakBytes)}`,
    );
  }
}
