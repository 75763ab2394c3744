// A run that goes on without what was refused: the release has the other files, and of a refused dataset what the base had,
// as if its files had never been given.

import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, test } from 'node:test';
import fc from 'fast-check';
import type { DatasetName } from '../../src/datasets.ts';
import type { Derivation } from '../../src/ingest/derivation.ts';
import type { PlanOrder } from '../../src/ingest/plan.ts';
import { noProgress } from '../../src/ingest/progress.ts';
import { FileRefused, IngestRefused } from '../../src/ingest/refusal.ts';
import { type IngestReport, runIngest } from '../../src/ingest/run.ts';
import type { Into, Source } from '../../src/ingest/source.ts';
import { encodePart } from '../../src/release/part.ts';
import type { Release } from '../../src/release/reader.ts';
import { sourcesNamed } from '../../src/sources/index.ts';
import { openTestHome, type TestHome } from './home.ts';

let home: TestHome;
beforeEach(() => {
  home = openTestHome();
});
afterEach(() => home.remove());

const [bankRate = assert.fail()] = sourcesNamed('bank-rate');

const column = (value: number) => ({ value: Uint8Array.of(value) });
const valueIn = (release: Release, part: string) =>
  release.has(part) ? release.part(part).u8('value')[0] : undefined;

/** When a file "a=7 refused late" is refused. */
const moments: Readonly<Record<string, (name: string, value: number, into: Into) => Promise<void>>> = {
  early: async () => {},
  late: async (name, value, into) => {
    into.scratch();
    into.writePart(name, column(value));
    await into.writeEncoded(`${name}-more`, encodePart(column(value)));
  },
  keeping: async (name, value, into) => {
    into.writePart(name, column(value));
    into.keepPart(`${name}-more`);
  },
};

/** A file "a=7" is a dataset with one number in two parts. */
const letter = (name: string, dataset: DatasetName): Source => ({
  ...bankRate,
  name,
  dataset,
  open: async () => ({
    ...(await bankRate.open()),
    headerAlone: () => 'read',
    recognise: (file) =>
      file.form === 'text' && file.head.toString().startsWith(`${name}=`) ? 'letter' : undefined,
    load: async ([given], into) => {
      assert.ok(given?.file.form === 'text');
      const [, digits, moment] = /=(\d+)(?: refused (\w+))?/.exec(given.file.head.toString()) ?? [];
      const value = Number(digits);
      if (moment !== undefined) {
        await moments[moment]?.(name, value, into);
        throw new IngestRefused(`${name} is not what it should be`);
      }
      into.writePart(name, column(value));
      await into.writeEncoded(`${name}-more`, encodePart(column(value)));
      return {
        edition: `${value}`,
        asOf: '2026-01-01',
        rows: 1,
        extent: 'complete',
        nextEditionExpected: null,
      };
    },
  }),
});
const letters = [letter('a', 'stops'), letter('b', 'traffic'), letter('c', 'income')];

const sum: Derivation = {
  part: 'sum',
  version: 1,
  from: ['stops', 'traffic', 'income'],
  needs: ['a'],
  derive: async (release) =>
    column(['a', 'b', 'c'].reduce((total, name) => total + (valueIn(release, name) ?? 0), 0)),
};

let made = 0;
const run = (texts: readonly string[], onRefusal: 'stop' | 'leave out' = 'leave out') =>
  runFiles(
    texts.map((text) => home.put(`${text}.txt`, text)),
    { sources: letters, onRefusal },
  );

type Order = Pick<PlanOrder, 'sources' | 'onRefusal' | 'apart'>;

async function runFiles(paths: readonly string[], order: Order) {
  made += 1;
  const report: IngestReport = await runIngest({
    onRefusal: 'leave out',
    ...order,
    paths,
    derivations: [sum],
    store: home.store,
    base: home.store.currentId() === undefined ? undefined : home.store.openCurrent(),
    id: `run-${made}`,
    kind: 'loaded',
    atMs: Date.UTC(2026, 10, 15, 12, made),
    progress: noProgress,
  });
  if (report.outcome === 'made') home.store.point(report.release.id);
  return report;
}

const numbers = (release: Release) =>
  ['a', 'a-more', 'b', 'b-more', 'c', 'c-more', 'sum'].map((part) => valueIn(release, part));
const filesOf = ({ id }: Release) => readdirSync(path.join(home.store.folder, id)).sort();

test('a dataset refused after its parts were written is that of the base, and what is derived is of it', async () => {
  await run(['a=1', 'b=2', 'c=4']);
  for (const moment of Object.keys(moments)) {
    const { release, outcome, refused, sources } = await run([`a=64 refused ${moment}`, 'b=8']);
    assert.deepEqual([outcome, sources.map(({ source }) => source)], ['made', ['b']]);
    assert.deepEqual(numbers(release), [1, 1, 8, 8, 4, 4, 13], moment);
    assert.deepEqual(
      refused.map(({ source, dataset, files, reason }) => [source, dataset, files.length, reason]),
      [['a', 'stops', 1, 'a is not what it should be']],
    );
    release.verify();
    assert.deepEqual(release.findDataset('stops')?.edition, '1');
    await run(['b=2']);
  }
});

test('a dataset that is refused and was never loaded is not in the release, nor are its parts', async () => {
  const { release } = await run(['a=1', 'b=2 refused late']);
  assert.deepEqual(numbers(release), [1, 1, undefined, undefined, undefined, undefined, 1]);
  assert.deepEqual(
    filesOf(release).filter((name) => name.startsWith('b')),
    [],
  );
});

test('where everything is refused nothing changes; without a base the reasons are thrown', async () => {
  await assert.rejects(run(['a=1 refused late', 'b=2 refused early']), (error: Error) => {
    assert.ok(error instanceof IngestRefused);
    assert.equal(error.message, 'a is not what it should be\nb is not what it should be');
    return true;
  });
  assert.deepEqual(readdirSync(home.store.folder), []);
  const { release } = await run(['a=1']);
  const before = readdirSync(home.store.folder).sort();
  const report = await run(['a=2 refused late']);
  assert.deepEqual(
    [report.outcome, report.release.id, report.refused.length],
    ['nothing new', release.id, 1],
  );
  assert.deepEqual(readdirSync(home.store.folder).sort(), before);
});

test('files that cannot be opened or are of no kind are left out by name, and the others are read', async () => {
  const page = '<!doctype html><title>Not found</title>';
  const { release, refused } = await run(['a=1', 'stranger', 'another', page.replaceAll('/', '')]);
  assert.equal(valueIn(release, 'a'), 1);
  assert.deepEqual(
    refused.map(({ source, reason, files }) => [
      source,
      /web page|not recognised/.exec(reason)?.[0],
      files
        .map((file) => path.basename(file))
        .join(' and ')
        .slice(0, 30),
    ]),
    [
      [undefined, 'web page', '<!doctype html><title>Not foun'],
      [undefined, 'not recognised', 'stranger.txt and another.txt'],
    ],
  );
});

test('without being asked to, no run goes on after a refusal', async () => {
  await run(['a=1']);
  await assert.rejects(run(['a=2 refused late', 'b=2'], 'stop'), /a is not what it should be/);
  assert.deepEqual(numbers(home.store.openCurrent()), [1, 1, undefined, undefined, undefined, undefined, 1]);
});

/** Its files "s…=7" are read together into one number, and refused one by one, after something was written. */
const total: Source = {
  ...bankRate,
  name: 's',
  dataset: 'stops',
  open: async () => ({
    ...(await bankRate.open()),
    headerAlone: () => 'read',
    recognise: (file) =>
      file.form === 'text' && file.head.toString().startsWith('s') ? 'letter' : undefined,
    load: async (files, into) => {
      let value = 0;
      for (const { file } of files) {
        const [, digits, moment] =
          /=(\d+)( refused)?/.exec(file.form === 'text' ? file.head.toString() : '') ?? [];
        value += Number(digits);
        if (moment === undefined) continue;
        into.writePart('s', column(value));
        throw new FileRefused(file.name, 'is not what it should be');
      }
      into.writePart('s', column(value));
      return {
        edition: `${value}`,
        asOf: '2026-01-01',
        rows: 1,
        extent: 'complete',
        nextEditionExpected: null,
      };
    },
  }),
};

test('of files of one dataset from several hands, those are read that are not refused, in the same release', async () => {
  const hands = fc.array(
    fc.array(fc.record({ value: fc.nat(9), isRefused: fc.boolean() }), { minLength: 1, maxLength: 2 }),
    {
      minLength: 1,
      maxLength: 4,
    },
  );
  await fc.assert(
    fc.asyncProperty(hands, fc.boolean(), async (given, isApart) => {
      home.remove();
      home = openTestHome();
      await run(['a=1', 'b=2']);
      const before = home.store.list().length;
      const paths = given.map((files, hand) =>
        files.map(({ value, isRefused }, at) => {
          const text = `s${hand}-${at}=${value}${isRefused ? ' refused' : ''}`;
          return home.put(`${text}.txt`, text);
        }),
      );
      const sources = letters.map((each) => (each.name === 'a' ? total : each));
      const { release, refused } = await runFiles([...paths.flat(), home.put('b.txt', 'b=5')], {
        sources,
        ...(isApart ? { apart: paths } : {}),
      });
      const isGood = (files: (typeof given)[number]) => !files.some(({ isRefused }) => isRefused);
      const good = isApart || given.every(isGood) ? given.filter(isGood) : [];
      const sumOf = good.flat().reduce((sum, { value }) => sum + value, 0);
      assert.equal(home.store.list().length, before + 1);
      assert.deepEqual(
        [valueIn(release, 's'), valueIn(release, 'b')],
        [good.length === 0 ? undefined : sumOf, 5],
      );
      assert.equal(valueIn(release, 'a'), good.length === 0 ? 1 : undefined);
      const names = refused.flatMap(({ files }) => files).toSorted();
      assert.deepEqual(
        names,
        paths
          .filter((_, hand) => !good.includes(given[hand] ?? []))
          .flat()
          .toSorted(),
      );
    }),
    { numRuns: 60 },
  );
});

test('whatever is refused and when: the release is that of the other files alone', async () => {
  const file = fc.record({
    value: fc.integer({ min: 0, max: 60 }),
    moment: fc.option(fc.constantFrom(...Object.keys(moments)), { nil: undefined }),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(fc.tuple(file, file, file), { minLength: 1, maxLength: 3 }), async (runs) => {
      home.remove();
      home = openTestHome();
      const expected = new Map<string, number>();
      await run(['a=0', 'b=0', 'c=0']);
      for (const files of runs) {
        const texts = files.map(({ value, moment }, at) => {
          const name = 'abc'.charAt(at);
          if (moment === undefined) expected.set(name, value);
          return `${name}=${value}${moment === undefined ? '' : ` refused ${moment}`}`;
        });
        await run(texts);
      }
      const release = home.store.openCurrent();
      release.verify();
      const values = ['a', 'b', 'c'].map((name) => expected.get(name) ?? 0);
      assert.deepEqual(numbers(release), [
        ...values.flatMap((value) => [value, value]),
        values.reduce((total, value) => total + value, 0),
      ]);
      const parts = [...['a', 'b', 'c'].flatMap((name) => [`${name}-more`, name]), 'sum'];
      assert.deepEqual(
        filesOf(release),
        [...parts.map((name) => `${name}.part`), 'manifest.json', 'manifest.sha256'].sort(),
      );
    }),
    { numRuns: 40 },
  );
});
