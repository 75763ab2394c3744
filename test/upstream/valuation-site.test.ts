// The public valuation site: what it lists is passed on whole or not at all, and it is never pressed.

import assert from 'node:assert/strict';
import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, test } from 'node:test';
import fc from 'fast-check';
import { renderMetrics } from '../../src/metrics/exposition.ts';
import { Metrics } from '../../src/metrics/metrics.ts';
import { formatDay } from '../../src/uk/calendar.ts';
import { readPropertyPage, readSearchPage, readToken } from '../../src/upstream/valuation-pages.ts';
import { openValuationSite, type ValuationSite } from '../../src/upstream/valuation-site.ts';
import { realFile, testWith } from '../requirements.ts';
import { type Mood, openValuationServer, type ValuationServer } from './valuation-server.ts';

const postcode = 'EC1V 3AP';
const account = 'acc_one';
const flats = Array.from({ length: 47 }, (_, index) => ({
  address: `FLAT ${index + 1}, ST JOHN'S COURT, 17 PEAR & TREE STREET, LONDON`,
  band: 'ABCDEFGH'.charAt(index % 8),
}));
const street = [{ address: '1 MAIN STREET, LONDON', band: 'H' }];
const oddOnes = [...'ABDEFGH'].map((letter) => `EC1V 3A${letter}`);
const homes = {
  [postcode]: flats,
  'SW1A 1AA': street,
  ...Object.fromEntries(oddOnes.map((odd) => [odd, street])),
};
let server: ValuationServer;
let folder: string;
let clock: { ms: number; slept: number[] };

beforeEach(async () => {
  server = await openValuationServer(homes);
  folder = mkdtempSync(path.join(tmpdir(), 'domesday-valuations-'));
  clock = { ms: 1_800_000_000_000, slept: [] };
});
afterEach(async () => {
  await server.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Time stands still but for sleeping, so that nothing waits in earnest. */
const openSite = (
  more: Partial<Pick<Parameters<typeof openValuationSite>[0], 'metrics' | 'deadline'>> = {},
): ValuationSite =>
  openValuationSite(
    {
      metrics: new Metrics(),
      baseUrl: server.url,
      cacheFolder: folder,
      cacheBytesMost: 2 ** 30,
      deadline: server.patience.deadline,
      ...more,
    },
    {
      now: () => clock.ms,
      sleep: async (ms) => {
        clock.slept.push(ms);
        clock.ms += ms;
      },
    },
  )(account);

const kinds = (result: { readonly kind: string; readonly problem?: string }) => [result.kind, result.problem];

test('every page of a postcode is read: form, token, cookie, table of twenty, links to the next', async () => {
  const result = await openSite().homesOf(postcode);
  assert.ok(result.kind === 'answered', JSON.stringify(result));
  assert.deepEqual(
    result.value.map(({ address, band }) => ({ address, band })),
    flats,
  );
  assert.equal(result.value[0]?.authority, 'Islington');
  assert.equal(result.value[46]?.page, `${server.url}/property/ec1v3ap-46`);
  assert.deepEqual(
    server.asked.map((line) => line.replace(/postcode=[^&]+/, 'postcode=…')),
    [
      'GET /check-council-tax-band/search',
      'POST /check-council-tax-band/search',
      'GET /check-council-tax-band/search?postcode=…&page=0',
      'GET /check-council-tax-band/search?postcode=…&page=1',
      'GET /check-council-tax-band/search?postcode=…&page=2',
    ],
  );
});

test("a home's record has the authority's reference and the day of its band", async () => {
  const site = openSite();
  const listed = await site.homesOf('SW1A 1AA');
  assert.ok(listed.kind === 'answered' && listed.value[0] !== undefined);
  const details = await site.detailsOf(listed.value[0]);
  assert.ok(details.kind === 'answered');
  assert.equal(details.value.reference, 'REF1');
  assert.equal(formatDay(details.value.effective ?? 0), '1993-04-01');
});

test('a postcode that the site has no homes in is an empty list', async () => {
  assert.deepEqual(await openSite().homesOf('EC1V 9ZZ'), { kind: 'answered', value: [] });
});

test('an answer is kept for thirty days, also for a process that starts later', async () => {
  await openSite().homesOf(postcode);
  const asked = server.asked.length;
  clock.ms += 30 * 86_400_000 - 60_000;
  const kept = await openSite().homesOf(postcode);
  assert.equal(server.asked.length, asked);
  assert.ok(kept.kind === 'answered');
  assert.equal(kept.value.length, 47);
  clock.ms += 120_000;
  await openSite().homesOf(postcode);
  assert.equal(server.asked.length, 2 * asked);
});

test('an answer on disk that is damaged, of another postcode or cannot be written costs a request and nothing else', async () => {
  const ask = async () => {
    const before = server.asked.length;
    assert.equal((await openSite().homesOf('SW1A 1AA')).kind, 'answered');
    return server.asked.length - before;
  };
  const whole = await ask();
  assert.equal(await ask(), 0);
  const [kept = assert.fail('nothing was kept')] = globSync('*/*', { cwd: folder });
  const file = path.join(folder, kept);
  const content = readFileSync(file);
  writeFileSync(file, content.subarray(0, content.length - 5));
  assert.equal(await ask(), whole);
  const ofAnother = readFileSync(file, 'latin1').replace('#SW1A1AA', '#SW1A1AB');
  writeFileSync(file, ofAnother, 'latin1');
  assert.equal(await ask(), whole);
  rmSync(folder, { recursive: true });
  writeFileSync(folder, 'a file where the folder should be');
  assert.equal(await ask(), whole);
  assert.equal(await ask(), whole);
});

test('nobody sends more than one request a second', async () => {
  await openSite().homesOf(postcode);
  assert.deepEqual(clock.slept, [1000, 1000, 1000, 1000]);
});

test('a session is used again, and a new one is begun when the site has forgotten it', async () => {
  const site = openSite();
  await site.homesOf(postcode);
  server.asked.length = 0;
  await site.homesOf('SW1A 1AA');
  assert.equal(server.asked.includes('GET /check-council-tax-band/search'), false);
  server.forget();
  const result = await site.homesOf('EC1V 9ZZ');
  assert.equal(result.kind, 'answered');
  assert.equal(server.asked.filter((line) => line === 'GET /check-council-tax-band/search').length, 1);
});

test('equal questions asked together are sent once', async () => {
  const site = openSite();
  const [one, two] = await Promise.all([site.homesOf(postcode), site.homesOf(postcode)]);
  assert.equal(one, two);
  assert.equal(server.asked.length, 5);
});

test('whatever goes wrong before the first page of results is a failure, and nothing of it is kept', async () => {
  const faults: [readonly Mood[], string][] = [
    [['silent', 'silent'], 'TimeoutError'],
    [['cut', 'cut'], 'TypeError'],
    [['junk'], 'no token in the form'],
    [['huge', 'huge'], 'TooLarge'],
    [['no token'], 'no token in the form'],
    [[503, 503], 'status 503'],
    [[404], 'status 404'],
    [[429], 'status 429'],
    [['well', 403], 'status 403'],
    [['well', 'elsewhere'], 'led to another site'],
    [['well', 'in a circle', 'in a circle', 'in a circle', 'in a circle'], 'led round and round'],
    [['well', 'well', 'expired'], 'no results page'],
    [['well', 'well', 'junk'], 'no known heading'],
    [['well', 'well', 'other columns'], 'other columns in the table'],
    [['well', 'well', 'no table'], 'no table of results'],
    [['well', 'well', 'no count'], 'no count of results'],
    [['well', 'well', 'odd band'], 'a row without a band'],
    [['well', 'well', 'odd link'], 'a row without a link'],
    [['well', 'well', 'other postcode'], 'results for another postcode'],
  ];
  for (const [moods, problem] of faults) {
    server.moods.push(...moods);
    assert.deepEqual(kinds(await openSite().homesOf(postcode)), ['failed', problem]);
    assert.equal(server.moods.length, 0, problem);
  }
  assert.equal((await openSite().homesOf(postcode)).kind, 'answered');
});

test('a list cut half-way is incomplete, never a shorter list', async () => {
  const faults: [readonly Mood[], string][] = [
    [['silent', 'silent'], 'TimeoutError'],
    [['cut', 'cut'], 'TypeError'],
    [['junk'], 'no known heading'],
    [[503, 503], 'status 503'],
    [[429], 'status 429'],
    [['expired'], 'the session ended'],
    [['same page'], 'another page than the next one'],
    [['other postcode'], 'results for another postcode'],
    [['no count'], 'no count of results'],
    [['well', 'cut', 503], 'status 503'],
  ];
  for (const [moods, problem] of faults) {
    server.moods.push('well', 'well', 'well', ...moods);
    const result = await openSite().homesOf(postcode);
    assert.deepEqual(kinds(result), ['incomplete', problem]);
    assert.ok(result.kind !== 'answered' && result.retrySeconds >= 30);
  }
});

test('pages without end are given up', async () => {
  server.mood = 'endless';
  const result = await openSite().homesOf(postcode);
  assert.deepEqual(kinds(result), ['incomplete', 'more pages than there can be']);
  assert.ok(server.asked.length <= 30, `${server.asked.length} requests`);
  server.mood = 'crowded';
  assert.deepEqual(kinds(await openSite().homesOf(postcode)), ['failed', '9999 homes in one postcode']);
});

test('cookies without end are not kept', async () => {
  server.mood = 'many cookies';
  assert.equal((await openSite().homesOf(postcode)).kind, 'answered');
  assert.ok(server.cookieLength < 2_000, `${server.cookieLength} characters`);
});

test('a single failure is tried again', async () => {
  server.moods.push('well', 503, 'well', 'cut');
  assert.equal((await openSite().homesOf(postcode)).kind, 'answered');
});

test('a record that cannot be read, or has another band than the list, is no answer', async () => {
  for (const mood of ['junk', 'odd band', 404, 'elsewhere'] as const) {
    const site = openSite();
    const listed = await site.homesOf('SW1A 1AA');
    assert.ok(listed.kind === 'answered' && listed.value[0] !== undefined);
    server.moods.push(mood);
    assert.equal((await site.detailsOf(listed.value[0])).kind, 'failed', String(mood));
    clock.ms += 120_000;
    const another = { ...listed.value[0], band: 'A' };
    assert.deepEqual(kinds(await site.detailsOf(another)), ['failed', 'another band than in the list']);
  }
});

test('whoever is turned away stays away as long as the site says', async () => {
  const site = openSite();
  server.moods.push(429);
  const turned = await site.homesOf(postcode);
  assert.ok(turned.kind === 'failed');
  assert.equal(turned.retrySeconds, 120);
  const asked = server.asked.length;
  clock.ms += 60_000;
  const waiting = await site.homesOf('SW1A 1AA');
  assert.ok(waiting.kind === 'failed');
  assert.equal(waiting.retrySeconds, 60);
  assert.equal(server.asked.length, asked);
  clock.ms += 60_000;
  assert.equal((await site.homesOf('SW1A 1AA')).kind, 'answered');
});

test('after five failures in a row nobody asks for half a minute', async () => {
  const site = openSite();
  server.mood = 503;
  for (let time = 0; time < 5; time += 1) await site.homesOf(postcode);
  const asked = server.asked.length;
  const result = await site.homesOf(postcode);
  assert.deepEqual(kinds(result), ['failed', 'not asked for now']);
  assert.equal(server.asked.length, asked);
  server.mood = 'well';
  clock.ms += 30_000;
  const [one, other] = await Promise.all([site.homesOf(postcode), site.homesOf('SW1A 1AA')]);
  assert.equal(one.kind, 'answered');
  assert.deepEqual(kinds(other), ['failed', 'not asked for now'], 'only one goes ahead to see');
  assert.equal((await site.homesOf('SW1A 1AA')).kind, 'answered');
});

test('the metrics tell how questions to the site ended, and that nobody asks it because it keeps failing', async () => {
  const metrics = new Metrics();
  const site = openSite({ metrics });
  const figures = async () =>
    Array.from(
      renderMetrics(await metrics.snapshot()).matchAll(
        /^domesday_upstream_\w+\{service="valuation-site"(?:,result="([\w ]+)")?\} (\d+)$/gm,
      ),
      ([, result = 'closed', count]) => `${result} ${count}`,
    ).sort();
  await site.homesOf(postcode);
  await site.homesOf(postcode);
  assert.deepEqual(await figures(), ['answered 1', 'closed 0', 'failed 0', 'held back 0', 'kept 1']);
  server.mood = 503;
  for (let time = 0; time < 6; time += 1) await site.homesOf('SW1A 1AA');
  assert.deepEqual(await figures(), ['answered 1', 'closed 1', 'failed 5', 'held back 1', 'kept 1']);
});

const deleted = (every: number) =>
  flats.map((home, index) =>
    index % every === 0 ? { ...home, band: index % 2 === 0 ? 'Deleted' : 'deleted ' } : home,
  );

test('entries that were deleted are no homes, but count among the results of every page', async () => {
  for (const every of [2, 19, 47, 1]) {
    const listed = deleted(every);
    const other = await openValuationServer({ [postcode]: listed });
    try {
      const site = openValuationSite(
        {
          metrics: new Metrics(),
          baseUrl: other.url,
          cacheFolder: path.join(folder, String(every)),
          cacheBytesMost: 2 ** 30,
          deadline: other.patience.deadline,
        },
        { now: () => clock.ms, sleep: async () => {} },
      )(account);
      const result = await site.homesOf(postcode);
      assert.ok(result.kind === 'answered', JSON.stringify(result));
      assert.deepEqual(
        result.value.map(({ address, band }) => ({ address, band })),
        listed.filter(({ band }) => band.length === 1),
      );
    } finally {
      await other.close();
    }
  }
});

test('a page that is not understood is the failure of its postcode: all others are asked and answered', async () => {
  const pages: readonly Mood[] = [
    'other columns',
    'no table',
    'odd band',
    'odd link',
    'other postcode',
    'crowded',
    404,
  ];
  const site = openSite();
  assert.equal((await site.homesOf('EC1V 9ZZ')).kind, 'answered');
  for (const [index, mood] of pages.entries()) {
    server.mood = mood;
    const odd = await site.homesOf(oddOnes[index] ?? assert.fail());
    assert.equal(odd.kind, 'failed', String(mood));
  }
  server.mood = 'well';
  assert.equal((await site.homesOf('SW1A 1AA')).kind, 'answered');
});

test('a page that was not understood is not asked for again for two minutes, and then is', async () => {
  const site = openSite();
  server.moods.push('well', 'well', 'odd band');
  assert.deepEqual(kinds(await site.homesOf(postcode)), ['failed', 'a row without a band']);
  const asked = server.asked.length;
  const again = await site.homesOf(postcode);
  assert.ok(again.kind === 'failed' && again.problem === 'not asked for now');
  assert.ok(again.retrySeconds > 60 && again.retrySeconds <= 120);
  assert.equal(server.asked.length, asked);
  clock.ms += 120_000;
  assert.equal((await site.homesOf(postcode)).kind, 'answered');
});

/** Each request of this caller takes so long, or is given up when it may take no longer. */
const answersAfter = (takesMs: number) => (leftMs: number) => {
  const waitMs = Math.min(takesMs, leftMs, 8_000);
  clock.ms += waitMs;
  return waitMs < takesMs
    ? AbortSignal.abort(new DOMException('Nothing was answered.', 'TimeoutError'))
    : new AbortController().signal;
};

test('a site that never answers holds nobody longer than fifteen seconds, waiting for turns included', async () => {
  const site = openSite({ deadline: answersAfter(Number.POSITIVE_INFINITY) });
  for (const odd of oddOnes.slice(0, 4)) {
    const beganMs = clock.ms;
    assert.equal((await site.homesOf(odd)).kind, 'failed');
    assert.ok(clock.ms - beganMs <= 15_000, `${clock.ms - beganMs} ms`);
  }
});

test('a site that answers late each time holds one question for its homes and the record of one no longer', async () => {
  for (const takesMs of [7_900, 4_000, 2_000]) {
    const site = openSite({ deadline: answersAfter(takesMs) });
    const beganMs = clock.ms;
    clock.slept.length = 0;
    await site.homesOf(postcode);
    const page = `${server.url}/property/sw1a1aa-0`;
    await site.detailsOf({ address: '1 MAIN STREET, LONDON', band: 'H', authority: 'Islington', page });
    const waitedMs = clock.ms - beganMs - clock.slept.reduce((sum, ms) => sum + ms, 0);
    assert.ok(waitedMs <= 15_000, `${waitedMs} ms`);
    clock.ms += 3_600_000;
  }
});

test('a page that says the service is closed is the failure of the site', async () => {
  const site = openSite();
  server.mood = 'junk';
  for (let time = 0; time < 5; time += 1) await site.homesOf(postcode);
  server.mood = 'well';
  assert.deepEqual(kinds(await site.homesOf('SW1A 1AA')), ['failed', 'not asked for now']);
});

test('whoever would wait long for a turn is told to come back', async () => {
  const standing = openValuationSite(
    {
      metrics: new Metrics(),
      baseUrl: server.url,
      cacheFolder: folder,
      cacheBytesMost: 2 ** 30,
      deadline: server.patience.deadline,
    },
    { now: () => clock.ms, sleep: () => new Promise(() => {}) },
  )(account);
  for (let asked = 0; asked < 12; asked += 1)
    void standing.homesOf(`EC1V ${asked % 10}${asked < 10 ? 'AA' : 'AB'}`);
  // All have come past the disk, and wait for a turn or for the server.
  while (server.asked.length === 0) await new Promise(setImmediate);
  const result = await standing.homesOf('EC1V 9ZZ');
  assert.ok(result.kind === 'failed');
  assert.equal(result.problem, 'not asked for now');
  assert.ok(result.retrySeconds > 10);
});

test('an account that asks so much that it is refused leaves another one its turns', async () => {
  const { promise: turn, resolve: letGo } = Promise.withResolvers<void>();
  let begun = 0;
  const siteFor = openValuationSite(
    {
      metrics: new Metrics(),
      baseUrl: server.url,
      cacheFolder: folder,
      cacheBytesMost: 2 ** 30,
      deadline: () => {
        begun += 1;
        return server.patience.deadline();
      },
    },
    {
      now: () => clock.ms,
      sleep: async (ms) => {
        await turn;
        // No request takes a second of this clock.
        do await new Promise(setImmediate);
        while (server.answered < begun);
        clock.ms += ms;
      },
    },
  );
  const hog = Array.from({ length: 100 }, (_, index) => siteFor('acc_hog').homesOf(`ZZ${index + 1} 1AA`));
  // The first that is refused tells that its ten seconds are taken.
  await Promise.race(hog.map(async (answer) => (await answer).kind === 'failed' || new Promise(() => {})));
  const modest = siteFor('acc_modest').homesOf('SW1A 1AA');
  // It waits for its turn once it has looked for a kept answer, as these do after it.
  const looks = Array.from({ length: 8 }, () => readFile(path.join(folder, 'not there')));
  await Promise.allSettled(looks);
  letGo();
  assert.equal((await modest).kind, 'answered');
  await Promise.all(hog);
});

test('no text whatever breaks the readers of pages', () => {
  const pieces = fc.constantFrom(
    '<h1>Search results for EC1V 3AP</h1>',
    '<h1>',
    '<table id="search-results-table">',
    '<tr class="x">',
    '<th>Address',
    '<td>',
    '<a href="',
    '">',
    '&#x110000;',
    '&#0;',
    'Showing 1 - 20 of 47 results',
    'hmrc-vo-pagination__item--next',
    '<dt>Council Tax band</dt><dd>',
    '<input name="csrfToken" value="',
  );
  fc.assert(
    fc.property(fc.array(fc.oneof(pieces, fc.string({ maxLength: 20 })), { maxLength: 40 }), (parts) => {
      const html = parts.join('');
      readToken(html);
      assert.notEqual(readSearchPage(html, postcode, 'https://example.org/a').kind, 'results');
      readPropertyPage(html);
    }),
  );
});

const excerpt = realFile('data/valuations/voa_results_ec1v3ap_EXCERPT.html');
testWith(excerpt, 'the real page, of which rows were left out, is understood but for its count', (file) => {
  const html = readFileSync(file, 'utf8');
  const address = 'https://www.tax.service.gov.uk/check-council-tax-band/search';
  assert.deepEqual(readSearchPage(html, postcode, address), {
    kind: 'odd',
    problem: 'fewer or more rows than the page says',
  });
  const whole = readSearchPage(html.replace('1 - 20 of', '1 - 11 of'), postcode, address);
  assert.ok(whole.kind === 'results');
  assert.deepEqual(
    [whole.homes.length, whole.total, whole.next],
    [11, 47, `${address}?postcode=FHZgUQHx98Z_Vs3AtRYs2A&page=1`],
  );
  assert.deepEqual(whole.homes[9], {
    address: 'APARTMENT 2, ORCHARD BUILDING, 25 PEAR TREE STREET, LONDON',
    band: 'E',
    authority: 'Islington',
    page: 'https://www.tax.service.gov.uk/check-council-tax-band/property/06a0902b-7091-18f2-ce38-3f89eb08a4dc',
  });
  assert.match(readToken(html) ?? '', /^aad1aaf88da4c0ea/);
});

test('a page takes time in proportion to its length, whatever it is full of', { timeout: 20_000 }, () => {
  const megabytes = (text: string) => text.repeat(Math.ceil(2_000_000 / text.length));
  const fillings = [
    '<',
    '<h1',
    '<h1 ',
    '<h1>',
    '<table ',
    '<table id="',
    '<input ',
    '<input name="',
    '<dt',
    '<dd ',
  ];
  for (const filling of [
    ...fillings,
    '<title',
    '&',
    'Showing ',
    'Showing 1 -',
    ' ',
    '<a ',
    '<td',
    '"',
    '<!--',
  ]) {
    for (const html of [
      megabytes(filling),
      `<h1>${megabytes(filling)}</h1>`,
      `<h1>Search results for ${postcode}</h1><table id="search-results-table">${megabytes(filling)}</table>`,
      `<dl><dt>Council Tax band</dt><dd>${megabytes(filling)}`,
    ]) {
      readSearchPage(html, postcode, server.url);
      readPropertyPage(html);
      readToken(html);
    }
  }
});
