// What callers notice while an update runs beside the service: requests of all kinds arrive at a fixed rate while the police
// archive and Price Paid Data are fetched and loaded again at the lowest priority, as `serve --update` does it. The update is
// halted for every second stretch, so that whatever else the machine does falls on both sides.
// node update/serving.ts SCALE MIRROR HOME, after a run of update/run.ts with the same three.

import type { ChildProcess } from 'node:child_process';
import { closeSync, createReadStream, fstatSync, openSync, readSync, writeSync } from 'node:fs';
import { getPriority, loadavg, setPriority } from 'node:os';
import { setTimeout } from 'node:timers/promises';
import { openHome } from '../../src/release/store.ts';
import { layouts } from '../../src/tables/index.ts';
import { openPostcodes } from '../../src/tables/postcodes/postcodes.ts';
import { unpackPostcode } from '../../src/uk/postcode.ts';
import { report } from '../figures.ts';
import { type ArrivalTimes, runOpenLoop, summarise } from '../open-loop.ts';
import { BenchHome } from '../server.ts';
import { policeArchive, tellArchive } from './large.ts';
import { makeMirror, only } from './make.ts';
import type { Mirror } from './mirror.ts';
import { type Watched, watchUpdate } from './watch.ts';

const perSecond = 100;
const stretchSeconds = 10;
/** What was written before the halt is still on its way to the disk. */
const settleMs = 3_000;
const lowest = 19;
const places = 400;

export async function measureServing(
  mirror: Mirror,
  folder: string,
  say: (line: string) => void,
): Promise<void> {
  const home = new BenchHome(folder);
  const server = await home.serve();
  let update: HaltedUpdate | undefined;
  try {
    const headers = { 'x-api-key': home.key };
    const paths = await answered(pathsOf(folder), server.url, headers);
    const load = { url: server.url, paths, headers, perSecond, between: 'asleep' } as const;
    await runOpenLoop({ ...load, requests: paths.length });
    changeSales(mirror);
    await changeArchive(mirror);
    await readIntoMemory([only('price-paid-complete'), policeArchive].map((each) => mirror.placeOf(each)));
    update = new HaltedUpdate(folder, mirror);
    const [without, during]: [number[], number[]] = [[], []];
    const measure = async (stretches: number[]) => {
      const { timesMs, p99Ms } = await runOpenLoop({ ...load, requests: perSecond * stretchSeconds });
      stretches.push(...timesMs);
      return p99Ms;
    };
    say(`\nServing ${perSecond} requests a second, ${paths.length} questions in turn`);
    while (update.isRunning) {
      update.halt();
      await setTimeout(settleMs);
      const p99Alone = await measure(without);
      const { phase } = update;
      update.goOn();
      const p99Beside = await measure(during);
      say(`  ${phase}: p99 ${p99Alone.toFixed(1)} ms without, ${p99Beside.toFixed(1)} ms during`);
    }
    const { status, phases, told } = await update.watched;
    const [alone, beside] = [summarise(without), summarise(during)];
    say(`  without an update: ${milliseconds(alone)}`);
    say(`  during one (exit ${status}, release ${told.run?.release}): ${milliseconds(beside)}`);
    say(
      `  ratio of p50 ${(beside.p50Ms / alone.p50Ms).toFixed(2)}, of p99 ${(beside.p99Ms / alone.p99Ms).toFixed(2)}; load average ${loadavg()[0]?.toFixed(1)}`,
    );
    report([
      {
        what: 'p99 of callers beside an update ÷ without',
        value: beside.p99Ms / alone.p99Ms,
        unit: '×',
        aim: '≤ 2',
      },
    ]);
    for (const [phase, took] of phases)
      if (took >= 0.5) say(`  ${phase}, halts included: ${took.toFixed(1)} s`);
  } finally {
    update?.end();
    await server.stop();
  }
}

/** The folder stands for machines elsewhere, which do not read from the disk of this one. */
async function readIntoMemory(files: readonly string[]): Promise<void> {
  for (const file of files) {
    for await (const _ of createReadStream(file, { highWaterMark: 1 << 22 }));
  }
}

const milliseconds = ({ p50Ms, p99Ms, p999Ms, maxMs }: ArrivalTimes) =>
  `p50 ${p50Ms.toFixed(2)}, p99 ${p99Ms.toFixed(2)}, p99.9 ${p999Ms.toFixed(2)}, longest ${maxMs.toFixed(1)} ms`;

/** An update at the lowest priority, as far below this process where that one is raised above others. */
class HaltedUpdate {
  readonly watched: Promise<Watched>;
  #child: ChildProcess | undefined;
  #phase = 'asking';

  constructor(home: string, mirror: Mirror) {
    const names = ['price-paid-complete', 'police-archive', '--gently'];
    const onlooker = {
      onStart: (child: ChildProcess) => {
        this.#child = child;
        if (child.pid !== undefined) setPriority(child.pid, Math.min(lowest, getPriority() + lowest));
      },
      onPhase: (phase: string) => {
        this.#phase = phase;
      },
    };
    this.watched = watchUpdate({ home, from: mirror.folder, names }, onlooker).finally(() => {
      this.#child = undefined;
    });
    // A failure is told to whoever waits for the end, and nobody does yet.
    void Promise.allSettled([this.watched]);
  }

  get phase(): string {
    return this.#phase;
  }

  get isRunning(): boolean {
    return this.#child !== undefined;
  }

  halt(): void {
    this.#child?.kill('SIGSTOP');
  }

  goOn(): void {
    this.#child?.kill('SIGCONT');
  }

  /** Where something else went wrong meanwhile. */
  end(): void {
    this.goOn();
    this.#child?.kill('SIGKILL');
  }
}

/** Of postcodes all over the country: what callers ask for most, and what costs most. */
function pathsOf(folder: string): readonly string[] {
  const all = Uint32Array.from(
    openPostcodes(openHome(folder, layouts).releases.openCurrent()).packedNumbers(),
  );
  const areas = ['GU', 'PO', 'S', 'LS', 'CF', 'B', 'M', 'SW'];
  return Array.from({ length: places }, (_, at) => {
    const postcode = encodeURIComponent(unpackPostcode(all[Math.floor((at * all.length) / places)] ?? 0));
    const area = areas[at % areas.length];
    return [
      `/area/statistics?postcode=${postcode}`,
      `/crime/by-postcode?postcode=${postcode}&months=24`,
      `/council-tax/lookup?postcode=${postcode}`,
      `/area/sold-prices?area=${area}&months=24`,
      `/area/sold-prices?area=${area}&months=360&type=D`,
      '/bank-rates?limit=1',
    ];
  }).flat();
}

/** Without those that have no data, or are refused for another reason. */
async function answered(
  paths: readonly string[],
  url: string,
  headers: Readonly<Record<string, string>>,
): Promise<readonly string[]> {
  const kept: string[] = [];
  const refusals = new Map<string, number>();
  for (const each of paths) {
    const path = `/api/v1${each}`;
    const reply = await fetch(`${url}${path}`, { headers });
    await reply.arrayBuffer();
    if (reply.ok) kept.push(path);
    else {
      const what = `${reply.status} of ${each.split('?')[0]}`;
      refusals.set(what, (refusals.get(what) ?? 0) + 1);
    }
  }
  for (const [what, count] of refusals) console.log(`  left out ${count}: ${what}`);
  if (kept.length < paths.length / 4) throw new Error('most questions have no answer');
  return kept;
}

/** One sale more: the whole file is new. */
function changeSales(mirror: Mirror): void {
  const place = mirror.placeOf(only('price-paid-complete'));
  const id = crypto.randomUUID().toUpperCase();
  const file = openSync(place, 'a');
  writeSync(
    file,
    `"{${id}}","250000","2026-09-30 00:00","GU1 1AA","T","N","F","1","","HIGH STREET","","GUILDFORD","GUILDFORD","SURREY","A","A"\n`,
  );
  closeSync(file);
}

const endBytes = 22;

/** A comment at its end that is one longer: the same crimes in another file. */
async function changeArchive(mirror: Mirror): Promise<void> {
  const file = openSync(mirror.placeOf(policeArchive), 'r+');
  const { size } = fstatSync(file);
  const tail = Buffer.alloc(Math.min(size, 1_000));
  readSync(file, tail, 0, tail.length, size - tail.length);
  const at = size - tail.length + tail.lastIndexOf(Buffer.from('PK\x05\x06', 'latin1')) + endBytes - 2;
  const length = size - at - 1;
  writeSync(file, Buffer.from([length & 255, length >> 8]), 0, 2, at);
  writeSync(file, ' ', size);
  closeSync(file);
  await tellArchive(mirror);
}

if (import.meta.main) {
  const [scale = '1', folder = '', home = ''] = process.argv.slice(2);
  await measureServing(await makeMirror(folder, Number(scale)), home, console.log);
}
