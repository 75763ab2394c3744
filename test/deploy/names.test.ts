// Files of deploy/ say what the program and its image say: every setting, command, port, path and user in them is real.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { cpSync, globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { parseAllDocuments } from 'yaml';
import { commands } from '../../src/cli/index.ts';
import { settings } from '../../src/config.ts';
import { kubectl, testWith } from '../requirements.ts';

const root = path.join(import.meta.dirname, '../..');
const read = (file: string) => readFileSync(path.join(root, file), 'utf8');
const files = globSync('deploy/**/*', { cwd: root, withFileTypes: true })
  .filter((entry) => entry.isFile())
  .map((entry) => path.relative(root, path.join(entry.parentPath, entry.name)));
const yamls = files.filter((file) => file.endsWith('.yaml'));
const guide = 'docs/self-hosting.md';

/** Variables of others: the store of releases, the database's own image, and the unit of the publisher. */
const ofOthers = [
  'AWS_ACCESS_KEY_ID',
  'AWS_ENDPOINT_URL',
  'AWS_REGION',
  'AWS_SECRET_ACCESS_KEY',
  'POSTGRES_DB',
  'POSTGRES_PASSWORD',
  'POSTGRES_USER',
  'PUBLISH_TARGET',
];

const known = new Set<string>([...Object.values(settings).map(({ env }) => env), ...ofOthers]);

type Variable = { readonly file: string; readonly name: string; readonly value: string };

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Every object within a value, from the outside in. */
function* objectsIn(value: unknown): Generator<Record<string, unknown>> {
  if (Array.isArray(value)) for (const each of value) yield* objectsIn(each);
  if (!isRecord(value)) return;
  yield value;
  for (const each of Object.values(value)) yield* objectsIn(each);
}

function documentsOf(file: string): readonly unknown[] {
  // As Kubernetes reads it, to which 0440 is octal.
  const version = file.includes('kubernetes') ? '1.1' : '1.2';
  return parseAllDocuments(read(file), { merge: true, version }).map((document) => {
    assert.ok('errors' in document, file);
    assert.deepEqual([...document.errors, ...document.warnings], [], file);
    return document.toJS();
  });
}

const objects = yamls.flatMap((file) =>
  documentsOf(file).flatMap((each) => [...objectsIn(each)].map((object) => ({ file, object }))),
);

/** As each kind of file sets them: NAME=value of env files, units and the Dockerfile; `environment`, `env` and `stringData` of YAML. */
function variables(): readonly Variable[] {
  const found: Variable[] = [];
  for (const file of files.filter((each) => /\.env(\.example)?$/.test(each)))
    for (const [, name = '', value = ''] of read(file).matchAll(/^#?([A-Z][A-Z0-9_]+)=(.*)$/gm))
      found.push({ file, name, value });
  for (const file of files.filter((each) => each.endsWith('.service')))
    for (const [, name = '', value = ''] of read(file).matchAll(/^Environment=([A-Z0-9_]+)=(.*)$/gm))
      found.push({ file, name, value });
  for (const [, line = ''] of read('Dockerfile')
    .split(/FROM \$\{BASE\}/)[1]
    ?.matchAll(/^ENV (.*)$/gm) ?? [])
    for (const [, name = '', value = ''] of line.matchAll(/([A-Z0-9_]+)=(\S+)/g))
      found.push({ file: 'Dockerfile', name, value });
  for (const { file, object } of objects) {
    for (const member of ['environment', 'stringData']) {
      const set = object[member];
      if (isRecord(set))
        for (const [name, value] of Object.entries(set)) found.push({ file, name, value: String(value) });
    }
    if (!Array.isArray(object.env)) continue;
    for (const each of object.env) {
      assert.ok(isRecord(each), file);
      found.push({ file, name: String(each.name), value: String(each.value) });
    }
  }
  return found;
}

test('every YAML file is one, and Kubernetes can tell what each document is', () => {
  assert.ok(yamls.length >= 6, yamls.join());
  for (const file of yamls.filter((each) => each.includes('kubernetes')))
    for (const document of documentsOf(file)) {
      assert.ok(isRecord(document), file);
      assert.match(
        `${document.apiVersion} ${document.kind}`,
        /^(apps\/|batch\/|policy\/|networking\.k8s\.io\/)?v1 \w+$|^kustomize\.config\.k8s\.io\/v1beta1 Kustomization$/,
        file,
      );
    }
});

test('every variable in deploy/ and in the Dockerfile is a setting, and its value can be read', () => {
  const all = variables();
  assert.ok(all.length > 40, `only ${all.length} found`);
  assert.deepEqual(
    all.filter(({ name }) => !known.has(name)),
    [],
  );
  const table = new Map<string, { readonly parse: (text: string) => { readonly ok: boolean } }>(
    Object.values(settings).map((setting) => [setting.env, setting]),
  );
  const unreadable = all.filter(
    ({ name, value }) => value !== '' && table.get(name)?.parse(value).ok === false,
  );
  assert.deepEqual(unreadable, []);
});

test('every variable that the guide and the comments name is a setting', () => {
  const text = [guide, 'Dockerfile', ...files].map((file) => [file, read(file)] as const);
  const unknown = text.flatMap(([file, content]) =>
    [...content.matchAll(/\b(?:DOMESDAY|OTEL)_[A-Z_]+\b|\bDATABASE_URL\b|\bLOG_FORMAT\b/g)]
      .map(([name]) => name)
      .filter((name) => !known.has(name))
      .map((name) => `${file}: ${name}`),
  );
  assert.deepEqual(unknown, []);
});

/** What stands after `domesday` where a shell would run it: in scripts, units, the guide's blocks and between its backticks. */
function typedCommands(): readonly { readonly file: string; readonly words: readonly string[] }[] {
  const page = read(guide);
  const blocks = [...page.matchAll(/```sh\n(.*?)```/gs)].map(([, block = '']) => block);
  const spans = [...page.replace(/```.*?```/gs, '').matchAll(/`(domesday [^`]+)`/g)].map(
    ([, span = '']) => span,
  );
  const texts = files.map((file) => [file, read(file).replace(/^\s*#.*$/gm, '')] as const);
  const typed =
    /(?:^ *|(?:&&|\|\||--|npx|exec domesday|replica-1) )domesday ([a-z]+\b[^\n'|;&)]*)|bin\/domesday\.js ([a-z]+\b[^\n'|;&)]*)/gm;
  return [...texts, [guide, [...blocks, ...spans].join('\n')] as const].flatMap(([file, text]) =>
    [...text.matchAll(typed)].map(([, plain, byNode]) => {
      const words = (plain ?? byNode ?? '').replace(/"[^"\n]*"?/g, 'TEXT').replace(/ #.*/, '');
      return { file, words: words.trim().split(/\s+/) };
    }),
  );
}

test('every command in deploy/ and in the guide is one of the program, with flags that it has', async () => {
  const typed = typedCommands();
  assert.ok(typed.length > 40, `only ${typed.length} found`);
  for (const { file, words } of typed) {
    const [name = '', second = '', ...rest] = words;
    const line = `${file}: domesday ${words.join(' ')}`;
    const entry =
      commands.find((each) => each.name === name) ?? assert.fail(`${line}: there is no such command`);
    const { help } = await entry.load();
    const verbs = [...help.matchAll(/^(?:Usage:|\s+) +domesday \w+ \[?([a-z]+)\b/gm)].map(
      ([, verb = '']) => verb,
    );
    if (verbs.length > 0) assert.ok(verbs.includes(second), `${line}: ${verbs.join(', ')}`);
    for (const flag of [second, ...rest].filter((word) => word.startsWith('--')))
      assert.ok(help.includes(flag.split('=')[0] ?? flag), `${line}: ${flag}`);
  }
});

/** What the image says, of its second stage. */
const image = (() => {
  const [, stage = ''] = read('Dockerfile').split(/FROM \$\{BASE\}/);
  const of = (pattern: RegExp) => pattern.exec(stage)?.[1] ?? assert.fail(String(pattern));
  return {
    port: of(/^EXPOSE (\d+)$/m),
    home: of(/^VOLUME (\S+)$/m),
    user: of(/^USER (\d+):\d+$/m),
    port2: of(/PORT=(\d+)/),
    home2: of(/DOMESDAY_HOME=(\S+)/),
  };
})();

test('the image exposes the port that it listens on, and its volume is its home', () => {
  assert.equal(image.port, image.port2);
  assert.equal(image.home, image.home2);
});

/** Of Kubernetes. */
const folderOfSecrets = '/run/secrets/domesday';

test('ports, paths and users in compose and Kubernetes are those of the image', () => {
  const ports = objects.flatMap(({ object }) =>
    'containerPort' in object ? [String(object.containerPort)] : [],
  );
  const users = objects.flatMap(({ object }) =>
    ['runAsUser', 'runAsGroup', 'fsGroup'].flatMap((name) => (name in object ? [String(object[name])] : [])),
  );
  const named = objects.flatMap(({ object }) => (typeof object.user === 'string' ? [object.user] : []));
  const mounts = objects.flatMap(({ object }) =>
    typeof object.mountPath === 'string' ? [object.mountPath] : [],
  );
  assert.deepEqual(new Set(ports), new Set([image.port]));
  assert.deepEqual(new Set(users), new Set([image.user]));
  assert.deepEqual(new Set(named), new Set([`${image.user}:${image.user}`]));
  assert.deepEqual(new Set(mounts), new Set([image.home, '/tmp', folderOfSecrets]));
  const probes = objects.flatMap(({ object }) =>
    isRecord(object.httpGet) ? [String(object.httpGet.path)] : [],
  );
  assert.deepEqual(new Set(probes), new Set(['/health/live', '/health/ready']));
  const addresses = objects.flatMap(({ object }) =>
    'ipv4_address' in object ? [`${object.ipv4_address}:${image.port}`] : [],
  );
  const behind = [...read('deploy/compose/replicas.conf').matchAll(/^server (\S+) /gm)].map(
    ([, address]) => address,
  );
  assert.ok(behind.length >= 2);
  assert.deepEqual(behind, addresses);
  for (const [, place = ''] of read('Dockerfile').matchAll(/"\/app\/(\S+?\.js)"/g)) read(place);
  for (const [, place = ''] of read('deploy/compose.yaml').matchAll(/\/app\/(\S+?\.js)/g)) read(place);
});

test('every file that compose mounts or reads is there, or has an example', () => {
  const compose = read('deploy/compose.yaml');
  const mounted = [...compose.matchAll(/- \.\/(\S+?):/g)].map(([, file = '']) => `deploy/${file}`);
  const settingsFiles = [...compose.matchAll(/env_file: (\S+)/g)].map(
    ([, file = '']) => `deploy/${file}.example`,
  );
  assert.ok(mounted.length >= 3 && settingsFiles.length >= 3);
  for (const file of [...mounted, ...settingsFiles]) assert.ok(files.includes(file), file);
});

test('the signing key is a file where DOMESDAY_SIGNING_KEY says that it is, and stands in no environment', () => {
  const places = new Map(
    variables().flatMap(({ file, name, value }) => (name === 'DOMESDAY_SIGNING_KEY' ? [[file, value]] : [])),
  );
  const secrets = objects.flatMap(({ object }) => (Array.isArray(object.secrets) ? object.secrets : []));
  assert.deepEqual(secrets, ['signing-key']);
  const mounted = objects.flatMap(({ object }) => (object.name === 'signing-key' ? [object] : []));
  assert.deepEqual(mounted, [
    { name: 'signing-key', mountPath: folderOfSecrets, readOnly: true },
    { name: 'signing-key', secret: { secretName: 'domesday-signing-key', defaultMode: 0o440 } },
  ]);
  assert.deepEqual(
    places,
    new Map([
      ['deploy/compose/publisher.env.example', '/run/secrets/signing-key'],
      ['deploy/kubernetes/base/publisher.yaml', `${folderOfSecrets}/signing.pem`],
      ['deploy/systemd/publish.env', '/etc/domesday/signing.pem'],
    ]),
  );
  const page = read(guide);
  for (const made of ['/etc/domesday/signing.pem', 'compose/keys', 'production/signing.pem'])
    assert.ok(page.includes(made), made);
});

test('all replicas behind a proxy are asked about the same proxy: each file that sets trust sets 1', () => {
  const trust = variables().filter(({ name }) => name === 'DOMESDAY_TRUST_PROXY');
  assert.ok(trust.length >= 3);
  assert.deepEqual(new Set(trust.map(({ value }) => value)), new Set(['1']));
});

test('every file of deploy/ is named in the guide, by itself or by its folder', () => {
  const text = read(guide);
  const unnamed = files.filter((file) => !text.includes(file) && !text.includes(`${path.dirname(file)}/`));
  assert.deepEqual(unnamed, []);
});

test('the image is built from what .dockerignore lets through, and from all of it', () => {
  const ignored = read('.dockerignore');
  const allowed = [...ignored.matchAll(/^!(\S+)$/gm)].map(([, name = '']) => name);
  const copied = [...read('Dockerfile').matchAll(/^COPY (?:--chown=\S+ )?([^-].*) \S+$/gm)];
  const named = allowed.filter((name) => !name.startsWith('deploy/'));
  assert.deepEqual(copied.flatMap(([, names = '']) => names.split(' ')).toSorted(), named.toSorted());
  assert.match(ignored, /^\*$/m);
  assert.match(ignored, /^deploy\/compose\/\*\.env$/m, 'what an operator has written stays out');
});

testWith(
  kubectl,
  'an installation on Kubernetes is one folder, in which every name of its own stands',
  (program, context) => {
    const scratch = mkdtempSync(path.join(tmpdir(), 'domesday-kubernetes-'));
    context.after(() => rmSync(scratch, { recursive: true, force: true }));
    cpSync(path.join(root, 'deploy/kubernetes/base'), path.join(scratch, 'base'), { recursive: true });
    const own = path.join(scratch, 'production');
    cpSync(path.join(root, 'deploy/kubernetes/example'), own, { recursive: true });
    for (const file of globSync('*', { cwd: own })) {
      const place = path.join(own, file);
      writeFileSync(place, readFileSync(place, 'utf8').replaceAll(/example\.(?:com|internal)/g, 'ours.test'));
    }
    writeFileSync(path.join(own, 'signing.pem'), 'a key');
    const rendered = execFileSync(program, ['kustomize', own], { encoding: 'utf8' });
    assert.doesNotMatch(rendered, /example/);
    const documents = parseAllDocuments(rendered).map((document) => document.toJS());
    const kinds = documents.map(
      ({ kind, metadata }) => `${kind} ${metadata.name.replace(/-[a-z0-9]{10}$/, '')}`,
    );
    assert.deepEqual(kinds.toSorted(), [
      'CronJob domesday-backup',
      'CronJob domesday-publisher',
      'Deployment domesday',
      'Ingress domesday',
      'Namespace domesday',
      'NetworkPolicy domesday-backup',
      'NetworkPolicy domesday-publisher',
      'NetworkPolicy domesday-replicas',
      'PersistentVolumeClaim domesday-backup',
      'PersistentVolumeClaim domesday-publisher',
      'PodDisruptionBudget domesday',
      'Secret domesday',
      'Secret domesday-publisher',
      'Secret domesday-signing-key',
      'Service domesday',
    ]);
    // Each secret that a pod names is one of those, by the name that says its content.
    const secrets = documents.flatMap(({ kind, metadata }) => (kind === 'Secret' ? [metadata.name] : []));
    const asked = [...rendered.matchAll(/(?:secretName: |secretRef:\n\s+name: )(domesday(?!-tls)\S*)/g)];
    assert.deepEqual(new Set(asked.map(([, name]) => name)), new Set(secrets));
  },
);
