// Of two editions the newer one is served, whichever was loaded first; or the older one is refused in words. It never
// takes the place of the newer one in silence. For every source whose edition replaces the one before.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { DatasetName } from '../../src/datasets.ts';
import { openPlaceNames } from '../../src/tables/postcodes/place-names.ts';
import { authoritiesCsv } from '../sources/council-tax/books.ts';
import { giasCsv, ofstedCsv } from '../sources/schools/desk.ts';
import { node, nodesFile } from '../sources/transport/desk.ts';
import { openTestHome, type TestHome } from './home.ts';

type Editions = {
  readonly dataset: DatasetName;
  /** The files of an edition, in which `mark` can be found again. */
  readonly files: (day: string, mark: 'old' | 'new') => Readonly<Record<string, string>>;
};

const ukDay = (day: string, separator: string) => day.split('-').reverse().join(separator);
const bikePoints = (day: string, name: string) =>
  JSON.stringify([
    {
      id: 'BikePoints_1',
      commonName: name,
      placeType: 'BikePoint',
      lat: 51.5,
      lon: -0.1,
      additionalProperties: [{ key: 'Installed', value: 'true', modified: `${day}T05:00:00Z` }],
    },
  ]);
const stop = (day: string, name: string) =>
  node({
    ATCOCode: '9100TEST',
    CommonName: `${name} Rail Station`,
    StopType: 'RLY',
    Latitude: '51.5',
    Longitude: '-0.1',
    ModificationDateTime: `${day}T10:00:00`,
  });

const editions: Readonly<Record<string, Editions>> = {
  naptan: { dataset: 'stops', files: (day, mark) => ({ [`${mark}.csv`]: nodesFile(stop(day, mark)) }) },
  bikepoint: { dataset: 'cycle-hire', files: (day, mark) => ({ [`${mark}.json`]: bikePoints(day, mark) }) },
  gias: {
    dataset: 'schools-england',
    files: (day, mark) => ({
      [`${mark}.csv`]: giasCsv([{ EstablishmentName: mark, LastChangedDate: ukDay(day, '-') }]),
    }),
  },
  ofsted: {
    dataset: 'ofsted',
    files: (day, mark) => ({ [`${mark}_as_at_${ukDay(day, '-')}.csv`]: ofstedCsv([{ URN: '999101' }]) }),
  },
  authorities: {
    dataset: 'authorities',
    files: (day, mark) => ({
      [`${mark}.csv`]: authoritiesCsv,
      [`${mark}.json`]: JSON.stringify({ describes: 'authorities', asOf: day }),
    }),
  },
};

const [oldDay, newDay] = ['2019-06-03', '2021-08-25'];

function put(home: TestHome, files: Readonly<Record<string, string>>): readonly string[] {
  return Object.entries(files).map(([name, content]) => home.put(name, content));
}

for (const [name, { dataset, files }] of Object.entries(editions)) {
  test(`${name}: the newer edition stays, whichever comes first`, async (t) => {
    const home = openTestHome();
    t.after(() => home.remove());
    const [old, fresh] = [put(home, files(oldDay, 'old')), put(home, files(newDay, 'new'))];
    const dayOf = () => home.store.openCurrent().findDataset(dataset)?.asOf;
    await home.ingest(old);
    assert.equal(dayOf(), oldDay);
    await home.ingest(fresh);
    assert.equal(dayOf(), newDay);
    await assert.rejects(home.ingest(old), new RegExp(`the file is of ${oldDay}, .* of ${newDay} is loaded`));
    assert.equal(dayOf(), newDay);
    await home.ingest(fresh);
    for (const together of [
      [...old, ...fresh],
      [...fresh, ...old],
    ]) {
      await home.ingest(together).then(
        () => assert.equal(dayOf(), newDay),
        (error: Error) => assert.match(error.message, /give one|that no other row has/),
      );
      assert.equal(dayOf(), newDay);
    }
  });
}

test('days to come in rows are typing errors, and never the day of an edition', async (t) => {
  for (const { dataset, files } of [editions.naptan, editions.bikepoint, editions.gias].flatMap(
    (item) => item ?? [],
  )) {
    const home = openTestHome();
    t.after(() => home.remove());
    const ahead = put(home, files('2031-01-01', 'old'));
    await assert.rejects(home.ingest(ahead), /does not state its day.*--edition/, dataset);
  }
});

test('an older list of names does not rename what a newer one has', async (t) => {
  const home = openTestHome();
  t.after(() => home.remove());
  const names = (year: string, name: string) =>
    home.put(`WD names and codes UK as at 05_${year}.csv`, `WD${year}CD,WD${year}NM\nE05000001,${name}\n`);
  await home.ingest([names('25', 'New Ward')]);
  const { sources } = await home.ingest([names('19', 'Old Ward')]);
  assert.equal(openPlaceNames(home.store.openCurrent()).find('E05000001'), 'New Ward');
  assert.equal(sources[0]?.rejected[0]?.reason, 'older name that differs from the one that is loaded');
});
