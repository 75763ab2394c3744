// Every file has a day that somebody has stated, and an older edition never takes the place of a newer one, in whatever
// form and order they come. The ingests of these tests are on 2026-11-15.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { type TestContext, test } from 'node:test';
import { read, write } from '@e965/xlsx';
import { fromBufferPromise } from 'yauzl';
import { makeZip } from '../../scripts/make-zip.ts';
import { readOutline } from '../../src/ingest/read/workbook.ts';
import { derivations } from '../../src/sources/derivations.ts';
import { sources } from '../../src/sources/index.ts';
import { formatDay } from '../../src/uk/calendar.ts';
import { realFiles, testWith } from '../requirements.ts';
import { book } from '../sources/council-tax/books.ts';
import { openSchoolDesk, welshRow, welshTitles } from '../sources/schools/desk.ts';
import { openTestHome } from './home.ts';

type Form = 'ods' | 'xlsx' | 'xls';
type Saved = { readonly saved?: string; readonly created?: string; readonly title?: string };

/** The Welsh address list with as many schools as the year of `saved` says, so that a test sees which one is loaded. */
async function listOf(schools: number, form: Form, { saved, created, title }: Saved): Promise<Buffer> {
  const rows = Array.from({ length: schools }, (_, at) =>
    welshRow(6_702_000 + at, `School ${at}`, 'Primary', 'Infants', 'ZZ1 1AA'),
  );
  const plain = book({ Index: [[title ?? 'Address list']], Maintained: [welshTitles, ...rows] }, 'ods');
  if (form === 'ods') return withMeta(plain, saved, created);
  const workbook = read(plain);
  workbook.Props = {
    ...(saved === undefined ? {} : { ModifiedDate: new Date(`${saved}T14:15:19Z`) }),
    ...(created === undefined ? {} : { CreatedDate: new Date(`${created}T09:00:00Z`) }),
  };
  return write(workbook, { type: 'buffer', bookType: form === 'xls' ? 'biff8' : form });
}

/** An ODS whose meta.xml says when it was saved, as Excel and LibreOffice write it. */
async function withMeta(ods: Buffer, saved?: string, created?: string): Promise<Buffer> {
  const entries: Record<string, Buffer | string> = {};
  const archive = await fromBufferPromise(ods, { lazyEntries: true });
  for await (const entry of archive.eachEntry()) {
    const chunks = await Array.fromAsync(await archive.openReadStreamPromise(entry));
    entries[entry.fileName] = Buffer.concat(chunks);
  }
  const dates = [
    ...(created === undefined ? [] : [`<meta:creation-date>${created}T13:58:34Z</meta:creation-date>`]),
    ...(saved === undefined ? [] : [`<dc:date>${saved}T14:15:19.123456789</dc:date>`]),
  ];
  entries['meta.xml'] =
    `<?xml version="1.0"?><office:document-meta><office:meta>${dates.join('')}</office:meta></office:document-meta>`;
  return makeZip(entries);
}

async function openDesk(t: TestContext) {
  const desk = await openSchoolDesk(t);
  const load = async (files: Readonly<Record<string, Buffer>>, edition?: string) => {
    const paths = Object.entries(files).map(([name, content]) => desk.put(name, content));
    const [report = assert.fail()] = (await desk.ingest(paths, sources, derivations, edition)).sources;
    return report;
  };
  return { ...desk, load };
}

const unknown = /does not state its day\. Add the day, or its month, .*--edition/;

test('a workbook that does not state its day is of the day it was last saved, whatever its form', async (t) => {
  for (const form of ['ods', 'xlsx'] as const) {
    const desk = await openDesk(t);
    const report = await desk.load({
      [`list.${form}`]: await listOf(3, form, { saved: '2021-08-25', created: '2015-09-23' }),
    });
    assert.equal(report.asOf, '2021-08-25', form);
    assert.match(report.files[0]?.dated ?? '', /^2021-08-25, by when it was last saved$/);
  }
});

test('what states no day is refused and changes nothing: no dates at all, days to come, defaults of programs', async (t) => {
  const desk = await openDesk(t);
  for (const saved of [{}, { saved: '2031-01-01' }, { saved: '1980-01-01' }, { created: '1601-01-01' }]) {
    for (const form of ['ods', 'xlsx', 'xls'] as const) {
      const name = `list.${form}`;
      await assert.rejects(desk.load({ [name]: await listOf(3, form, saved) }), unknown, form);
    }
  }
  assert.equal(desk.store.openCurrent().findDataset('schools-wales'), undefined);
  // A document that was never changed has only the day of its creation.
  const fresh = await listOf(3, 'ods', { created: '2021-08-25' });
  assert.equal((await desk.load({ 'list.ods': fresh })).asOf, '2021-08-25');
});

test('the name comes first, then what stands above the tables, then --edition, then the month in the name', async (t) => {
  const cases: readonly (readonly [string, Saved, string | undefined, string])[] = [
    ['address-list-schools-wales-20210825.ods', { title: '1 April 2026' }, undefined, '2021-08-25'],
    ['list 25 August 2021.ods', {}, undefined, '2021-08-25'],
    ['list_25-08-2021.ods', {}, undefined, '2021-08-25'],
    ['list+2021.08.25+v2.ods', {}, undefined, '2021-08-25'],
    ['list.ods', { title: 'Published on 23rd March 2023' }, undefined, '2023-03-23'],
    ['list July 2022.ods', { title: 'Correct as at 31 July 2022' }, undefined, '2022-07-31'],
    // Neither a period nor the next edition is the day of this one.
    [
      'list.ods',
      { title: 'For 1 April 2023 to 31 March 2024', saved: '2023-03-01' },
      undefined,
      '2023-03-01',
    ],
    ['list.ods', { title: 'Next update: 5 May 2024', saved: '2023-03-01' }, undefined, '2023-03-01'],
    ['list July 2022.ods', { saved: '2024-02-01' }, undefined, '2022-07-01'],
    ['list 2022-07.ods', { saved: '2024-02-01' }, undefined, '2022-07-01'],
    // A tax year is no month, and a day to come is no day of an edition.
    ['list 2011-12.ods', { saved: '2012-03-01' }, undefined, '2012-03-01'],
    ['valid to 2031-01-01.ods', { saved: '2024-02-01' }, undefined, '2024-02-01'],
    // Saved anew later: the operator knows better.
    ['list.ods', { saved: '2025-06-01' }, '2019-09-01', '2019-09-01'],
    ['list.ods', { saved: '2025-06-01' }, '2019-09', '2019-09-01'],
  ];
  for (const [name, saved, edition, asOf] of cases) {
    const desk = await openDesk(t);
    const report = await desk.load({ [name]: await listOf(3, 'ods', saved) }, edition);
    assert.equal(report.asOf, asOf, `${name} ${JSON.stringify(saved)}`);
  }
});

test('--edition that agrees with what the file states is accepted', async (t) => {
  const desk = await openDesk(t);
  const report = await desk.load({ 'list-20210825.ods': await listOf(3, 'ods', {}) }, '2021-08-25');
  assert.equal(report.asOf, '2021-08-25');
});

test('--edition that no file needs is refused, with the days that the files state', async (t) => {
  const desk = await openDesk(t);
  const files = { 'list-20210825.ods': await listOf(3, 'ods', {}) };
  await assert.rejects(desk.load(files, '2022-01-01'), (error: Error) => {
    assert.match(error.message, /^Nothing was loaded: --edition is for files that do not state/);
    assert.match(error.message, /list-20210825\.ods: 2021-08-25, by its name/);
    return true;
  });
  assert.equal(desk.store.openCurrent().findDataset('schools-wales'), undefined);
});

test('of two editions the newer stays, in every form and order; the older is refused with both days', async (t) => {
  const forms = ['ods', 'xlsx'] as const;
  for (const oldForm of forms) {
    for (const newForm of forms) {
      const desk = await openDesk(t);
      const old = { [`old.${oldForm}`]: await listOf(3, oldForm, { saved: '2019-06-03' }) };
      const fresh = { [`new.${newForm}`]: await listOf(4, newForm, { saved: '2021-08-25' }) };
      const rows = () => desk.store.openCurrent().findDataset('schools-wales')?.rows;
      await desk.load(old);
      assert.equal((await desk.load(fresh)).asOf, '2021-08-25');
      await assert.rejects(
        desk.load(old),
        /^IngestRefused: Nothing was loaded: the file is of 2019-06-03, and .* of 2021-08-25 is loaded/,
      );
      assert.equal(rows(), 4);
      for (const both of [
        { ...old, ...fresh },
        { ...fresh, ...old },
      ]) {
        const paths = Object.entries(both).map(([name, content]) => desk.put(name, content));
        const { passedOver, outcome } = await desk.ingest(paths);
        assert.equal(outcome, 'nothing new');
        assert.deepEqual(
          passedOver.map(({ name }) => path.basename(name)),
          [`old.${oldForm}`],
        );
      }
      assert.equal(rows(), 4);
    }
  }
});

testWith(
  realFiles('data/places/newport/address-list-schools-wales-20210825.ods', 'data/codepoint_open'),
  'slow: the real Welsh list is of the day it was saved, under whatever name',
  async (real, t) => {
    const home = openTestHome();
    t.after(() => home.remove());
    await home.ingest([real('data/codepoint_open')]);
    const list = readFileSync(real('data/places/newport/address-list-schools-wales-20210825.ods'));
    const { sources: reports } = await home.ingest([home.put('schools.ods', list)]);
    assert.equal(reports[0]?.asOf, '2021-08-25');
  },
);

testWith(
  realFiles(
    'data/places/all/ashe87a_2021prov.xls',
    'data/council_tax/CTR_Table_9_2023-24.ods',
    'data/council_tax/ctr_2223.xlsx',
  ),
  'the properties of real workbooks are read in every form; they were created twenty years before',
  async (real) => {
    const savedOf = async (name: Parameters<typeof real>[0]) => {
      const { savedDay } = await readOutline(name, readFileSync(real(name)));
      return savedDay === undefined ? undefined : formatDay(savedDay);
    };
    assert.equal(await savedOf('data/places/all/ashe87a_2021prov.xls'), '2021-10-13');
    assert.equal(await savedOf('data/council_tax/CTR_Table_9_2023-24.ods'), '2023-03-23');
    assert.equal(await savedOf('data/council_tax/ctr_2223.xlsx'), '2022-09-09');
  },
);
