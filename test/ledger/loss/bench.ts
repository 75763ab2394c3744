// A home with one customer, and services on it that run as processes of their own.

import assert from 'node:assert/strict';
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { isObject, parseJson } from '../../../src/json.ts';
import type { Caller } from '../../../src/ledger/ledger.ts';
import { openLedger } from '../../../src/ledger/open.ts';
import { type Change, ToldChanges } from '../../people/changes.ts';
import { customer } from '../bench.ts';
import { actOnFrozen, type Committed } from './frozen.ts';

const program = join(import.meta.dirname, 'service-process.ts');

export class Service {
  /** What it said, but for changes of people. */
  readonly lines: string[] = [];
  readonly changes = new ToldChanges();
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #ended: Promise<unknown>;
  #wake = Promise.withResolvers<void>();

  constructor(home: string, caller: Caller) {
    this.#child = spawn(process.execPath, [program, home, JSON.stringify(caller)]);
    this.#ended = once(this.#child, 'close');
    this.#child.stderr.on('data', (text) => this.lines.push(`stderr ${text}`));
    createInterface({ input: this.#child.stdout }).on('line', (line) => {
      const [, told, change] = /^people (asked|acknowledged|refused) (.*)$/.exec(line) ?? [];
      if (isTold(told)) this.changes.hear(told, readChange(change));
      else this.lines.push(line);
      this.#wake.resolve();
      this.#wake = Promise.withResolvers();
    });
    this.#ended.then(() => this.#wake.resolve());
  }

  /** Waits for a line that was not there yet when `after` lines were. */
  async until(pattern: RegExp, after = 0): Promise<string> {
    for (let seen = after; ; ) {
      // Each line once: a service that charges says thousands.
      for (; seen < this.lines.length; seen += 1) {
        const line = this.lines[seen] ?? '';
        if (pattern.test(line)) return line;
      }
      this.assertGoesOn(pattern);
      await this.#wake.promise;
    }
  }

  /** Whoever waits for a service that has ended would wait for good. */
  assertGoesOn(awaited: RegExp | string): void {
    const isOver = this.#child.exitCode !== null || this.#child.signalCode !== null;
    if (!isOver) return;
    const rest = this.lines.filter((line) => !line.startsWith('charged'));
    assert.fail(`${awaited} was never said:\n${rest.join('\n')}`);
  }

  charged(): string[] {
    return this.lines.flatMap((line) => (line.startsWith('charged ') ? [line.slice(8)] : []));
  }

  /** Until so many more changes of people were acknowledged. */
  async untilChanged(more: number): Promise<void> {
    for (const least = this.changes.acknowledged + more; this.changes.acknowledged < least; ) {
      const failed = this.lines.find((line) => line.startsWith('people failed'));
      assert.equal(failed, undefined);
      this.assertGoesOn('another change of people');
      await this.#wake.promise;
    }
  }

  /** Tells what was committed before the act. */
  frozen(ledger: string, act: () => void): Committed {
    return actOnFrozen({ child: this.#child, ledger, by: 'charge_id' }, act);
  }

  /** What was acknowledged without being there when it was frozen. */
  acknowledgedBeyond({ charges, people }: Committed): readonly string[] {
    return [...this.charged().filter((id) => !charges.has(id)), ...this.changes.missingIn(people)];
  }

  async stop(): Promise<void> {
    this.#child.stdin.end('stop\n');
    await this.#ended;
  }

  async kill(): Promise<void> {
    this.#child.kill('SIGKILL');
    await this.#ended;
  }
}

const isTold = (text: string | undefined): text is 'asked' | 'acknowledged' | 'refused' => text !== undefined;

function readChange(text = ''): Change {
  const change = parseJson(text);
  assert.ok(isChange(change), text);
  return change;
}

const isChange = (value: unknown): value is Change =>
  isObject(value) && [value.email, value.what, value.value].every((each) => typeof each === 'string');

export type LossBench = {
  readonly folder: string;
  readonly home: string;
  readonly path: string;
  readonly caller: Caller;
  readonly start: () => Service;
  /** How a start fails. */
  readonly refusal: () => Promise<string>;
  readonly remove: () => Promise<void>;
};

export async function lossBench(parent = tmpdir()): Promise<LossBench> {
  const folder = mkdtempSync(join(parent, 'domesday-loss-'));
  const home = join(folder, 'home');
  const { ledger, accounts } = await openLedger({ home });
  const { caller } = await customer(accounts, 'enterprise', { allowance: 100_000_000 });
  await ledger.close();
  const services: Service[] = [];
  return {
    folder,
    home,
    path: join(home, 'domesday.sqlite'),
    caller,
    start: () => {
      const service = new Service(home, caller);
      services.push(service);
      return service;
    },
    refusal: async () => {
      try {
        const { ledger } = await openLedger({ home, ifMissing: 'make' });
        await ledger.close();
        return 'none';
      } catch (error) {
        return error instanceof Error ? error.message : String(error);
      }
    },
    remove: async () => {
      for (const service of services) await service.kill();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Two ledgers that differ are not to be shown side by side: that takes minutes and gigabytes. */
export function assertHasBytes(file: string, bytes: Buffer): void {
  assert.ok(readFileSync(file).equals(bytes), `${file} is not as it was`);
}

/** Charges and changes of people that these services acknowledged and that are not there. */
export async function lostIn(
  home: string,
  { accountId }: Caller,
  ...services: readonly Service[]
): Promise<readonly string[]> {
  const { ledger, accounts, database } = await openLedger({ home, ifMissing: 'refuse' });
  try {
    const kept = new Set((await accounts.journalOf(accountId)).map(({ chargeId }) => chargeId));
    const lost: string[] = [];
    for (const service of services) {
      lost.push(...service.charged().filter((id) => !kept.has(id)));
      lost.push(...(await service.changes.missing(database)));
    }
    return lost;
  } finally {
    await ledger.close();
  }
}

export async function chargesIn(home: string, { accountId }: Caller): Promise<Set<string>> {
  const { ledger, accounts } = await openLedger({ home, ifMissing: 'refuse' });
  const journal = await accounts.journalOf(accountId);
  await ledger.close();
  return new Set(journal.flatMap(({ chargeId }) => chargeId ?? []));
}
