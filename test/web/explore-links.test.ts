// A link that the explorer makes finds its place again, whatever signs its name has and whatever became of the name since. Through
// the real search of the API; the pages themselves are in explore-ground.test.ts.

import assert from 'node:assert/strict';
import path from 'node:path';
import { after, before, test } from 'node:test';
import fc from 'fast-check';
import type { Release } from '../../src/release/reader.ts';
import { type CompletedPlace, openCompletions } from '../../src/tables/postcodes/completions.ts';
import { openPostcodes } from '../../src/tables/postcodes/postcodes.ts';
import type { Answers } from '../../web/api/answers.ts';
import { findingOf, optionOf, type Place, postcodePlace, readSlug } from '../../web/explore/place.ts';
import { type MadePostcode, madeDirectory } from '../endpoints/made-postcodes.ts';
import { openTestHome, type TestHome } from '../ingest/home.ts';
import { openRig, type Rig } from '../rig.ts';

const facts = path.join(import.meta.dirname, '../../data/facts');
const councils = ['billing-authorities.csv', 'authorities.json'].map((name) => path.join(facts, name));

const signs = [...'&\'’‘`,/.()[]-–—!?%+#"ŵŷôêâîûéàøłßñ ', ' & ', ' St. ', "'s ", ' / '];
const someName = fc.oneof(
  fc
    .array(
      fc.oneof(fc.constantFrom('Ryde', 'Appley', 'Newport', 'St', 'y', '2'), fc.constantFrom(...signs)),
      {
        minLength: 1,
        maxLength: 7,
      },
    )
    .map((parts) => parts.join('')),
  fc.string({ unit: 'grapheme', minLength: 1, maxLength: 30 }).filter((text) => !/[\p{C}\p{Z}]/u.test(text)),
);
const names = [
  'Ryde Appley & Elmfield',
  ...fc.sample(
    someName.filter((name) => /\S/.test(name)),
    300,
  ),
];
const codeOf = (at: number) => `E05${String(at).padStart(6, '0')}`;

const outcodes = ['PO33', 'E1', 'E1W', 'E10', 'SW1A', 'W1A', 'GIR', 'JE2'];
const postcodes: readonly MadePostcode[] = [
  ...names.map((_, at) => ({
    postcode: `PO33 ${at % 10}${'ABDEFGHJLN'[Math.floor(at / 10) % 10]}${'ABDEFGHJLN'[Math.floor(at / 100)]}`,
    country: 'england' as const,
    point: [50.7 + at / 10_000, -1.1] as const,
    ward: `"${codeOf(at)}"`,
    authority: '"E06000046"',
  })),
  ...outcodes.map((outcode, at) => ({
    postcode: `${outcode} 0AA`,
    country: 'england' as const,
    ...(outcode === 'JE2' ? {} : { point: [51 + at / 100, -0.1] as const }),
    authority: '"E09000033"',
  })),
];

let home: TestHome;
let rigs: Readonly<Record<'bundled' | 'made', { readonly rig: Rig; readonly key: string }>>;
let made: Release;
let bundled: Release | undefined;
before(async () => {
  home = openTestHome();
  const rows = names.map((name, at) => `${codeOf(at)},"${name.replaceAll('"', '""')}"`);
  ({ release: made } = await home.ingest([
    ...councils,
    home.put('ONSPD_NOV_2025_UK.csv', madeDirectory(postcodes)),
    home.put('wards.csv', `WD25CD,WD25NM\n${rows.join('\n')}\n`),
  ]));
  const serve = async (live: (real: Release) => Release) => {
    const rig = await openRig({ live });
    const { key } = await rig.customer({ limits: { minute: null, day: null, month: null } });
    return { rig, key };
  };
  rigs = {
    bundled: await serve((real) => {
      bundled = real;
      return real;
    }),
    made: await serve(() => made),
  };
});
after(async () => {
  for (const { rig } of Object.values(rigs)) await rig.close();
  home.remove();
});

type Suggestion = Answers['/postcodes/complete']['suggestions'][number];

async function complete(
  of: keyof typeof rigs,
  params: { readonly q: string; readonly limit: number },
): Promise<readonly Suggestion[]> {
  const { rig, key } = rigs[of];
  const query = new URLSearchParams({ q: params.q, limit: String(params.limit) });
  const reply = await rig.get(`/api/v1/postcodes/complete?${query}`, key);
  assert.equal(reply.statusCode, 200, reply.body);
  return reply.json().data.suggestions;
}

/** What the explorer finds at an address. */
async function placeAt(of: keyof typeof rigs, slug: string): Promise<Place | undefined> {
  const meaning = readSlug(slug);
  if (meaning.kind === 'postcode') return meaning.place;
  if (meaning.kind === 'odd') return undefined;
  const { params, isMeant } = findingOf(meaning);
  const meant = (await complete(of, params)).find(isMeant);
  return meant === undefined ? undefined : optionOf(meant).place;
}

/** All places that can be completed: those whose names begin with each letter or digit, and any by its code. */
function placesOf(release: Release, codes: readonly string[]): readonly Place[] {
  const completions = openCompletions(release);
  const found = new Map<string, CompletedPlace>();
  for (const typed of [...'abcdefghijklmnopqrstuvwxyz0123456789', ...codes]) {
    const { outcodes: heads, places } = completions.complete(typed, 100_000);
    for (const place of [...heads, ...places]) found.set(place.code ?? place.name, place);
  }
  return [...found.values()].map(
    ({ point: _, ...place }) => optionOf({ ...place, latitude: null, longitude: null }).place,
  );
}

test('every place, authority and district of the bundled release is found at the address that the explorer makes', async () => {
  const places = placesOf(bundled ?? assert.fail('nothing is served'), []);
  assert.ok(
    places.length > 100 && places.some(({ title }) => title.includes('&')),
    `${places.length} places`,
  );
  for (const place of places) assert.deepEqual(await placeAt('bundled', place.slug), place);
});

test('every place is found at its address, whatever its name is made of, and every postcode', async () => {
  const places = placesOf(
    made,
    names.map((_, at) => codeOf(at)),
  );
  const known = new Set(places.map(({ title }) => title));
  assert.ok(known.size > 250, `${known.size} of ${names.length} names were loaded`);
  for (const outcode of outcodes) assert.ok(known.has(outcode), outcode);
  for (const place of places) {
    assert.match(place.slug, /^[a-zA-Z0-9-]+$/);
    assert.deepEqual(await placeAt('made', place.slug), place, place.title);
  }
  const table = openPostcodes(made);
  for (const area of table.areas())
    for (const { postcode } of table.inArea(area)) {
      const place = postcodePlace(postcode);
      assert.deepEqual(await placeAt('made', place.slug), place);
      assert.deepEqual(await placeAt('made', place.slug.toLowerCase().replace('-', '')), place);
    }
});

test('the code alone says which place it is: a name of another time, misspelt or missing leads to the same', async () => {
  const place = await placeAt('made', 'ryde-appley-and-elmfield-E05000000');
  assert.equal(place?.title, 'Ryde Appley & Elmfield');
  const words = fc.string({ unit: fc.constantFrom(...'abeyz09- &’ô%'), maxLength: 20 });
  await fc.assert(
    fc.asyncProperty(words, fc.constantFrom('E05000000', 'e05000000'), async (typed, code) => {
      assert.deepEqual(await placeAt('made', `${typed}-${code}`), place);
    }),
  );
  assert.deepEqual(await placeAt('made', 'E05000000'), place);
  assert.equal(await placeAt('made', 'ryde-appley-and-elmfield-E05999999'), undefined);
});
