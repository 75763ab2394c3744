// The map of a place in a real browser against the real service: what it shows, how it is moved, and what happens where a call
// fails.

import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { monthText } from '../../web/formats.ts';
import { changeAnswers, refusal } from './change-answers.ts';
import { explorer } from './explore-desk.ts';
import { isPainted } from './map/pixels.ts';
import { unfold, until } from './visit.ts';

const { desk, open, test } = explorer();

const map = (page: Page) => page.getByRole('application', { name: /^Map around / });
const tick = (page: Page, name: string) => page.getByRole('checkbox', { name, exact: true });
const layer = (page: Page, id: string) => page.locator(`[data-layer="${id}"]`);

const inks = {
  school: [63, 125, 58],
  built: [226, 218, 200],
  place: [150, 16, 95],
  stop: [44, 82, 119],
} as const;

const shownScale = (page: Page) => page.locator('.map-scale').innerText();
const isOtherScale = (page: Page, scale: string) =>
  until(page, `document.querySelector('.map-scale').textContent !== ${JSON.stringify(scale)}`);
/** How far the mark of the place is from the left edge of the window. */
const placeLeft = `(() => {
  const canvas = document.querySelector('.map canvas');
  const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
  let [sum, count] = [0, 0];
  for (let at = 0; at < data.length; at += 4)
    if (${inks.place.map((value, at) => `data[at + ${at}] === ${value}`).join(' && ')}) {
      sum += (at / 4) % canvas.width;
      count += 1;
    }
  const { left, width } = canvas.getBoundingClientRect();
  return left + (sum / count) * (width / canvas.width);
})()`;
/** By its picture: on a busy machine one frame can take a move from its beginning to its end. */
async function watchMoving(page: Page): Promise<() => Promise<void>> {
  const before = Number(await page.evaluate(placeLeft));
  return () => until(page, `Math.abs(${placeLeft} - ${before}) > 20`);
}

test('a real place: its ground, its layers, each as a list with the call that made it', async () => {
  const { page } = await open('/explore/NP10-8WA', 1280);
  await map(page).waitFor();
  await isPainted(page, inks.place);
  await isPainted(page, inks.built);
  const list = page.getByText('Schools as a list');
  await unfold(list);
  const rows = page.locator('#map').getByRole('group', { name: 'Schools', exact: true }).locator('tbody tr');
  const standing = await layer(page, 'schools').locator('.layer-standing').innerText();
  const count = /^(\d+) schools within 800 m$/.exec(standing)?.[1] ?? assert.fail(standing);
  assert.equal(await list.locator('.soft').innerText(), `${count} schools`);
  assert.equal(await rows.count(), Math.min(25, Number(count)));
  // What no sale of is loaded is free, and nobody knows before.
  await layer(page, 'sales').getByText('one more call: up to 1 credit.').waitFor();
  await page.getByText('Costs up to 2 credits', { exact: true }).waitFor({ state: 'attached' });
  await page.locator('.map-list').getByText('This call').click();
  await page.getByText('/api/v1/area/places?postcode=NP10+8WA&radius=800&limit=500').first().waitFor();
});

test('each layer says what is counted and how far around, and its key is in sentences', async () => {
  const { page } = await open('/explore/ZZ1-1AA?layers=crime,schools,stations,stops,amenities,sales', 1280);
  for (const [id, standing, listed] of [
    ['crime', /^[\d,]+ crimes within a mile$/, /^\d+ street points$/],
    ['schools', /^\d+ schools within 800 m$/, /^\d+ schools$/],
    ['stations', /^\d+ stations within 800 m$/, /^\d+ stations$/],
    ['stops', /^\d+ bus stops within 800 m$/, /^\d+ bus stops$/],
    ['amenities', /^\d+ places within 800 m$/, /^\d+ places$/],
    ['sales', /^\d+ sales in 24 months, at postcodes that begin with ZZ1 1$/, /^\d+ postcodes$/],
  ] as const) {
    await layer(page, id).locator('.layer-standing').getByText(standing).waitFor();
    const title = await layer(page, id).locator('.choice-label').innerText();
    const list = page.locator('.map-list summary', { hasText: `${title} as a list` });
    await list.locator('.soft').getByText(listed).waitFor();
  }
  await layer(page, 'crime').getByText('Larger circles mean more crimes.').waitFor();
  await layer(page, 'sales').getByText('Larger circles mean more sales.').waitFor();
});

test('what is turned on and off stays so, in the address and in a link', async () => {
  const { page } = await open('/explore/ZZ1-1AA', 1280);
  await page.getByText('Crimes as a list').waitFor();
  await tick(page, 'Bus stops').check();
  await isPainted(page, inks.stop);
  await tick(page, 'Crimes').uncheck();
  await page.getByText('Crimes as a list').waitFor({ state: 'detached' });
  assert.equal(new URL(page.url()).searchParams.get('layers'), 'schools,stations,stops');
  await page.reload();
  await page.getByText('Bus stops as a list').waitFor();
  assert.equal(await tick(page, 'Crimes').isChecked(), false);
  for (const name of ['Bus stops', 'Schools', 'Stations']) await tick(page, name).uncheck();
  assert.equal(new URL(page.url()).searchParams.get('layers'), 'none');
});

test('sales are asked for when they are turned on, and lie at their postcodes', async () => {
  const { page } = await open('/explore/ZZ1-1AA', 1280);
  await page.getByText('Crimes as a list').waitFor();
  const asking = page.waitForRequest((request) => request.url().includes('include=positions'));
  await tick(page, 'Sales').check();
  await asking;
  await unfold(page.getByText('Sales as a list'));
  await page
    .getByRole('button', { name: /^Show ZZ1 1\w\w on the map$/ })
    .first()
    .click();
  await page
    .locator('.map-tip')
    .getByText(/^\d+ sales?$/)
    .waitFor();
});

test('the months of crimes: all together, each alone as the API counts it, by keyboard', async () => {
  const { page } = await open('/explore/ZZ3-1AA', 1280);
  const data = await desk().call('/crime/by-postcode', {
    postcode: 'ZZ3 1AA',
    months: '12',
    points: 'true',
    limit: '2000',
  });
  const months = Object.keys(data.monthCoverage ?? {}).sort();
  const missing = months.filter((month) => data.monthlyTotals[month] === undefined);
  assert.ok(missing.length > 0 && missing.length < months.length, missing.join());
  const slider = page.getByRole('slider', { name: 'Months to show' });
  await slider.waitFor();
  const words = () => slider.getAttribute('aria-valuetext');
  const newest = monthText(months.at(-1) ?? '');
  const all = '10 of 12 months: March and September 2026 are missing';
  assert.deepEqual([months.length, missing], [12, ['2026-03', '2026-09']]);
  assert.equal(await words(), all);
  // Its left end is all of them.
  assert.deepEqual(await page.locator('.month-ends > span').allInnerTexts(), ['All months', newest]);
  assert.equal(await slider.inputValue(), '0');
  const list = page.locator('.map-list', { hasText: 'Crimes as a list' });
  await unfold(list.locator('summary'));
  const counted = async () => {
    for (;;) {
      const more = list.getByRole('button', { name: /^Show \d+ more of/ });
      if ((await more.count()) === 0) break;
      await more.click();
    }
    const counts = await list.locator('tbody td[data-title="Crimes"]').allInnerTexts();
    return counts.reduce((sum, text) => sum + Number(text.replaceAll(',', '')), 0);
  };
  assert.equal(await counted(), data.totalCrimes);
  await slider.focus();
  for (const month of months) {
    await page.keyboard.press('ArrowRight');
    const total = data.monthlyTotals[month];
    const said = `${monthText(month)}: ${total === undefined ? 'not published, or not loaded' : `${total} crimes`}`;
    await page.locator('.month-words').getByText(said, { exact: true }).waitFor();
    assert.equal(await words(), said);
    assert.equal(await counted(), total ?? 0, month);
  }
  await page.keyboard.press('Home');
  assert.equal(await words(), all);
  assert.equal(await counted(), data.totalCrimes);
});

test('by keyboard: the map moves, zooms and comes back, a list leads to a point, and it is read out', async () => {
  const { page } = await open('/explore/ZZ1-1AA', 1280);
  await page.getByText('Schools as a list').waitFor();
  // Until it is painted, the map does not know its room.
  await isPainted(page, inks.place);
  const first = await shownScale(page);
  await map(page).focus();
  for (const key of ['+', '+']) await page.keyboard.press(key);
  await isOtherScale(page, first);
  await page.keyboard.press('0');
  await until(page, `document.querySelector('.map-scale').textContent === ${JSON.stringify(first)}`);
  const hasMoved = await watchMoving(page);
  await page.keyboard.press('ArrowRight');
  await hasMoved();
  await page.getByRole('status').filter({ hasText: 'Schools: ' }).waitFor({ state: 'attached' });
  await unfold(page.getByText('Schools as a list'));
  const show = page.getByRole('button', { name: /^Show .* on the map$/ }).first();
  await show.press('Enter');
  const name = ((await show.getAttribute('aria-label')) ?? '').replace(/^Show (.*) on the map$/, '$1');
  await page.locator('.map-tip').getByText(name, { exact: true }).waitFor();
  await page.getByRole('status').filter({ hasText: name }).waitFor({ state: 'attached' });
  await map(page).focus();
  await page.keyboard.press('Escape');
  await page.locator('.map-tip').waitFor({ state: 'hidden' });
});

test('by mouse: what is pointed to says what it is; dragging and the wheel move the map', async () => {
  const { page } = await open('/explore/ZZ1-1AA?layers=schools', 1280);
  await unfold(page.getByText('Schools as a list'));
  await page
    .getByRole('button', { name: /^Show .* on the map$/ })
    .first()
    .click();
  const tip = page.locator('.map-tip');
  const words = await tip.innerText();
  await map(page).focus();
  const at: { readonly x: number; readonly y: number } = await page.evaluate(
    `(({ x, y }) => ({ x, y }))(document.querySelector('.map-pin').getBoundingClientRect())`,
  );
  await page.keyboard.press('Escape');
  await tip.waitFor({ state: 'hidden' });
  await page.mouse.move(at.x + 2, at.y + 2);
  await tip.waitFor();
  assert.equal(await tip.innerText(), words);
  const box = (await map(page).boundingBox()) ?? assert.fail('no map');
  const hasMoved = await watchMoving(page);
  await page.mouse.move(box.x + 300, box.y + 300);
  await page.mouse.down();
  await page.mouse.move(box.x + 340, box.y + 330, { steps: 5 });
  await page.mouse.up();
  await hasMoved();
  const scale = await shownScale(page);
  await map(page).focus();
  await page.mouse.wheel(0, -480);
  await isOtherScale(page, scale);
});

test('the wheel scrolls the page past the map, which says once how to zoom; with Ctrl it zooms', async () => {
  const { page } = await open('/explore/ZZ1-1AA', 1280);
  await page.getByText('Schools as a list').waitFor();
  const ground = page.getByRole('list', { name: 'The ground' });
  assert.deepEqual(
    (await ground.innerText()).split('\n').map((line) => line.trim()),
    ['This postcode', 'Postcode', 'Built-up land: around each loaded postcode', 'Park'],
  );
  const hint = page.getByText('To zoom, hold Ctrl or ⌘ while you scroll, or click the map first.');
  const scale = await shownScale(page);
  const wheel = async (down: number) => {
    const { x, y } = (await map(page).boundingBox()) ?? assert.fail('no map');
    await page.mouse.move(x + 200, y + 300);
    await page.mouse.wheel(0, down);
  };
  await wheel(40);
  await hint.waitFor();
  await until(page, 'scrollY > 0');
  assert.equal(await shownScale(page), scale);
  await hint.waitFor({ state: 'detached' });
  await wheel(-40);
  await until(page, 'scrollY === 0');
  assert.equal(await hint.count(), 0, 'once is enough');
  await page.keyboard.down('Control');
  await wheel(-480);
  await isOtherScale(page, scale);
  await page.keyboard.up('Control');
});

test('by two fingers on a phone: the map comes nearer, and the page stays where it is', async () => {
  const context = await desk().browser.newContext({
    baseURL: desk().url,
    viewport: { width: 360, height: 740 },
    hasTouch: true,
    isMobile: true,
    deviceScaleFactor: 2,
  });
  const page = await context.newPage();
  await page.goto('/explore/ZZ1-1AA');
  await page.getByText('Schools as a list').waitFor();
  const scale = await shownScale(page);
  await map(page).scrollIntoViewIfNeeded();
  const box = (await map(page).boundingBox()) ?? assert.fail('no map');
  const scrolled = await page.evaluate('scrollY');
  const session = await context.newCDPSession(page);
  const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
  const fingers = (apart: number) => [
    { x: x - apart, y, id: 0 },
    { x: x + apart, y, id: 1 },
  ];
  await session.send('Input.dispatchTouchEvent', { type: 'touchStart', touchPoints: fingers(30) });
  for (const apart of [45, 60, 80, 100])
    await session.send('Input.dispatchTouchEvent', { type: 'touchMove', touchPoints: fingers(apart) });
  await session.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] });
  await isOtherScale(page, scale);
  assert.equal(await page.evaluate('scrollY'), scrolled);
  const chartHint: unknown = await page.evaluate(
    `getComputedStyle(document.querySelector('.chart-point:empty'), '::before').content`,
  );
  assert.equal(chartHint, '"Touch the chart to read it."');
  await context.close();
});

test('a layer whose call fails says so, and the others stay', async () => {
  const { page } = await open('about:blank', 360);
  await changeAnswers(page, ['/crime/by-postcode'], () =>
    refusal(503, { code: 'SERVICE_UNAVAILABLE', message: 'Crimes are away today.' }),
  );
  await page.goto('/explore/ZZ1-1AA');
  await layer(page, 'crime').getByText('Crimes are away today.').waitFor();
  await page.getByText('Schools as a list').waitFor();
  assert.equal(await page.getByText('Crimes as a list').count(), 0);
});
