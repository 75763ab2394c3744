// The area in the explorer, in a real browser against the real service: every figure of the five objects, its source by mouse,
// keyboard and for screen readers, and words where something is not known.

import assert from 'node:assert/strict';
import type { Locator, Page } from 'playwright-core';
import { dayText } from '../../web/formats.ts';
import { explorer } from './explore-desk.ts';

const { desk, open, test } = explorer();

const area = (page: Page) => page.locator('#area');
const figure = (page: Page, label: string | RegExp) => area(page).getByRole('button', { name: label });
const whole = new Intl.NumberFormat('en-GB');

test('NP10 8WA: figures are the API’s, each with its source and date', async () => {
  const { page } = await open('/explore/NP10-8WA', 1280);
  const told = await desk().call('/area/statistics', { postcode: 'NP10 8WA' });
  const { population, households, basis } = told.demographics;
  const residents = figure(page, `Residents ${whole.format(population ?? 0)}`);
  await residents.waitFor();
  await figure(page, `Households ${whole.format(households ?? 0)}`).waitFor();
  // As many figures as the five objects have.
  const fields = Object.values(told).flatMap((picture) =>
    Object.entries(picture)
      .filter(([field]) => !['basis', 'topSchools', 'comparedToNational'].includes(field))
      .flatMap(([field, value]) => (field === 'breakdown' ? Object.keys(Object(value)) : [field])),
  );
  assert.equal(await area(page).locator('.fact').count(), fields.length);
  // By mouse, and told with the figure to whoever hears the page.
  await residents.hover();
  const source =
    basis.find(({ fields: own }) => own.includes('population')) ?? assert.fail('the population has no basis');
  await area(page).locator('.fact-source').filter({ hasText: source.source }).waitFor();
  const id = (await residents.getAttribute('aria-describedby')) ?? '';
  const described = await page.locator(`[id="${id}"]`).innerText();
  assert.ok(described.includes(`${source.source}, ${dayText(source.period)}`), described);
  // By keyboard.
  await residents.focus();
  await page.keyboard.press('Tab');
  await area(page).locator('.fact-source').filter({ hasText: 'Residents per km²' }).waitFor();
});

test('what crime is compared with stands beside its level and score, where that is no nation', async () => {
  for (const width of [360, 1280] as const) {
    const { page } = await open('/explore/NP10-8WA', width);
    const { crime } = await desk().call('/area/statistics', { postcode: 'NP10 8WA' });
    const { forcesLoaded, forcesOfNation } =
      crime.basis.find(({ comparison }) => comparison !== undefined)?.comparison ?? assert.fail();
    assert.ok(forcesLoaded < forcesOfNation);
    const beside = `not national: ${forcesLoaded} of ${forcesOfNation} forces`;
    await figure(page, `Level ${crime.overall} ${beside}`).waitFor();
    await figure(page, `Score (10 is most crime) ${crime.score?.toFixed(1)} ${beside}`).waitFor();
    await area(page)
      .getByText(/^Not national \(\d+ of 43 forces are loaded\): \d+% /)
      .waitFor();
  }
});

test('what is not known says why and where it would come from', async () => {
  for (const width of [360, 1280] as const) {
    const { page } = await open('/explore/ZZ4-1AA', width);
    const commute = figure(page, 'Minutes to the nearest city not known');
    await commute.click();
    await area(page)
      .locator(width === 360 ? '.fact-opened' : '.fact-source')
      .filter({ hasText: 'stopped its journey times after 2019' })
      .waitFor();
    // Of a subject of which nothing is known, one line says so.
    const crime = area(page).getByRole('region', { name: 'Crime in the neighbourhood' });
    const told = await desk().call('/area/statistics', { postcode: 'ZZ4 1AA' });
    assert.deepEqual(await crime.locator('p').allInnerTexts(), [
      `Not known. ${told.crime.comparedToNational.replace('Not available: ', '')}`,
    ]);
    assert.equal(await crime.getByRole('button').count(), 0);
  }
});

test('schools around stand in a table with their ratings, and in sight is in which order', async () => {
  const { page } = await open('/explore/ZZ1-1AA', 1280);
  const told = await desk().call('/area/statistics', { postcode: 'ZZ1 1AA' });
  const rows = area(page)
    .getByRole('group', { name: /schools within 3.2 km/i })
    .locator('tbody tr');
  await rows.first().waitFor();
  // The answer has five at most: where it has as many, there may be others.
  assert.equal(told.schools.topSchools.length, 5);
  await area(page)
    .getByRole('heading', { name: 'The first 5 of the schools within 3.2 km, best rated first' })
    .waitFor();
  const names = (await rows.locator('th').allInnerTexts()).map((name) => name.trim());
  assert.deepEqual(
    names,
    told.schools.topSchools.map(({ name }) => name),
  );
  // The rules of an inspection are told in words, apart from what it found.
  const ratings = await rows.locator('td[data-title="Rating"]').allInnerTexts();
  assert.ok(told.schools.topSchools.some(({ framework }) => framework === 'OEIF'));
  for (const [at, { rating, framework }] of told.schools.topSchools.entries())
    if (rating !== null && framework !== null)
      assert.match(ratings[at]?.slice(rating.length) ?? '', /^ \([^O].*\)$|^ \(Ofsted’s .*\)$/);
});

test('each count says how far around the place it counts, as its source does', async () => {
  const { page } = await open('/explore/ZZ1-1AA', 360);
  const told = await desk().call('/area/statistics', { postcode: 'ZZ1 1AA' });
  const { schools, transport, amenities } = told;
  const radiusOf = ({ basis }: Pick<typeof schools, 'basis'>, field: string) => {
    const metres = basis.find(({ fields }) => fields.includes(field))?.radiusMetres ?? assert.fail(field);
    return `within ${metres < 1000 ? `${metres} m` : `${metres / 1000} km`}`;
  };
  for (const name of [
    `Primary schools ${schools.primary} ${radiusOf(schools, 'primary')}`,
    `Secondary schools ${schools.secondary} ${radiusOf(schools, 'secondary')}`,
    `Rated Outstanding ${schools.ofstedOutstanding} ${radiusOf(schools, 'ofstedOutstanding')}`,
    `Railway stations ${transport.railStations} ${radiusOf(transport, 'railStations')}`,
    `Bus routes ${transport.busRoutes} ${radiusOf(transport, 'busRoutes')}`,
    `Parks ${amenities.parks} ${radiusOf(amenities, 'parks')}`,
    // Of most shops the heading says it, and a distance is no count.
    `Cafés ${amenities.cafes}`,
    `To a park ${amenities.nearestParkMetres} m`,
  ])
    await area(page).getByRole('button', { name, exact: true }).waitFor();
  // It stands above the counts, and below the distances, which are no counts.
  const closeBy = area(page).getByRole('region', { name: 'Close by', exact: true });
  const heading = closeBy.getByRole('heading', {
    name: `Counted ${radiusOf(amenities, 'cafes')}`,
    exact: true,
  });
  const topOf = async (what: typeof heading) =>
    (await what.boundingBox())?.y ?? assert.fail(await what.innerText());
  assert.ok((await topOf(closeBy.getByRole('button', { name: 'To a GP' }))) < (await topOf(heading)));
  assert.ok((await topOf(heading)) < (await topOf(closeBy.getByRole('button', { name: 'Supermarkets' }))));
  await page.goto('/explore/ZZ1-1AA/report');
  await page.getByText(`${schools.primary} ${radiusOf(schools, 'primary')}`, { exact: true }).waitFor();
});

test('ZZ2 9ZZ: a postcode without a grid reference says that this is why, and nothing of files that are not loaded', async () => {
  const { page } = await open('/explore/ZZ2-9ZZ', 1280);
  await area(page).getByText('This postcode has no grid reference').first().waitFor();
  // Each subject says that it is not known, and nothing of another reason.
  for (const [subject, words] of [
    ['People', /^Not known: residents, .* in work, aged 16 and over\.$/],
    ['Crime in the neighbourhood', /^Not known\.$/],
    ['Schools', /^Not known\.$/],
    ['Transport', /^Not known: railway stations, .* traffic\.$/],
    ['Close by', /^Not known\.$/],
  ] as const) {
    const lines = area(page).getByRole('region', { name: subject, exact: true }).locator('.facts-unknown');
    assert.match(await lines.first().innerText(), words);
  }
  // One known figure is all that stands there as a figure.
  assert.equal(await area(page).locator('.fact').count(), 1);
  assert.equal(await area(page).getByText('what is loaded gives no figures').count(), 0);
  // This one is of the authority, and known.
  await figure(page, 'Median income before tax £').waitFor();
});

test('on a desk a figure that is pressed moves nothing, and its source stands there once', async () => {
  const { page } = await open('/explore/ZZ1-1AA', 1280);
  const pressed = figure(page, /^Median age/);
  await pressed.waitFor();
  const people = area(page).getByRole('region', { name: 'People', exact: true });
  // The page itself may scroll.
  const boxes = async (): Promise<readonly unknown[]> =>
    people.evaluate((element) =>
      [element, ...element.querySelectorAll('.fact')].map((each) => {
        const { top, left, height } = each.getBoundingClientRect();
        return [top - element.getBoundingClientRect().top, left, height];
      }),
    );
  const before = await boxes();
  await pressed.click();
  const source = people.locator('.fact-source').filter({ hasText: 'Median age' });
  await source.waitFor();
  assert.deepEqual(await boxes(), before);
  // The room that is kept for the source is the gap above what follows, not one more.
  const gap = await people.evaluate((element) => {
    const last = [...element.querySelectorAll('.fact')].at(-1);
    const next = element.nextElementSibling;
    return last === undefined || next === null
      ? undefined
      : next.getBoundingClientRect().top - last.getBoundingClientRect().bottom;
  });
  assert.ok(gap !== undefined && gap < 60, `${gap} px`);
  assert.deepEqual(
    await Promise.all((await people.locator('.fact-opened').all()).map((each) => each.isVisible())),
    [false],
  );
});

test('on a phone the source of a figure opens below its row, closes again, and no room is kept for it', async () => {
  const { page } = await open('/explore/ZZ1-1AA', 360);
  const boxOf = async (what: Locator) => (await what.boundingBox()) ?? assert.fail('not there');
  const subjectEnd = async () => {
    const { y, height } = await boxOf(area(page).getByRole('region', { name: 'People', exact: true }));
    return y + height;
  };
  const [left, right] = [figure(page, /^Median age/), figure(page, /^Households/)];
  const last = figure(page, /^Median income/);
  await last.waitFor();
  const lastBox = await boxOf(last);
  assert.equal(await subjectEnd(), lastBox.y + lastBox.height);
  const opened = area(page).locator('.fact-opened');
  for (const touched of [left, right]) {
    await touched.scrollIntoViewIfNeeded();
    const row = await boxOf(left);
    const before = [row, await boxOf(right)];
    await touched.click();
    await opened.filter({ hasText: (await touched.locator('.fact-label').innerText()).trim() }).waitFor();
    assert.deepEqual([await boxOf(left), await boxOf(right)], before, 'the row stays where it is');
    const below = (await boxOf(opened)).y - (row.y + row.height);
    assert.ok(below >= 0 && below < 12, `${below} px below its row`);
    assert.equal(await opened.count(), 1);
  }
  await right.click();
  await opened.waitFor({ state: 'detached' });
});
