// The house rules that a machine can check: who may import whom, sizes, names, headers.

import assert from 'node:assert/strict';
import { existsSync, globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';

const root = path.join(import.meta.dirname, '..');
const sources = globSync('src/**/*.ts', { cwd: root }).sort();
/** What the browser runs. */
const pages = globSync('web/**/*.{ts,tsx}', { cwd: root }).sort();

/** Words that every room needs: each a file that imports nothing of the others, and that all may import. */
const leaves: readonly string[] = ['errno', 'json', 'out-of-range', 'packaged', 'recent', 'time'];

/** Room → rooms it may import, beside itself and the leaves. docs/architecture.md draws the same table. */
const mayImport: Record<string, readonly string[]> = {
  'before-release': [],
  uk: [],
  errors: [],
  config: [],
  datasets: [],
  'ip-address': [],
  lock: [],
  metrics: ['columns'],
  nearest: [],
  'strike-keys': [],
  visible: [],
  backdrop: ['columns', 'release', 'tables'],
  bundle: [],
  release: ['before-release', 'columns', 'datasets', 'lock'],
  storage: [],
  ledger: ['before-release', 'ip-address', 'metrics', 'storage'],
  requests: ['errors', 'ledger', 'metrics', 'storage', 'strike-keys'],
  people: ['ledger', 'storage'],
  control: ['ledger', 'people', 'storage'],
  portal: ['config', 'contract', 'http', 'ledger', 'people', 'release', 'requests', 'storage', 'uk'],
  upstream: ['config', 'metrics', 'uk'],
  columns: ['uk'],
  tables: ['columns', 'datasets', 'release', 'uk'],
  contract: ['datasets', 'errors', 'nearest', 'release', 'uk', 'upstream'],
  endpoints: ['columns', 'contract', 'datasets', 'tables', 'uk', 'upstream'],
  ingest: ['columns', 'datasets', 'release', 'uk', 'visible'],
  sources: ['columns', 'datasets', 'ingest', 'tables', 'uk'],
  depot: ['before-release', 'lock', 'release', 'update', 'visible'],
  update: ['datasets', 'ingest', 'lock', 'release', 'uk', 'visible'],
  http: [
    'backdrop',
    'bundle',
    'columns',
    'config',
    'contract',
    'datasets',
    'errors',
    'ip-address',
    'ledger',
    'metrics',
    'release',
    'requests',
    'strike-keys',
    'uk',
    'upstream',
    'visible',
  ],
  cli: [
    'before-release',
    'config',
    'contract',
    'control',
    'datasets',
    'depot',
    'endpoints',
    'errors',
    'http',
    'ingest',
    'ledger',
    'lock',
    'metrics',
    'nearest',
    'people',
    'portal',
    'release',
    'requests',
    'sources',
    'storage',
    'tables',
    'uk',
    'update',
    'upstream',
    'visible',
  ],
};

const testFiles = globSync('test/**/*.ts', { cwd: root });

const read = (file: string) => readFileSync(path.join(root, file), 'utf8');
const roomOf = (file: string) =>
  file
    .replace(/^src\//, '')
    .split('/')[0]
    ?.replace(/\.ts$/, '') ?? '';

const importsOf = (file: string) =>
  [...read(file).matchAll(/(?:from|import)\s*\(?\s*'(\.[^']+)'/g)].map(([, specifier = '']) =>
    path.join(path.dirname(file), specifier),
  );

test('every source file is looked at', () => {
  assert.ok(sources.length > 40, `only ${sources.length} files found`);
});

test('a room imports only the rooms it may', () => {
  const forbidden = sources.flatMap((file) =>
    importsOf(file)
      .filter((target) => target.startsWith('src/'))
      .filter(
        (target) => ![roomOf(file), ...leaves, ...(mayImport[roomOf(file)] ?? [])].includes(roomOf(target)),
      )
      .map((target) => `${file} → ${target}`),
  );
  assert.deepEqual(forbidden, []);
});

test('pages know the service by the types of its routes and endpoints alone', () => {
  const shared = [
    ...['src/portal/routes.ts', 'src/portal/views.ts', 'src/people/people.ts'],
    ...['src/contract/shape.ts', 'src/endpoints/index.ts'],
  ];
  const outside = pages.flatMap((file) =>
    importsOf(file)
      .filter((target) => !target.startsWith('web/') && !shared.includes(target))
      .map((target) => `${file} → ${target}`),
  );
  assert.deepEqual(outside, []);
  const values = pages.filter((file) => /^import (?!type )[^;]*'[./]*src\/[^']*';/m.test(read(file)));
  assert.deepEqual(values, [], 'types are gone when the page runs; values would bring the service along');
});

test('a start brings in no loader: with its bundled data in place it reads none', () => {
  const atStart = new Set(['main', 'serve', 'serve/until-signal'].map((name) => `src/cli/${name}.ts`));
  for (const file of atStart) {
    // Types are gone when the file runs; import() waits for its use.
    for (const [, target = ''] of read(file).matchAll(/^(?:import|export) (?!type )[^;]*?'(\.[^']+)';/gm))
      atStart.add(path.join(path.dirname(file), target));
  }
  assert.ok(atStart.size > 100, `only ${atStart.size} files found`);
  const loaders = [...atStart].filter((file) => /^src\/(ingest|sources)\//.test(file));
  assert.deepEqual(loaders.sort(), [
    'src/ingest/progress.ts',
    'src/sources/derivations.ts',
    'src/sources/index.ts',
  ]);
  // For one of its exports Node would load its whole WebSocket client (src/http/wire/status-names.ts).
  const importers = [...atStart].filter((file) => /^import (?!type )[^;]*'node:http'/m.test(read(file)));
  assert.deepEqual(importers, []);
});

test('nothing in src is reached from no other file', () => {
  const reached = new Set(sources.flatMap(importsOf));
  const workers = sources.flatMap((file) =>
    [...read(file).matchAll(/new URL\('(\.[^']+\.ts)'/g)].map(([, target = '']) =>
      path.join(path.dirname(file), target),
    ),
  );
  const entries = ['src/cli/main.ts', ...workers];
  assert.deepEqual(
    sources.filter((file) => !reached.has(file) && !entries.includes(file)),
    [],
  );
});

test('only the composition root reads the environment', () => {
  const readers = sources.filter((file) => /process\.env/.test(read(file)));
  assert.deepEqual(readers, ['src/cli/main.ts']);
});

const linesOf = (file: string) => read(file).split('\n').length;

test('files stay under 600 lines', () => {
  const isByHand = (file: string) => !read(file).startsWith('// Generated');
  const long = [...sources, ...pages].filter((file) => isByHand(file) && linesOf(file) > 600);
  assert.deepEqual(long, []);
});

/** Rooms whose insides are still to be put in order. */
const unordered = /^(src\/(ledger|people|http(?!\/docs))|web\/explore\/map)\//;

test('a file of less than 60 lines that one file alone imports stands in that file, unless it is an item of a list or waits for its use', () => {
  const files = [...sources, ...pages];
  const waits = (target: string, importer: string) =>
    read(importer).includes(`import('./${path.relative(path.dirname(importer), target)}')`);
  const importers = Map.groupBy(
    files.flatMap((file) => [...new Set(importsOf(file))].map((target) => ({ file, target }))),
    ({ target }) => target,
  );
  const small = files
    .filter((file) => !unordered.test(file) && linesOf(file) < 60)
    .flatMap((file) => {
      const [importer, ...others] = importers.get(file) ?? [];
      return importer === undefined ||
        others.length > 0 ||
        importer.file.endsWith('/index.ts') ||
        waits(file, importer.file)
        ? []
        : [`${file} → ${importer.file}`];
    });
  assert.deepEqual(small, []);
});

test('every file opens with what it is for', () => {
  const silent = [...sources, ...pages, ...globSync('test/**/*.ts', { cwd: root })].filter(
    (file) => !read(file).startsWith('// '),
  );
  assert.deepEqual(silent, []);
});

test('no file is called by a word that says nothing', () => {
  const vague = [...sources, ...pages].filter((file) =>
    /(^|[/-])(utils?|helpers?|common|base|service|manager)\b/.test(file),
  );
  assert.deepEqual(vague, []);
});

test('tests find files outside the repository, and are skipped, in one way alone', () => {
  const others = globSync('test/**/*.ts', { cwd: root })
    .filter((file) => !['test/requirements.ts', 'test/tidy.test.ts', 'test/run.ts'].includes(file))
    .filter((file) => /\.\.\/shared\b|\b(skip|todo)\s*[:(},]|'(skip|todo)'/.test(read(file)));
  assert.deepEqual(others, []);
});

test('no mark of unfinished work is left', () => {
  const marks = [...sources, ...pages, ...globSync('test/**/*.ts', { cwd: root })]
    .filter((file) => !file.endsWith('tidy.test.ts'))
    .filter((file) => /\b(TODO|FIXME|XXX|HACK)\b|\.only\(|\.skip\(/.test(read(file)));
  assert.deepEqual(marks, []);
});

test('no file imports itself through others, not even for a type', () => {
  const known = new Set([...sources, ...pages]);
  const circles: string[] = [];
  const done = new Set<string>();
  const walk = (file: string, way: readonly string[]): void => {
    const start = way.indexOf(file);
    if (start !== -1) circles.push([...way.slice(start), file].join(' → '));
    if (start !== -1 || done.has(file)) return;
    for (const target of importsOf(file)) if (known.has(target)) walk(target, [...way, file]);
    done.add(file);
  };
  for (const file of known) walk(file, []);
  assert.deepEqual(circles, []);
});

test('a folder has at most 20 files', () => {
  const folders = Map.groupBy([...sources, ...pages], (file) => path.dirname(file));
  const full = [...folders].filter(([, files]) => files.length > 20).map(([folder]) => folder);
  assert.deepEqual(full, []);
});

test('on the way of data, what lies outside an array is never read as 0', () => {
  const rooms = ['columns', 'endpoints', 'ingest', 'release', 'sources', 'tables', 'uk'];
  const silent = sources
    .filter((file) => rooms.includes(roomOf(file)))
    .flatMap((file) =>
      read(file)
        .split('\n')
        .map((line, at) => ({ line, place: `${file}:${at + 1}` }))
        .filter(({ line }) => /\] \?\? 0\b/.test(line))
        .map(({ place }) => place),
    );
  assert.deepEqual(silent, []);
});

/** What each file takes from others by name; of a file that it loads when needed, every word that it contains. */
function takenBy(file: string): readonly string[] {
  const text = read(file);
  const from = (specifier: string) => path.join(path.dirname(file), specifier);
  const named = text
    .matchAll(/(?:import|export)\s+(?:type\s+)?\{([^}]*)\}\s+from\s+'(\.[^']+)'/g)
    .flatMap(([, names = '', specifier = '']) =>
      names
        .split(',')
        .map(
          (name) =>
            name
              .trim()
              .replace(/^type\s+/, '')
              .split(/\s+as\s+/)[0] ?? '',
        )
        .map((name) => `${from(specifier)} ${name}`),
    );
  const words = new Set(text.match(/\w+/g));
  const loaded = text
    .matchAll(/import\(\s*'(\.[^']+)'/g)
    .flatMap(([, specifier = '']) => words.values().map((word) => `${from(specifier)} ${word}`));
  return [...named, ...loaded];
}

test('every export is used by another file', () => {
  const users = [...sources, ...pages, ...globSync('{test,bench,scripts}/**/*.ts', { cwd: root })].filter(
    (file) => !file.includes('node_modules'),
  );
  const taken = new Set(users.flatMap(takenBy));
  const unused = [...sources, ...pages].flatMap((file) =>
    [...read(file).matchAll(/^export (?:async )?(?:const|function\*?|class|type) (\w+)/gm)]
      .map(([, name = '']) => `${file} ${name}`)
      .filter((entry) => !taken.has(entry)),
  );
  assert.deepEqual(unused, []);
});

let testImporters: Map<string, { test: string; target: string }[]> | undefined;

test('every promise names its test, and in which run it is', () => {
  const rows = read('docs/guarantees.md')
    .split('\n')
    .filter((line) => line.startsWith('| ') && !/^\| (Promise|---)/.test(line));
  assert.ok(rows.length > 100, `only ${rows.length} promises found`);
  const wrong = rows.flatMap((row) => {
    const [promise = '', proof = '', run = ''] = row.slice(2, -2).split(' | ');
    const files = proof.match(/test\/[\w/.-]+\.ts/g) ?? [];
    const absent = files.filter((file) => !existsSync(path.join(root, file)));
    const runs = new Set(files.flatMap(runsOf));
    const expected = [...runs].sort().join(', ');
    const isCommandAlone = files.length === 0 && /`npm run \w+/.test(proof);
    return absent.length > 0 || (run !== expected && !(isCommandAlone && run === 'by hand'))
      ? [`${promise}: ${absent.join(' ') || `in the run "${run}", expected "${expected}"`}`]
      : [];
  });
  assert.deepEqual(wrong, []);
});

/** A file that is no test itself is run by those that import it. */
function runsOf(file: string): readonly ('at hand' | 'slow')[] {
  if (file.endsWith('.slow.test.ts')) return ['slow'];
  if (file.endsWith('.test.ts')) return /['"`]slow: /.test(read(file)) ? ['at hand', 'slow'] : ['at hand'];
  testImporters ??= Map.groupBy(
    testFiles.flatMap((test) => importsOf(test).map((target) => ({ test, target }))),
    ({ target }) => target,
  );
  return (testImporters.get(file) ?? []).flatMap(({ test }) => runsOf(test));
}
