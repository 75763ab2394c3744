// The explorer over releases that lack one dataset or another, as that of an operator who has not loaded the file: the panels
// that need it say so, the others are as before, and nothing breaks. In a real browser, against the real service.

import assert from 'node:assert/strict';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { Page } from 'playwright-core';
import { bundledFolder, sample } from '../../src/cli/bundled/bundled.ts';
import type { DatasetName } from '../../src/datasets.ts';
import { noProgress } from '../../src/ingest/progress.ts';
import { runIngest } from '../../src/ingest/run.ts';
import { openHome, type ReleaseStore } from '../../src/release/store.ts';
import { derivations } from '../../src/sources/derivations.ts';
import { sources } from '../../src/sources/index.ts';
import { layouts } from '../../src/tables/index.ts';
import { postcodePlace } from '../../web/explore/place.ts';
import { explorer } from './explore-desk.ts';
import { until } from './visit.ts';

let store: ReleaseStore;
/** The files of each dataset of the sample. */
const filesOf = new Map<DatasetName, readonly string[]>();
const whole = sample.files.map((file) => path.join(bundledFolder, file));

const build = (id: string, paths: readonly string[], atMs: number) =>
  runIngest({
    paths,
    sources,
    derivations,
    store,
    base: undefined,
    id,
    kind: 'sample',
    cuts: sample.cuts,
    atMs,
    progress: noProgress,
  });

const { desk, open, test } = explorer(async (home) => {
  store = openHome(home, layouts).releases;
  const report = await build('whole', whole, Date.UTC(2026, 10, 15));
  for (const { dataset, files } of report.sources)
    filesOf.set(dataset, [...new Set(files.map(({ name }) => name.split(' > ')[0] ?? name))]);
  store.point('whole');
});

/** One of the bundled places that are complete, with everything that its page can show. */
const place = `/explore/${postcodePlace('PO33 2RX').slug}?layers=crime,schools,stations,stops,amenities,sales&rate-beside=prices`;

/** Panels that have no answer without it. What other datasets fill is told field by field. */
const needing: Partial<Record<DatasetName, readonly string[]>> = {
  'bank-rate': ['bank-rate'],
  postcodes: ['map', 'area', 'crime', 'council-tax'],
  authorities: ['council-tax'],
  'council-tax': ['council-tax'],
  'price-paid': ['prices', 'sales', 'prices-meanwhile'],
  crime: ['crime'],
};

/** Of no two in a line the same panel speaks, and each dataset stands in one. */
function absentTogether(): readonly (readonly DatasetName[])[] {
  const told: readonly (readonly DatasetName[])[] = [
    ['bank-rate', 'authorities'],
    ['council-tax', 'price-paid', 'crime'],
    // The Welsh list has no coordinates: without postcodes it is refused.
    ['postcodes', 'schools-wales'],
  ];
  const others = [...filesOf.keys()].filter((name) => !told.flat().includes(name));
  return [...told, ...[0, 1].map((half) => others.filter((_, at) => at % 2 === half))];
}

type Panels = ReadonlyMap<string, string>;

/** What each says, once nothing loads any more. */
async function panelsOf(page: Page): Promise<Panels> {
  await page.locator('#council-tax .panel-foot').waitFor();
  await until(page, `document.querySelector('[aria-busy=true], .loading') === null`);
  const told: readonly (readonly [string, string])[] = await page.evaluate(
    `[...document.querySelectorAll('main section.panel[id]')].map((panel) => [panel.id, panel.innerText])`,
  );
  return new Map(told);
}

type Listing = {
  readonly data: {
    readonly release: { readonly id: string };
    readonly notLoaded: readonly {
      readonly name: string;
      readonly files: readonly { readonly source: string; readonly homepage: string }[];
    }[];
  };
};

/** Where the files of each dataset are that it lacks, as the service says. */
async function serve(id: string) {
  store.point(id);
  for (;;) {
    const listing: Listing = JSON.parse(await (await fetch(`${desk().url}/api/v1/datasets`)).text());
    const { release, notLoaded } = listing.data;
    if (release.id === id) return notLoaded;
    await wait(20);
  }
}

test('a dataset that is absent is told where it is needed, and nowhere else is anything lost', async () => {
  const { page } = await open(place, 1280);
  const whatIsThere = await panelsOf(page);
  assert.equal(whatIsThere.size, 8);
  for (const [panel, text] of whatIsThere) assert.doesNotMatch(text, /not loaded on this service/i, panel);
  for (const [order, absent] of absentTogether().entries()) {
    const id = `without-${absent.join('-')}`;
    const files = absent.flatMap((dataset) => filesOf.get(dataset) ?? assert.fail(dataset));
    await build(
      id,
      whole.filter((file) => !files.includes(file)),
      Date.UTC(2026, 10, 15, 1, order),
    );
    const notLoaded = await serve(id);
    await open(place, 1280);
    const told = await panelsOf(page);
    for (const [panel, text] of told) {
      const name = `${panel} without ${absent.join()}`;
      assert.doesNotMatch(text, /\bNaN\b|\bundefined\b|\bnull\b|\[object|Infinity/, name);
      const needed = absent.find((dataset) => needing[dataset]?.includes(panel));
      assert.equal(text.includes('Not loaded on this service'), needed !== undefined, name);
      if (needed === undefined) continue;
      assert.ok(text.includes(`The dataset “${needed}” is not loaded`), name);
      const shown = await page
        .locator(`#${panel} .notice a:not([href^="/"])`)
        .evaluateAll((all) => all.map((link) => [link.textContent, link.getAttribute('href')]));
      const file = notLoaded.find((each) => each.name === needed)?.files[0];
      assert.deepEqual(shown, file === undefined ? [] : [[file.source, file.homepage]], name);
      assert.equal(await page.locator(`#${panel}`).getByText('Try again').count(), 0, name);
    }
    // The chart beside is one of Bank Rate.
    const gone = [...whatIsThere.keys()].filter((panel) => !told.has(panel));
    assert.deepEqual(gone, absent.includes('bank-rate') ? ['prices-meanwhile'] : [], id);
  }
});
