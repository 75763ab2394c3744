// What lists and forms of the dashboard promise beyond being readable: shares are seen, keys have their names, and what could not
// be done is said where it is seen.

import assert from 'node:assert/strict';
import { test } from '../browser.ts';
import { refused } from './answers.ts';
import { serviceOfFile } from './service.ts';
import { show } from './show.ts';
import { operator, type State, signedIn } from './state.ts';
import { accountId, auditLines, much } from './states/account-data.ts';
import { accountStates } from './states/admin-account.ts';
import { type Look, lookAs, until, type Visit, visit } from './visit.ts';

const phone = { width: 360, colours: 'light' } as const;
const desk = { width: 1280, colours: 'dark' } as const;

const service = serviceOfFile();

async function shown(look: Look, state: State): Promise<Visit> {
  const visited = await visit(service().browser, service().running.url, look);
  await show(visited, state);
  return visited;
}

test('each part of the usage has a bar, as long as its share', async () => {
  const visited = await shown(desk, {
    name: 'usage',
    path: `/account/${accountId}/usage`,
    answers: much,
    shows: 'Busiest day',
  });
  await visited.page.getByRole('group', { name: 'Usage by endpoint' }).waitFor();
  for (const look of [desk, phone]) {
    await lookAs(visited, look);
    const rows: readonly { readonly share: number; readonly width: number; readonly height: number }[] =
      await visited.page.evaluate(`[...document.querySelectorAll('table')]
        .filter((table) => table.caption?.textContent === 'Usage by endpoint')
        .flatMap((table) => [...table.tBodies[0].rows])
        .map((row) => {
          const { width, height } = row.querySelector('[aria-hidden="true"] > span').getBoundingClientRect();
          return { share: Number.parseFloat(row.querySelector('[data-title="Share"]').textContent), width, height };
        })`);
    assert.ok(rows.length > 3);
    const [first] = rows;
    for (const { share, width, height } of rows) {
      assert.ok(height >= 4, `a bar is ${height} px high at ${look.width}`);
      const expected = ((first?.width ?? 0) * share) / (first?.share ?? 1);
      assert.ok(Math.abs(width - Math.max(2, expected)) < 2, `${share}%: ${width} px, not ${expected}`);
    }
  }
  await visited.close();
});

test('an audit log calls keys by their names, and tells a phone each place once', async () => {
  const state = {
    name: 'audit',
    path: `/account/${accountId}/audit`,
    answers: much,
    shows: 'Show older ones',
  };
  const visited = await shown(desk, state);
  const { page } = visited;
  const log = page.getByRole('group', { name: 'Changes, newest first' });
  assert.equal(await log.getByText(/key_\w/).count(), 0, 'no id of a key that has a name');
  const rotated = log.getByRole('row', { name: /Key rotated/ }).first();
  assert.match(await rotated.innerText(), /Old production\s+by Production, the old one works for 24 hours/);
  const places = log.getByText('2001:db8:85a3::8a2e:370:7334');
  const withPlace = auditLines.filter(({ address }) => address !== null);
  assert.equal(await places.filter({ visible: true }).count(), withPlace.length);
  await lookAs(visited, phone);
  assert.equal(
    await places.filter({ visible: true }).count(),
    new Set(withPlace.map(({ who }) => who)).size,
    'once for each person, who was in one place',
  );
  await visited.close();
});

test('the operator’s page of an account shows its newest changes, and older ones on request', async () => {
  const much = accountStates.find(({ name }) => name === 'admin-account-much-data');
  assert.ok(much);
  const visited = await shown(desk, much);
  const { page } = visited;
  const lines = page.getByRole('group', { name: 'Changes, newest first' }).getByRole('rowheader');
  assert.equal(await lines.count(), 10);
  await page.getByRole('button', { name: 'Show older ones' }).click();
  await lines.nth(99).waitFor();
  assert.equal(await lines.count(), 100);
  await page.getByRole('button', { name: 'Show older ones' }).click();
  await lines.nth(199).waitFor();
  await visited.close();
});

test('a session that could not be ended is said to go on', async () => {
  const session = (at: number) => ({
    sessionId: `session_${at}`,
    device: 'Firefox on Linux',
    address: '198.51.100.7',
    createdAtMs: Date.now(),
    lastSeenAtMs: Date.now(),
    expiresAtMs: Date.now() + 86_400_000,
    isThisOne: at === 0,
  });
  const away = refused(503, 'UNAVAILABLE', 'Sessions cannot be ended at the moment.');
  const visited = await shown(desk, {
    name: 'sessions',
    path: '/account/person',
    answers: {
      ...signedIn,
      'GET /portal/sessions': { sessions: [session(0), session(1)] },
      'DELETE /portal/sessions': away,
      'DELETE /portal/sessions/:sessionId': away,
    },
    shows: 'this one',
  });
  for (const button of ['End all others', 'End the session of Firefox on Linux']) {
    await visited.page.reload();
    await visited.page.getByRole('button', { name: button }).click();
    await visited.page.getByRole('alert').getByText('Sessions cannot be ended at the moment.').waitFor();
  }
  await visited.close();
});

test('what a long form is refused for is brought into sight, whichever field it is about', async () => {
  for (const [field, words] of [
    [undefined, 'An account has at most 500 keys.'],
    ['name', 'Choose another name.'],
  ] as const) {
    const visited = await shown(phone, {
      name: 'make a key',
      path: `/account/${accountId}/keys`,
      answers: {
        ...much,
        'POST /portal/accounts/:accountId/keys': refused(409, 'CONFLICT', words, field),
      },
      act: (page) => page.getByRole('button', { name: 'Make a key', exact: true }).click(),
      shows: 'Make the key',
    });
    const { page } = visited;
    await page.getByRole('button', { name: 'Make the key' }).click();
    await page.getByText(words).waitFor();
    await page.getByText(words).evaluate((element) => element.setAttribute('data-refusal', ''));
    await until(
      page,
      `(({ top, bottom }) => top >= 0 && bottom <= innerHeight)(
        document.querySelector('[data-refusal]').getBoundingClientRect())`,
    );
    await visited.close();
  }
});

test('when a call was counted is told as the hour that is known, no closer', async () => {
  const hourMs = 3_600_000;
  const now = Date.UTC(2026, 10, 19, 5, 20);
  const refusedIn = (path: string, hour: number) => ({
    accountId: null,
    accountName: null,
    path,
    status: 401,
    code: 'UNAUTHORIZED',
    calls: 1,
    lastHourMs: hour * hourMs,
  });
  const visited = await visit(service().browser, service().running.url, desk);
  const { page } = visited;
  await page.clock.setFixedTime(now);
  const thisHour = Math.floor(now / hourMs);
  await show(visited, {
    name: 'refused',
    path: '/admin/refusals',
    answers: {
      ...operator,
      'GET /portal/admin/plan-requests': { requests: [] },
      'GET /portal/admin/refusals': {
        refusals: [
          refusedIn('/now', thisHour),
          refusedIn('/minutes-ago', thisHour - 1),
          refusedIn('/yesterday', thisHour - 23),
        ],
      },
    },
    shows: 'Add up by',
  });
  for (const [path, words] of [
    ['/now', 'this hour'],
    ['/minutes-ago', '04:00 to 05:00'],
    ['/yesterday', '06:00 to 07:00'],
  ] as const)
    await page.getByRole('row', { name: path }).getByText(words, { exact: true }).waitFor();
  await visited.close();
});
