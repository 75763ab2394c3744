// `domesday update` as a process of its own, watched from outside: how long each phase takes, the most memory, the most room.

import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { createInterface } from 'node:readline';

const command = path.join(import.meta.dirname, '../../src/cli/main.ts');
const lookEveryMs = 500;

export type Watched = {
  readonly status: number | null;
  readonly seconds: number;
  /** In the order in which they began. */
  readonly phases: ReadonlyMap<string, number>;
  /** Undefined where the system does not tell. */
  readonly peakBytes: number | undefined;
  readonly mostFileBytes: number;
  readonly mostHomeBytes: number;
  /** What --json printed. */
  readonly told: Told;
};

export type Told = {
  readonly plan: readonly {
    readonly publication: string;
    readonly happens: string;
    readonly why: string | null;
  }[];
  readonly run: {
    readonly outcome: string;
    readonly release: string | null;
    readonly kept: readonly { readonly publication: string; readonly why: string }[];
  } | null;
};

export type Order = { readonly home: string; readonly from: string; readonly names?: readonly string[] };

export type Onlooker = {
  readonly onStart: (child: ChildProcess) => void;
  readonly onPhase: (phase: string) => void;
};

export async function watchUpdate(
  { home, from, names = [] }: Order,
  { onStart, onPhase }: Onlooker = { onStart: () => {}, onPhase: () => {} },
): Promise<Watched> {
  const args = ['update', ...names, '--from', from, '--home', home, '--accept-licences', 'all', '--json'];
  const begunMs = performance.now();
  const child = spawn(process.execPath, [command, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
  onStart(child);
  const phases = new PhaseClock(begunMs, onPhase);
  let peakBytes: number | undefined;
  let [mostFileBytes, mostHomeBytes] = [0, 0];
  const look = () => {
    peakBytes = peakOf(child.pid) ?? peakBytes;
    mostFileBytes = Math.max(mostFileBytes, bytesBelow(path.join(home, 'updates')));
    mostHomeBytes = Math.max(mostHomeBytes, bytesBelow(home));
  };
  const watch = setInterval(look, lookEveryMs);
  let out = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    out += text;
  });
  const said: string[] = [];
  createInterface(child.stderr).on('line', (line) => {
    said.push(line);
    phases.take(line);
    look();
  });
  const status = await new Promise<number | null>((resolve) => child.once('close', resolve));
  clearInterval(watch);
  const seconds = (performance.now() - begunMs) / 1000;
  if (out === '') throw new Error(`the update ended with ${status}: ${said.slice(-5).join('\n')}`);
  return {
    status,
    seconds,
    phases: phases.done(),
    peakBytes,
    mostFileBytes,
    mostHomeBytes,
    told: JSON.parse(out),
  };
}

/** Where a line does not name the folder of a publication: whose file it names. */
const ownNames: readonly (readonly [RegExp, string])[] = [
  [/_iadb/, 'bank-rate'],
  [/ONSPD/, 'onspd'],
  [/\bpp-/, 'price-paid-complete'],
  [/-(?:street|outcomes)\.csv/, 'police-archive'],
  [/edubasealldata/, 'gias'],
  [/latest_inspections/, 'ofsted'],
  [/census2021-ts/, 'census-england-wales'],
  [/output-area-2022/, 'census-scotland'],
  [/-table\.csv/, 'census-northern-ireland'],
  [/access-nodes/, 'naptan'],
  [/Reading all > /, 'bus-timetables'],
  [/BikePoint/, 'bikepoint'],
  [/aadf/, 'road-traffic'],
];

/** A phase lasts until a line tells of the next. */
class PhaseClock {
  readonly #seconds = new Map<string, number>();
  #phase = 'asking';
  #sinceMs: number;
  readonly #onPhase: (phase: string) => void;

  constructor(begunMs: number, onPhase: (phase: string) => void) {
    this.#sinceMs = begunMs;
    this.#onPhase = onPhase;
  }

  take(line: string): void {
    const own =
      /updates[/\\]files[/\\]([\w-]+)[/\\]/.exec(line)?.[1] ??
      ownNames.find(([pattern]) => pattern.test(line))?.[1];
    if (line.startsWith('Fetching ')) this.#to('fetching and looking at what came');
    else if (line.startsWith('Verifying')) this.#to('verifying the release');
    else if (own !== undefined) this.#to(`loading ${own}`);
  }

  done(): ReadonlyMap<string, number> {
    this.#to('');
    return this.#seconds;
  }

  #to(phase: string): void {
    const nowMs = performance.now();
    this.#seconds.set(this.#phase, (this.#seconds.get(this.#phase) ?? 0) + (nowMs - this.#sinceMs) / 1000);
    this.#phase = phase;
    this.#sinceMs = nowMs;
    this.#onPhase(phase);
  }
}

function peakOf(pid: number | undefined): number | undefined {
  const file = `/proc/${pid}/status`;
  if (!existsSync(file)) return undefined;
  const kilobytes = /^VmHWM:\s+(\d+) kB/m.exec(readFileSync(file, 'utf8'))?.[1];
  return kilobytes === undefined ? undefined : Number(kilobytes) * 1024;
}

/** Releases share the files of what did not change. Files come and go while it looks. */
export function bytesBelow(folder: string): number {
  if (!existsSync(folder)) return 0;
  const files = new Map<number, number>();
  for (const entry of readdirSync(folder, { withFileTypes: true, recursive: true })) {
    if (!entry.isFile()) continue;
    const facts = statSync(path.join(entry.parentPath, entry.name), { throwIfNoEntry: false });
    if (facts !== undefined) files.set(facts.ino, facts.size);
  }
  return [...files.values()].reduce((sum, size) => sum + size, 0);
}
