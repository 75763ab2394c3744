// The map as it is seen before anybody moves it, and words and signs of its ground, in a real browser: nothing that matters is cut or
// covered.

import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { test } from '../../browser.ts';
import { changeAnswers, notNow } from '../change-answers.ts';
import { exploreDeskOfFile } from '../explore-desk.ts';
import { contrastOf, type Look, lookAs, looks, visit } from '../visit.ts';
import { isApart, type Painted, paintedOf, recordPainting } from './painted.ts';

const service = exploreDeskOfFile();
const desk: Look = { width: 1280, colours: 'light' };
const phone: Look = { width: 360, colours: 'light' };

async function visitAs(look: Look) {
  const visited = await visit(service().browser, service().url, look);
  await recordPainting(visited.page);
  return visited;
}

type Named = { readonly name: string; readonly x: number; readonly y: number };
type Ground = { readonly names: readonly Named[]; readonly stations: readonly Named[] };

/** The same in each tile. */
async function groundOf(page: Page, { names, stations }: Ground): Promise<void> {
  await page.route('**/explore/backdrop/**', (asked) =>
    asked.fulfill({
      json: asked.request().url().endsWith('/sandbox')
        ? {
            release: 'none',
            levels: [12],
            attributions: [],
            tile: '/explore/backdrop/sandbox/none/{z}/{x}/{y}',
          }
        : {
            grid: 1,
            cells: [],
            counts: '',
            parks: [],
            stations: stations.map((each) => ({ ...each, kind: 'rail' })),
            names: names.map((each) => ({ ...each, kind: 'ward', postcodes: 500 })),
          },
    }),
  );
}

const everyStep = (step: number): readonly { readonly x: number; readonly y: number }[] => {
  const steps = Array.from({ length: Math.floor(1000 / step) }, (_, at) => at * step);
  return steps.flatMap((x) => steps.map((y) => ({ x, y })));
};

function isCircleWhole({ width, height, circles, over }: Painted): void {
  const [circle] = circles;
  assert.ok(circle !== undefined && circles.length === 1);
  const { left, top, radius } = circle;
  assert.ok(radius > 100, `${radius}`);
  assert.ok(left - radius >= 0 && top - radius >= 0, 'whole at the left and the top');
  assert.ok(left + radius <= width && top + radius <= height, 'whole at the right and the bottom');
  assert.equal(over.length, 2);
  for (const box of over) {
    const across = Math.max(0, box.left - left, left - box.right);
    const down = Math.max(0, box.top - top, top - box.bottom);
    assert.ok(Math.hypot(across, down) >= radius, 'a button or the scale lies on it');
  }
}

test('the circle is whole and clear of buttons at every width, until somebody moves the map', async () => {
  const { page, close } = await visitAs(desk);
  await page.goto('/explore/ZZ1-1AA?layers=none');
  await page.locator('.map canvas').waitFor();
  for (const width of [1280, 960, 700, 414, 390, 360, 1280, 360]) {
    await page.setViewportSize({ width, height: 740 });
    isCircleWhole(await paintedOf(page));
  }
  await page.getByRole('button', { name: 'Zoom in' }).click();
  const near = await paintedOf(page);
  assert.ok(near.circles.every(({ radius }) => 2 * radius > near.width));
  await page.setViewportSize({ width: 390, height: 740 });
  assert.deepEqual(
    (await paintedOf(page)).circles.map(({ radius }) => Math.round(radius)),
    near.circles.map(({ radius }) => Math.round(radius)),
    'what the reader has chosen stays',
  );
  await page.getByRole('button', { name: 'Back to ZZ1 1AA' }).click();
  isCircleWhole(await paintedOf(page));
  await close();
});

test('the buttons lie in the lower right corner, where a thumb is, and apart from the scale', async () => {
  const { page, close } = await visitAs(phone);
  await page.goto('/explore/ZZ1-1AA?layers=none');
  await page.locator('.map canvas').waitFor();
  for (const look of [phone, desk] as const) {
    await page.setViewportSize({ width: look.width, height: 740 });
    const { width, height, over } = await paintedOf(page);
    const [buttons, scale] = over;
    assert.ok(buttons !== undefined && scale !== undefined);
    assert.ok(buttons.left > width / 2 && buttons.top > height * 0.75);
    assert.ok(buttons.right < width && buttons.bottom < height);
    assert.ok(isApart(buttons, scale));
  }
  await close();
});

/** Words in sight; those beyond are there for whoever pulls the map. */
const wordsInSight = ({ words, width, height }: Painted): Painted['words'] =>
  words.filter((box) => !isApart(box, { left: 0, top: 0, right: width, bottom: height }));

function areWordsReadable(painted: Painted, least: number): void {
  const { width, height, signs, over } = painted;
  const words = wordsInSight(painted);
  assert.ok(words.length >= least, `${words.length} words`);
  // Stamps have a pixel of air on each side.
  const larger = signs.filter(({ left, right }) => right - left > 22);
  for (const [at, word] of words.entries()) {
    assert.ok(
      word.left >= 0 && word.top >= 0 && word.right <= width && word.bottom <= height,
      `${word.text} is cut`,
    );
    for (const other of words.slice(at + 1)) assert.ok(isApart(word, other), `${word.text} on ${other.text}`);
    for (const box of over) assert.ok(isApart(word, box), `${word.text} below a button`);
    for (const { left, top, right, bottom } of larger)
      assert.ok(
        isApart(word, { left: left + 2, top: top + 2, right: right - 2, bottom: bottom - 2 }),
        `${word.text} on a point`,
      );
  }
}

for (const look of [phone, desk])
  test(`names lie on no larger point and no button, and none is cut, on a screen of ${look.width}`, async () => {
    const { page, close } = await visitAs(look);
    const spots = everyStep(25);
    await groundOf(page, {
      names: spots
        .filter((_, at) => at % 3 !== 0)
        .map((spot, at) => ({ ...spot, name: `Ward of Number ${at}` })),
      stations: spots.filter((_, at) => at % 12 === 0).map((spot, at) => ({ ...spot, name: `Halt ${at}` })),
    });
    const points = Array.from({ length: 60 }, (_, at) => ({
      latitude: 54.1806 + ((at % 8) / 8 - 0.5) * 0.018 + at / 50_000,
      longitude: 0.91 + (Math.floor(at / 8) / 8 - 0.5) * 0.03,
      location: 'On or near a street',
      count: 1,
      byMonth: { '2026-09': { burglary: at % 2 === 0 ? 60 : 12 } },
    }));
    await changeAnswers(page, ['/crime/by-postcode'], (told) => ({
      ...told,
      body: { ...told.body, data: { ...told.body.data, points } },
    }));
    await page.goto('/explore/ZZ1-1AA?layers=crime,stations');
    await page.getByText('Crimes as a list').waitFor();
    areWordsReadable(await paintedOf(page), 3);
    // Also wherever it comes to rest.
    await page.locator('.map').focus();
    for (const key of ['ArrowRight', 'ArrowDown', 'ArrowRight', '+']) {
      await page.keyboard.press(key);
      areWordsReadable(await paintedOf(page), 3);
    }
    await close();
  });

test('a station has one sign, whether layer or ground has it, and none while they are off', async () => {
  const { page, close } = await visitAs(desk);
  await page.goto('/explore/ZZ1-1AA?layers=stations');
  const data = await service().call('/area/places', { postcode: 'ZZ1 1AA', radius: '800', limit: '500' });
  const near = data.places.filter(({ kind }) => kind === 'station').length;
  await page.getByText('Stations as a list').waitFor();
  /** Built-up land is made of signs too; those of stations have their size. */
  const stationSigns = ({ signs, width, height }: Painted) =>
    signs
      .filter(({ left, right }) => right - left === 18)
      .filter((box) => !isApart(box, { left: 0, top: 0, right: width, bottom: height }));
  const shown = stationSigns(await paintedOf(page));
  assert.equal(shown.length, near);
  for (const [at, sign] of shown.entries())
    for (const other of shown.slice(at + 1)) assert.ok(isApart(sign, other), 'twice');
  assert.equal(await page.locator('.legend').getByText('Station', { exact: true }).count(), 1);
  // Without an answer the ground has them, with the same sign.
  await changeAnswers(page, ['/area/places'], () => notNow);
  await page.reload();
  await page.locator('[data-layer="stations"]').getByText('no answer').waitFor();
  const ofGround = stationSigns(await paintedOf(page));
  assert.equal(ofGround.length, near);
  await page.getByRole('checkbox', { name: 'Stations', exact: true }).uncheck();
  const without = await paintedOf(page);
  assert.deepEqual(stationSigns(without), []);
  await close();
});

test('the key of the ground has every sign as it is painted, each with an edge that is seen, and postcodes stand out, in light and dark', async () => {
  const visited = await visitAs(desk);
  const { page } = visited;
  await page.goto('/explore/ZZ1-1AA');
  await page.getByRole('list', { name: 'The ground' }).waitFor();
  for (const look of looks) {
    await lookAs(visited, look);
    const told: Readonly<Record<string, readonly number[]>> = await page.evaluate(`(() => {
      const key = document.querySelector('[aria-label="The ground"]');
      const page = getComputedStyle(document.body).backgroundColor;
      const looks = (of) => [...key.querySelectorAll(of)].map((each) => getComputedStyle(each));
      const [paper, built, home] = ['.piece', '.built', '.home'].map((of) => looks(of)[0].fill);
      const inked = (name) => {
        const sheet = new OffscreenCanvas(1, 1).getContext('2d');
        sheet.fillStyle = getComputedStyle(document.querySelector('.map')).getPropertyValue(name).trim();
        return sheet.fillStyle;
      };
      const contrast = ${contrastOf};
      return {
        edges: [...looks('.piece').map(({ stroke }) => stroke), looks('.place')[0].fill].map((each) => contrast(each, page)),
        specks: [contrast(home, built), contrast(inked('--map-home'), inked('--map-built'))],
        land: [contrast(built, paper), contrast(inked('--map-built'), inked('--map-paper'))],
      };
    })()`);
    const areAtLeast = (of: string, count: number, least: number) => {
      const contrasts = told[of] ?? [];
      assert.equal(contrasts.length, count);
      assert.ok(
        contrasts.every((each) => each >= least),
        `${look.colours}, ${of}: ${contrasts.join()}`,
      );
    };
    areAtLeast('edges', 4, 3);
    areAtLeast('specks', 2, 3);
    areAtLeast('land', 2, look.colours === 'dark' ? 1.4 : 1.2);
    // The key has the very colours of the map.
    for (const each of ['specks', 'land']) assert.equal(told[each]?.[0], told[each]?.[1], each);
  }
  const words = await page.getByRole('list', { name: 'The ground' }).getByRole('listitem').allInnerTexts();
  assert.deepEqual(
    words.map((each) => each.trim()),
    ['This postcode', 'Postcode', 'Built-up land: around each loaded postcode', 'Park'],
  );
  await visited.close();
});
