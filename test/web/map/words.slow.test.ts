// What is said of the layers of the map, in a real browser against the real service: what is not known, and whose data is in sight.

import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { browser, testWith } from '../../requirements.ts';
import { exploreDeskOfFile } from '../explore-desk.ts';

const desk = exploreDeskOfFile();

const tick = (page: Page, name: string) => page.getByRole('checkbox', { name, exact: true });
const layer = (page: Page, id: string) => page.locator(`[data-layer="${id}"]`);

testWith(browser, 'a layer of which nothing is known has no list that says 0', async () => {
  const { page, close } = await desk().open('/explore/ZZ4-1AA?layers=schools,stops', 360);
  await page.getByText('Bus stops as a list').waitFor();
  assert.equal(
    await layer(page, 'schools').innerText(),
    'Schools\n\nThe list of schools of Scotland is not loaded.',
  );
  assert.equal(await page.getByText('Schools as a list').count(), 0);
  await close();
});

testWith(browser, 'below the map stands whose data is in sight, each publisher once', async () => {
  const { page, close } = await desk().open('/explore/ZZ1-1AA', 1280);
  const source = page.locator('#map > .panel-foot .source');
  await source.getByText('data.police.uk').waitFor();
  assert.match(await source.innerText(), /^Sources: .*\bOpenStreetMap\b.*; the oldest is of 1 Aug 2021$/);
  const names = (await source.innerText()).replace(/^Sources: |; .*$/g, '').split(', ');
  assert.deepEqual(names, [...new Set(names)]);
  await tick(page, 'Crimes').uncheck();
  await source.getByText('data.police.uk').waitFor({ state: 'detached' });
  for (const name of ['Schools', 'Stations']) await tick(page, name).uncheck();
  await source.getByText('Source: ONS, as of 1 Aug 2021', { exact: true }).waitFor();
  await tick(page, 'Sales').check();
  await source.getByText('Sources: ONS, HM Land Registry; the oldest is of 1 Aug 2021').waitFor();
  await close();
});

testWith(browser, 'a withdrawn postcode has one line for all layers that it cannot have', async () => {
  const { page, close } = await desk().open('/explore/ZZ1-2ZZ', 1280);
  const layers = page.getByRole('list', { name: 'Layers of the map' });
  await layers.getByText('are not counted around a postcode that is no longer in use').waitFor();
  assert.deepEqual(await layers.getByRole('checkbox').count(), 1);
  await tick(page, 'Sales').check();
  await page.getByText('Sales as a list').waitFor();
  for (const id of ['area', 'crime', 'council-tax'])
    await page.locator(`#${id}`).getByText('This needs a postcode that is in use: see the notice').waitFor();
  assert.equal(await page.locator('.panel .notice').count(), 0);
  await close();
});
