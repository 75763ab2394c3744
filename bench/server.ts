// Starting servers for benchmarks: the real command on a home of its own, and whatever tells where it listens.

import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

const command = path.join(import.meta.dirname, '../bin/domesday.js');

export type Server = { readonly url: string; readonly pid: number; readonly stop: () => Promise<void> };

/** A home with one account that is never short of credits or requests. */
export class BenchHome {
  readonly folder: string;
  readonly key: string;
  readonly #more: Readonly<Record<string, string>>;
  readonly #program: string;

  /** `more` is environment, such as DATABASE_URL; `program` that of this checkout unless another is given. */
  constructor(
    folder = mkdtempSync(path.join(tmpdir(), 'domesday-bench-')),
    more: Readonly<Record<string, string>> = {},
    program = command,
  ) {
    this.folder = folder;
    this.#more = more;
    this.#program = program;
    const create = [
      'accounts',
      'create',
      '--name',
      'bench',
      '--plan',
      'enterprise',
      '--credits',
      '1000000000',
    ];
    const { accountId } = JSON.parse(this.run(...create, '--json'));
    this.key = JSON.parse(this.run('keys', 'create', '--account', accountId, '--json')).key;
  }

  run(...args: readonly string[]): string {
    return execFileSync(process.execPath, [this.#program, ...args], { env: this.#env(), encoding: 'utf8' });
  }

  serve(env: Readonly<Record<string, string>> = {}): Promise<Server> {
    return start([this.#program, 'serve'], { ...this.#env(), ...env });
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }

  #env(): Record<string, string | undefined> {
    return { ...process.env, DOMESDAY_HOME: this.folder, PORT: '0', ...this.#more };
  }
}

/** Output goes to a file, as an operator's log would, not through this process, which makes the load. */
export async function start(args: readonly string[], env: NodeJS.ProcessEnv = process.env): Promise<Server> {
  const folder = mkdtempSync(path.join(tmpdir(), 'domesday-bench-log-'));
  const file = path.join(folder, 'log');
  const child: ChildProcess = spawn(process.execPath, args, {
    env,
    stdio: ['ignore', openSync(file, 'w'), 'inherit'],
  });
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()));
  for (;;) {
    const url = /listens on (http:\/\/\S+)/.exec(readFileSync(file, 'utf8'))?.[1];
    if (url !== undefined && child.pid !== undefined) {
      return {
        url,
        pid: child.pid,
        stop: async () => {
          child.kill();
          await ended;
          rmSync(folder, { recursive: true, force: true });
        },
      };
    }
    if (child.exitCode !== null) throw new Error(`${args.join(' ')} ended with ${child.exitCode}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
