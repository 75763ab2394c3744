// What docs/architecture.md says of adding to the house: each recipe is carried out in a copy of the project, in as many
// files as the page promises and no more, and the copy then does the new thing, compiles and documents it.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, test } from 'node:test';
import type { Endpoint } from '../src/contract/endpoint.ts';
import type { Source } from '../src/ingest/source.ts';
import { openTestHome } from './ingest/home.ts';
import { openRig } from './rig.ts';

const root = path.join(import.meta.dirname, '..');
const page = readFileSync(path.join(root, 'docs/architecture.md'), 'utf8');

/** File → its new text, given the old one, which is empty for a new file. */
type Recipe = Readonly<Record<string, (before: string) => string>>;

const copy = mkdtempSync(path.join(tmpdir(), 'domesday-house-'));
after(() => rmSync(copy, { recursive: true, force: true }));

function readOrEmpty(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return '';
    throw error;
  }
}

/** Puts `added` before the first occurrence of `mark`. */
const putBefore = (mark: string, added: string) => (text: string) => {
  assert.ok(text.includes(mark), `"${mark}" is not there any more`);
  return text.replace(mark, () => `${added}${mark}`);
};

/** How many files the page says that it takes: a row "| an endpoint | 2 | …". */
const promised = (what: string): number =>
  Number(new RegExp(`^\\| ${what} +\\| (\\d+) `, 'm').exec(page)?.[1] ?? assert.fail(`${what} is not told`));

async function documents(): Promise<ReadonlyMap<string, string>> {
  const { generateDocs } = await import(path.join(copy, 'scripts/docs.ts'));
  return generateDocs();
}

const moonPhase = `// GET /moon-phase: how full the moon is today.

import { endpoint } from '../contract/endpoint.ts';
import { number, object } from '../contract/shape.ts';

export const moonPhase = endpoint({
  path: '/moon-phase',
  summary: 'How full the moon is',
  description: 'The lit share of the moon today.',
  method: 'GET',
  credits: 2,
  envelope: 'data',
  datasets: ['bank-rate'],
  maxAgeSeconds: 0,
  params: {},
  errors: ['AUTHENTICATION_REQUIRED', 'INSUFFICIENT_CREDITS', 'DATABASE_ERROR', 'INTERNAL_SERVER_ERROR'],
  answer: object('MoonPhase', { lit: number({ description: 'From 0 to 1.' }) }),
  handle: () => ({ lit: 0.5 }),
});
`;

const endpointRecipe: Recipe = {
  'src/endpoints/moon-phase.ts': () => moonPhase,
  'src/endpoints/index.ts': (text) =>
    putBefore(
      '\n] as const',
      '\n  moonPhase,',
    )(putBefore('\nexport const', "import { moonPhase } from './moon-phase.ts';\n")(text)),
};

const rateNotes = `// Bank Rate as handwritten notes: "2030-01-02 = 4.5" a line.

import type { Loader } from '../../ingest/source.ts';
import { bankRateTable } from '../../tables/bank-rate.ts';
import { parseDay } from '../../uk/calendar.ts';

export const rateNotes: Loader = {
  facts: {
    publisher: 'Nobody',
    publisherShort: 'Nobody',
    licence: 'None',
    attribution: 'None.',
    coverage: { 'United Kingdom': 'all' },
  },
  layouts: ['lines of a day, an equals sign and a rate'],
  recognise: (file) => (file.form === 'text' && /^\\d{4}-\\d\\d-\\d\\d = /.test(file.head.toString()) ? 'notes' : undefined),
  load: async (files, into) => {
    const text = files.map(({ file }) => (file.form === 'text' ? file.head.toString() : '')).join('');
    const rows = text.trim().split('\\n').map((line) => line.split(' = '));
    into.tally.read = rows.length;
    into.tally.kept = rows.length;
    into.writePart(
      bankRateTable.part,
      bankRateTable.encode({
        day: Int32Array.from(rows, ([day = '']) => parseDay(day) ?? Number.NaN),
        rate: Float64Array.from(rows, ([, rate = '']) => Number(rate)),
        series: new Uint8Array(rows.length),
        'series-names': ['Notes'],
      }),
    );
    return { edition: 'notes', asOf: '2030-01-02', rows: rows.length, extent: 'complete', nextEditionExpected: null };
  },
};
`;

const sourceRecipe: Recipe = {
  'src/sources/bank-rate/rate-notes.ts': () => rateNotes,
  'src/sources/index.ts': putBefore(
    "  {\n    name: 'onspd',",
    "  {\n    name: 'rate-notes',\n    dataset: 'bank-rate',\n    version: 1,\n    title: 'Bank Rate',\n    source: 'Handwritten notes',\n    homepage: 'https://example.org/notes',\n    open: async () => (await import('./bank-rate/rate-notes.ts')).rateNotes,\n  },\n",
  ),
};

const settingRecipe: Recipe = {
  'src/config.ts': putBefore(
    '  watchReleaseMs: setting(',
    "  greeting: setting({\n    env: 'DOMESDAY_GREETING',\n    flag: 'greeting',\n    fallback: 'hello',\n    placeholder: 'TEXT',\n    help: 'What to say first.',\n    parse: text,\n  }),\n",
  ),
};

before(() => {
  for (const name of [
    'bin',
    'data',
    'deploy',
    'docs',
    'scripts',
    'src',
    'web',
    'package.json',
    'tsconfig.json',
  ]) {
    cpSync(path.join(root, name), path.join(copy, name), { recursive: true });
  }
  symlinkSync(path.join(root, 'node_modules'), path.join(copy, 'node_modules'), 'junction');
  for (const [file, edit] of Object.entries({ ...endpointRecipe, ...sourceRecipe, ...settingRecipe })) {
    const place = path.join(copy, file);
    const old = readOrEmpty(place);
    const text = edit(old);
    assert.notEqual(text, old, `${file} stayed as it was`);
    writeFileSync(place, text);
  }
  const compiler = path.join(root, 'node_modules/typescript/bin/tsc');
  execFileSync(process.execPath, [compiler, '-p', copy], { encoding: 'utf8' });
});

test('another endpoint is one file and one line: routed, charged, described and documented', async () => {
  assert.equal(Object.keys(endpointRecipe).length, promised('an endpoint'));
  const { endpoints }: { endpoints: readonly Endpoint[] } = await import(
    path.join(copy, 'src/endpoints/index.ts')
  );
  const rig = await openRig({ endpoints });
  const { key } = await rig.customer();
  const answer = await rig.get('/api/v1/moon-phase', key);
  assert.equal(answer.statusCode, 200);
  assert.deepEqual(answer.json().data, { lit: 0.5 });
  assert.equal(answer.headers['x-credits-charged'], '2');
  assert.ok('/moon-phase' in (await rig.get('/api/v1/openapi.json')).json().paths);
  await rig.close();
  const written = await documents();
  assert.match(written.get('docs/api.md') ?? '', /\/moon-phase/);
  const { answers } = JSON.parse(written.get('data/examples.json') ?? '');
  assert.deepEqual(answers['/moon-phase'], { lit: 0.5 });
});

test('another source of a dataset is one file and one entry: recognised, loaded and documented', async () => {
  assert.ok(Object.keys(sourceRecipe).length <= promised('a source'));
  assert.ok(promised('a source') <= 3);
  const { sources }: { sources: readonly Source[] } = await import(path.join(copy, 'src/sources/index.ts'));
  const home = openTestHome();
  await home.ingest([home.put('notes.txt', '2030-01-02 = 4.5\n')], sources);
  assert.deepEqual(home.changes(), ['2030-01-02 4.5 Notes']);
  home.remove();
  assert.match((await documents()).get('docs/data-sources.md') ?? '', /Handwritten notes/);
});

test('a setting is one entry of one file: read from variable and flag, in the help and in the documents', async () => {
  assert.equal(Object.keys(settingRecipe).length, promised('a setting'));
  const { readSettings } = await import(path.join(copy, 'src/config.ts'));
  assert.equal(readSettings({ DOMESDAY_GREETING: 'good day' }, {}).greeting, 'good day');
  assert.equal(readSettings({ DOMESDAY_GREETING: 'good day' }, { greeting: 'hey' }).greeting, 'hey');
  assert.match((await documents()).get('docs/settings.md') ?? '', /DOMESDAY_GREETING.*What to say first/);
  const help = execFileSync(process.execPath, [path.join(copy, 'bin/domesday.js'), 'serve', '--help'], {
    encoding: 'utf8',
  });
  assert.match(help, /--greeting TEXT/);
});
