// A home, all publishers, and `domesday update` as its operator runs it: in this process, on a clock that the test sets.

import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { TestContext } from 'node:test';
import { CommandRefused, PartlyDone, WrongUsage } from '../../src/cli/command.ts';
import { updateWith } from '../../src/cli/update.ts';
import { BadSetting } from '../../src/config.ts';
import type { Source } from '../../src/ingest/source.ts';
import type { Release } from '../../src/release/reader.ts';
import { openHome } from '../../src/release/store.ts';
import { sources as allSources } from '../../src/sources/index.ts';
import { pricePaidOf } from '../../src/sources/price-paid/price-paid.ts';
import { layouts } from '../../src/tables/index.ts';
import { readUpdateState, type UpdateState } from '../../src/update/state.ts';
import { bundledHome } from '../rig.ts';
import { putEverything } from './editions.ts';
import { openPublishers, type Publishers } from './publishers.ts';
import { documentMs, stallMs, type TestClock, testClock } from './web/publisher.ts';

/** A complete file of three rows is enough here, and a thousand rows are more than a month. */
export const smallSources: readonly Source[] = allSources.map((source) =>
  source.name === 'price-paid'
    ? { ...source, open: async () => pricePaidOf({ complete: 3, month: 1_000 }) }
    : source,
);

export const beginMs = Date.UTC(2026, 10, 16, 12);

type Ended = { readonly status: number; readonly out: string; readonly err: string };

export type Desk = {
  readonly home: string;
  readonly publishers: Publishers;
  readonly clock: { nowMs: number };
  /** Pauses pass at once; a stall lasts until the test lets it pass. */
  readonly waits: TestClock;
  /** The environment of the command. */
  readonly env: Record<string, string>;
  /** `domesday update` with these words. */
  update(...words: readonly string[]): Promise<Ended>;
  state(): UpdateState;
  stateText(): string;
  release(): Release;
};

/** Without names of sources, all of them. */
export async function openDesk(context: TestContext, ...names: readonly string[]): Promise<Desk> {
  const { home, remove } = await bundledHome();
  context.after(remove);
  return openDeskAt(home, context, names);
}

/** The home need not be there. */
export async function openDeskAt(
  home: string,
  context: TestContext,
  names: readonly string[],
): Promise<Desk> {
  const publishers = await openPublishers(context);
  putEverything(publishers);
  const clock = { nowMs: beginMs };
  const waits = testClock();
  const env: Record<string, string> = {};
  return {
    home,
    env,
    publishers,
    clock,
    waits,
    update: (...words) =>
      run({ home, from: publishers.from, names, env, waits, now: () => clock.nowMs }, words),
    state: () => readUpdateState(home),
    stateText: () => readFileSync(path.join(home, 'updates/state.json'), 'utf8'),
    release: () => openHome(home, layouts).releases.openCurrent(),
  };
}

type Running = {
  readonly home: string;
  readonly from: string;
  /** Of sources; without any, all. */
  readonly names: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly waits: TestClock;
  readonly now: () => number;
};

async function run(
  { home, from, names, env, waits, now }: Running,
  words: readonly string[],
): Promise<Ended> {
  const sources = smallSources.filter(({ name }) => names.length === 0 || names.includes(name));
  const command = updateWith({ sources, web: { clock: waits, stallMs, documentMs } });
  let [out, err] = ['', ''];
  const io = {
    env,
    out: (text: string) => {
      out += text;
    },
    err: (text: string) => {
      err += text;
    },
    isTerminal: false,
    now,
    asTyped: (text: string) => text,
  };
  try {
    await command.run(['--from', from, '--home', home, ...words], io);
    return { status: 0, out, err };
  } catch (error) {
    // As src/cli/main.ts ends.
    const status = error instanceof PartlyDone ? 3 : error instanceof CommandRefused ? 1 : 2;
    if (status === 2 && !(error instanceof WrongUsage || error instanceof BadSetting)) throw error;
    return { status, out, err: `${err}${error instanceof Error ? error.message : ''}\n` };
  }
}

/** On the day on which the tests begin. */
export const runUpdateIn = (home: string, from: string, names: readonly string[]): Promise<Ended> =>
  run({ home, from, names, env: {}, waits: testClock(), now: () => beginMs }, []);

/** Checksum of every part of every dataset. */
export const partsOf = ({ manifest }: Release): Readonly<Record<string, Readonly<Record<string, number>>>> =>
  Object.fromEntries(
    manifest.datasets.map(({ name, parts }) => [
      name,
      Object.fromEntries(parts.map((part) => [part, manifest.parts[part]?.crc32 ?? -1])),
    ]),
  );
