// A home folder of its own and a command's output as values, for the tests of accounts and keys.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Command, Io } from '../../src/cli/command.ts';
import type { OpenLedger } from '../../src/ledger/ledger.ts';
import { openLedger } from '../../src/ledger/open.ts';

export class Desk {
  readonly #folder = mkdtempSync(join(tmpdir(), 'domesday-cli-'));
  readonly home = join(this.#folder, 'deep', 'home');
  env: Io['env'] = {};
  nowMs = Date.UTC(2026, 0, 31, 12);
  /** What the last command said on standard error. */
  told = '';

  /** Runs a command in this home; gives what it printed. */
  async run(command: Command, ...args: string[]): Promise<string> {
    let printed = '';
    this.told = '';
    const io: Io = {
      env: { ...this.env, DOMESDAY_HOME: this.home },
      out: (text) => {
        printed += text;
      },
      err: (text) => {
        this.told += text;
      },
      isTerminal: false,
      asTyped: (text: string) => text,
      now: () => this.nowMs,
    };
    await command.run(args, io);
    return printed;
  }

  /** Runs with --json; gives the object it printed. */
  async json(command: Command, ...args: string[]): Promise<Record<string, unknown>> {
    const value: unknown = JSON.parse(await this.run(command, ...args, '--json'));
    if (typeof value !== 'object' || value === null) throw new Error('no object was printed');
    return { ...value };
  }

  openLedger(): Promise<OpenLedger> {
    return openLedger({ home: this.home });
  }

  remove(): void {
    rmSync(this.#folder, { recursive: true });
  }
}

export const textOf = (value: unknown): string => {
  if (typeof value !== 'string') throw new Error(`not a text: ${value}`);
  return value;
};
