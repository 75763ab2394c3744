// The image as an operator gets it: built by the Dockerfile on a Debian made on the spot, and run without rights, on a
// root that cannot be written.

import assert from 'node:assert/strict';
import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after } from 'node:test';
import { npm, podman, type Requirement, testWith } from '../requirements.ts';
import { filesOfDebian } from './debian-root.ts';

const root = path.join(import.meta.dirname, '../..');
const scratch = mkdtempSync(path.join(tmpdir(), 'domesday-image-'));
/** What is removed at the end. */
const folders = [scratch];
const secret = `a-secret-of-the-build-${process.pid}`;

type Podman = {
  readonly run: (...words: readonly string[]) => string;
  readonly start: (...words: readonly string[]) => ChildProcess;
  /** The name of the image. */
  readonly image: string;
};

const tools: Requirement<{ podman: string; runtime: string; npm: string }> = joined();
/** Of all tests: it takes a minute. */
let built: Promise<Podman> | undefined;

function joined(): typeof tools {
  const [engine, packages] = [podman(), npm];
  if (engine.kind === 'lacking') return engine;
  if (packages.kind === 'lacking') return packages;
  return { kind: 'there', value: { ...engine.value, npm: packages.value } };
}

after(async () => {
  const [outcome] = await Promise.allSettled([built]);
  if (outcome.status === 'fulfilled') outcome.value?.run('rm', '--all', '--force', '--time', '0');
  for (const folder of folders.filter((each) => existsSync(each))) {
    const mounts = readFileSync('/proc/mounts', 'utf8').matchAll(/^\S+ (\S+)/gm);
    for (const [, place = ''] of mounts) if (place.startsWith(folder)) execFileSync('umount', ['-l', place]);
    rmSync(folder, { recursive: true, force: true });
  }
});

function build(given: { podman: string; runtime: string; npm: string }): Podman {
  const inScratch = (name: string) => path.join(scratch, name);
  // Podman takes no path of more than 50 characters for its sockets and locks; that of temporary files may be longer.
  const runRoot = mkdtempSync('/run/domesday-');
  folders.push(runRoot);
  const stores = ['--root', inScratch('store'), '--runroot', runRoot, '--runtime', given.runtime];
  const run = (...words: readonly string[]) => {
    const told = spawnSync(given.podman, [...stores, ...words], { encoding: 'utf8', maxBuffer: 2 ** 26 });
    assert.equal(
      told.status,
      0,
      `podman ${words.join(' ')}: ${told.stdout.slice(-4000)} ${told.stderr.slice(-4000)}`,
    );
    return told.stdout;
  };
  const npmFolder = path.dirname(path.dirname(realpathSync(given.npm)));
  mkdirSync(inScratch('links/usr/bin'), { recursive: true });
  symlinkSync('../lib/node_modules/npm/bin/npm-cli.js', inScratch('links/usr/bin/npm'));
  const importFiles = (name: string, files: readonly string[], ...changes: readonly string[]) => {
    const [list, archive] = [inScratch(`${name}.list`), inScratch(`${name}.tar`)];
    writeFileSync(list, files.map((file) => `.${file}`).join('\n'));
    const packed = spawnSync('tar', ['-C', '/', '--no-recursion', ...changes, '-cf', archive, '-T', list]);
    // 1: a file changed while it was read, if only in its number of links.
    assert.ok(packed.status === 0 || packed.status === 1, String(packed.stderr));
    if (files.includes(npmFolder))
      execFileSync('tar', ['-C', inScratch('links'), '-rf', archive, './usr/bin/npm']);
    run('import', archive, `localhost/${name}`);
    rmSync(archive);
  };
  importFiles('base', filesOfDebian('libstdc++6'));
  const npmFiles = execFileSync('find', [npmFolder], { encoding: 'utf8' }).trim().split('\n');
  importFiles(
    'build-base',
    [...filesOfDebian('libstdc++6', 'libatomic1'), realpathSync(process.execPath), ...npmFiles],
    `--transform=flags=r;s#^.${realpathSync(process.execPath)}$#./usr/bin/node#`,
    `--transform=flags=r;s#^.${npmFolder}#./usr/lib/node_modules/npm#`,
  );
  // What this machine's npm needs to reach a registry. The user's own part is a secret of the build, as the guide has it.
  const npmSetting = (name: string) => {
    // As its user calls it: the Node of this project before it in the path is another place for npm's own files.
    const folders = (process.env.PATH ?? '').split(path.delimiter);
    const PATH = folders.filter((folder) => !folder.includes('node_modules')).join(path.delimiter);
    const env = { PATH, HOME: process.env.HOME };
    return execFileSync(given.npm, ['config', 'get', name], { env, encoding: 'utf8', stdio: 'pipe' }).trim();
  };
  const userConfig = npmSetting('userconfig');
  const npmrc = inScratch('npmrc');
  const own = existsSync(userConfig) ? readFileSync(userConfig, 'utf8') : '';
  writeFileSync(npmrc, `${own}\n; ${secret}\n`, { mode: 0o600 });
  const beside = [npmSetting('globalconfig'), npmSetting('cafile')].filter((file) => existsSync(file));
  run(
    ...['build', '--format', 'docker', '--network', 'host', '--tag', 'domesday', ...limits],
    ...['--build-arg', 'BUILD_BASE=localhost/build-base', '--build-arg', 'BASE=localhost/base'],
    ...['--secret', `id=npmrc,src=${npmrc}`],
    ...beside.flatMap((file) => ['--volume', `${file}:${file}:ro`]),
    root,
  );
  return {
    run,
    start: (...words) => spawn(given.podman, [...stores, ...words], { stdio: ['ignore', 'pipe', 'pipe'] }),
    image: 'localhost/domesday',
  };
}

/** Podman asks for more than a root without all rights may give. */
const limits = ['--ulimit', 'nofile=4096:4096', '--ulimit', 'nproc=4096:4096'];

const withImage = (name: string, check: (image: Podman) => void | Promise<void>) =>
  testWith(tools, name, async (given) => {
    built ??= Promise.try(build, given);
    await check(await built);
  });

/** As the guide runs it. */
const confined = [
  ...['--read-only', '--tmpfs', '/tmp', '--cap-drop', 'all', '--security-opt', 'no-new-privileges'],
  ...['--network', 'none', ...limits],
];

/** Resolves when it has said so. */
async function serve(
  { start, image }: Podman,
  name: string,
  volume: string,
  said: RegExp,
  ...more: readonly string[]
): Promise<{ ended: Promise<unknown[]>; output: () => string }> {
  const child = start(
    'run',
    '--name',
    name,
    ...confined,
    ...more,
    '--volume',
    `${volume}:/var/lib/domesday`,
    image,
  );
  const ended = once(child, 'close');
  let output = '';
  let errors = '';
  child.stderr?.on('data', (chunk: Buffer) => {
    errors += chunk;
  });
  const listens = new Promise<void>((resolve) => {
    child.stdout?.on('data', (chunk: Buffer) => {
      output += chunk;
      if (said.test(output)) resolve();
    });
  });
  await Promise.race([listens, ended.then(() => assert.fail(`it ended: ${output}${errors}`))]);
  return { ended, output: () => output };
}

const ask = ({ run }: Podman, name: string, target: string, headers = {}) => {
  const script = `fetch('http://127.0.0.1:8080${target}', { headers: ${JSON.stringify(headers)} }).then(async (reply) => console.log(reply.status + ' ' + await reply.text()))`;
  return run('exec', name, 'node', '-e', script);
};

withImage(
  'on a read-only root and without any right it serves: pages, answers, commands beside it',
  async (podman) => {
    const { ended, output } = await serve(podman, 'first', 'home', /There is no account yet/);
    assert.match(
      ask(podman, 'first', '/health/ready'),
      /^503 .*no data of your own is loaded: domesday update/,
    );
    assert.match(ask(podman, 'first', '/docs'), /^200 <!doctype html>/i);
    const key = 'dd_test_PublicSandboxKeyForAnyone26NNv4';
    assert.match(
      ask(podman, 'first', '/api/v1/area/statistics?postcode=ZZ1+1AA', { 'x-api-key': key }),
      /^200 /,
    );
    assert.doesNotMatch(output(), /dd_live_/);
    assert.match(
      podman.run('exec', 'first', 'domesday', 'accounts', 'create', '--name', 'Acme', '--plan', 'basic'),
      /acc_/,
    );
    assert.equal(podman.run('exec', 'first', 'id', '-u').trim(), '10001');
    assert.match(
      podman.run('exec', 'first', 'ls', '-ld', '/var/lib/domesday'),
      /^drwx------ \d+ 10001 10001 /,
    );
    assert.match(
      podman.run('exec', 'first', 'ls', '-ld', '/srv/domesday-releases'),
      /^drwxr-xr-x \d+ 10001 10001 /,
    );
    podman.run('healthcheck', 'run', 'first');

    const second = podman.start(
      'run',
      '--name',
      'second',
      ...confined,
      '--volume',
      'home:/var/lib/domesday',
      podman.image,
    );
    assert.deepEqual(await once(second, 'close'), [1, null], 'two services on one volume');
    podman.run('kill', '--signal', 'TERM', 'first');
    assert.deepEqual(await ended, [0, null]);

    const third = await serve(podman, 'third', 'home', /^Data: /m, '--env', 'DOMESDAY_SAMPLE=serve');
    assert.match(ask(podman, 'third', '/health/ready'), /^200 .*"release":"sample-/);
    assert.match(podman.run('exec', 'third', 'domesday', 'accounts', 'list'), /Acme/);
    podman.run('kill', '--signal', 'TERM', 'third');
    assert.deepEqual(await third.ended, [0, null]);
  },
);

withImage('its health check fails where no service answers', async (podman) => {
  const asleep = podman.start(
    'run',
    '--name',
    'asleep',
    ...confined,
    '--entrypoint',
    'sh',
    podman.image,
    '-c',
    'echo up; exec sleep 600',
  );
  assert.ok(asleep.stdout !== null);
  await once(asleep.stdout, 'data');
  assert.throws(() => podman.run('healthcheck', 'run', 'asleep'), /unhealthy/);
  podman.run('kill', '--signal', 'KILL', 'asleep');
});

withImage(
  'it has what runs: no package for development, no npm, and of the build no secret',
  ({ run, image }) => {
    const list = (place: string) =>
      run('run', '--rm', ...confined, '--entrypoint', 'ls', image, place).split('\n');
    const { devDependencies } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'));
    const installed = list('/app/node_modules');
    assert.ok(installed.includes('fastify'));
    // Fastify itself brings ajv along.
    const unwanted = Object.keys(devDependencies).filter(
      (name) => name !== 'ajv' && installed.includes(name.split('/')[0] ?? name),
    );
    assert.deepEqual(unwanted, []);
    assert.deepEqual(
      list('/app').filter((name) =>
        ['test', 'bench', 'scripts', '.npmrc', 'package-lock.json'].includes(name),
      ),
      [],
    );
    assert.throws(() => run('run', '--rm', ...confined, '--entrypoint', 'npm', image), /npm/);
    const archive = path.join(scratch, 'image.tar');
    run('save', '--output', archive, image);
    assert.equal(spawnSync('grep', ['--quiet', '--text', secret, archive]).status, 1);
    assert.equal(spawnSync('grep', ['--quiet', '--text', 'DOMESDAY_HOME=', archive]).status, 0);
    // As it is pushed: layers are compressed.
    const compressed = spawnSync('sh', ['-c', 'gzip -c "$1" | wc -c', 'sh', archive], { encoding: 'utf8' });
    assert.ok(Number(compressed.stdout) <= 150 * 2 ** 20, `${compressed.stdout.trim()} bytes`);
    rmSync(archive);
  },
);

withImage('what was compiled at the build is used by its user', ({ run, image }) => {
  const environment = ['--env', 'NODE_DEBUG_NATIVE=COMPILE_CACHE'];
  const shell = ['--entrypoint', 'sh', image, '-c', 'domesday --version 2>&1'];
  const told = run('run', '--rm', ...confined, ...environment, ...shell);
  assert.match(told, /src\/config\.js was accepted/);
  assert.doesNotMatch(told, /permission denied|was not initialized/);
});

withImage('it says how it is stopped, checked, reached and run', ({ run, image }) => {
  const [{ Config: config, Healthcheck: health }] = JSON.parse(run('inspect', '--type', 'image', image));
  assert.equal(config.StopSignal, 'SIGTERM');
  assert.equal(config.User, '10001:10001');
  assert.deepEqual(Object.keys(config.ExposedPorts), ['8080/tcp']);
  assert.deepEqual(Object.keys(config.Volumes), ['/var/lib/domesday']);
  assert.equal(health.Retries, 3);
  for (const name of ['title', 'description', 'licenses', 'documentation'])
    assert.ok(config.Labels[`org.opencontainers.image.${name}`], name);
});
