// The newest files of a publication are found in what publishers answer: in the shapes that their services really have, and
// never in an answer that is not one.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import type { Find } from '../../src/ingest/publication.ts';
import { openSources } from '../../src/ingest/source.ts';
import { sources } from '../../src/sources/index.ts';
import { parseDay } from '../../src/uk/calendar.ts';
import { type Ask, findOffers, NotFound } from '../../src/update/find.ts';

const today = parseDay('2026-10-08') ?? Number.NaN;

/** Answers by address; whatever else is asked for is not there. */
const answering = (answers: Readonly<Record<string, unknown>>): Ask => ({
  json: async (address) => {
    if (!(address in answers)) throw new NotFound(`${address} is not there`);
    return answers[address];
  },
  page: async (address) => {
    const text = answers[address];
    if (typeof text !== 'string') throw new NotFound(`${address} is not there`);
    return { text, address };
  },
  isThere: async (address) => address in answers,
});

const published = (await openSources(sources)).flatMap(({ publications = [] }) => publications);

function findOf(name: string): Find {
  const publication = published.find((each) => each.name === name);
  assert.ok(publication !== undefined, name);
  return publication.find;
}

const offersOf = (name: string, answers: Readonly<Record<string, unknown>>) =>
  findOffers(findOf(name), answering(answers), today);

describe('GOV.UK', () => {
  const api = 'https://www.gov.uk/api/content';
  const assets = 'https://assets.publishing.service.gov.uk/media';

  test('an attachment is found by its title and the ending of its name, not by its place', async () => {
    const attachments = [
      {
        title: 'Management information - state-funded schools - inspections in the year as at 31 August 2026',
        url: `${assets}/1/Year.csv`,
      },
      {
        title: 'Management information - state-funded schools - latest inspections as at 31 August 2026',
        url: `${assets}/2/Latest.ods`,
      },
      {
        title: 'Management information - state-funded schools - latest inspections as at 31 August 2026',
        url: `${assets}/3/Latest_as_at_31_August_2026.csv`,
        filename: 'Latest_as_at_31_August_2026.csv',
        file_size: 17_121_385,
        content_type: 'text/csv',
      },
    ];
    const path =
      '/government/statistical-data-sets/monthly-management-information-ofsteds-school-inspections-outcomes';
    assert.deepEqual(await offersOf('ofsted', { [`${api}${path}`]: { details: { attachments } } }), [
      {
        address: `${assets}/3/Latest_as_at_31_August_2026.csv`,
        fileName: 'Latest_as_at_31_August_2026.csv',
        edition: 'Management information - state-funded schools - latest inspections as at 31 August 2026',
        bytes: 17_121_385,
      },
    ]);
  });

  test('of a collection, the document of the newest year counts, wherever it stands; all its tables are wanted', async () => {
    const documentOf = (year: number) => ({
      title: `Council Tax levels set by local authorities in England ${year} to ${year + 1}`,
      base_path: `/government/statistics/council-tax-levels-${year}`,
    });
    const collection = {
      links: {
        documents: [
          { title: 'Local authority council taxbase in England 2026', base_path: '/taxbase' },
          documentOf(2025),
          documentOf(2026),
          documentOf(2024),
        ],
      },
    };
    const attachments = ['Tables_1-9_2026-27.ods', 'Table_10_2026-27.ods', 'Notes.pdf'].map((name) => ({
      title: name,
      url: `${assets}/x/${name}`,
    }));
    const answers = {
      [`${api}/government/collections/council-tax-statistics`]: collection,
      [`${api}/government/statistics/council-tax-levels-2026`]: { details: { attachments } },
    };
    const offers = await offersOf('council-tax-england', answers);
    assert.deepEqual(
      offers.map(({ fileName }) => fileName),
      ['Tables_1-9_2026-27.ods', 'Table_10_2026-27.ods'],
    );
    const lacking = {
      ...answers,
      [`${api}/government/statistics/council-tax-levels-2026`]: {
        details: { attachments: attachments.slice(1) },
      },
    };
    await assert.rejects(offersOf('council-tax-england', lacking), NotFound);
  });
});

describe('ArcGIS', () => {
  const search = (results: readonly unknown[]) => {
    const find = findOf('onspd');
    assert.ok(find.kind === 'arcgis');
    return findOffers(
      find,
      { ...answering({}), json: async () => ({ total: results.length, results }) },
      today,
    );
  };
  const item = (id: string, title: string, type = 'CSV Collection') => ({
    id: id.repeat(32),
    title,
    type,
    modified: 1_787_581_239_000,
    size: -1,
  });

  test('the month in the title counts, not the day of the last change, and no user guide', async () => {
    const offers = await search([
      item('a', 'ONS Postcode Directory (August 2026) User Guide', 'PDF'),
      item('b', 'ONS Postcode Directory (November 2025) for the UK'),
      item('c', 'ONS Postcode Directory (August 2026) for the UK'),
      item('d', 'ONS Postcode Directory (May 2026) for the UK'),
      item('e', 'National Statistics Postcode Lookup (August 2026)'),
    ]);
    assert.equal(
      offers[0]?.address,
      `https://www.arcgis.com/sharing/rest/content/items/${'c'.repeat(32)}/data`,
    );
    assert.equal(offers[0]?.edition, 'ONS Postcode Directory (August 2026) for the UK');
  });

  test('an error with status 200 is an error, and so is a search that finds nothing', async () => {
    const find = findOf('onspd');
    const answer = { error: { code: 400, message: 'Invalid query', details: [] } };
    await assert.rejects(
      findOffers(find, { ...answering({}), json: async () => answer }, today),
      /Invalid query/,
    );
    await assert.rejects(search([]), NotFound);
  });
});

describe('the downloads API of Ordnance Survey', () => {
  test('gives version, size and MD5 of the format that is wanted', async () => {
    const product = 'https://api.os.uk/downloads/v1/products/CodePointOpen';
    const offers = await offersOf('code-point-open', {
      [product]: { id: 'CodePointOpen', version: '2026-08' },
      [`${product}/downloads`]: [
        { format: 'GeoPackage', area: 'GB', url: 'https://api.os.uk/other', size: 1, md5: 'a'.repeat(32) },
        {
          format: 'CSV',
          area: 'GB',
          url: `${product}/downloads?area=GB&format=CSV&redirect`,
          size: 14_461_176,
          md5: 'B'.repeat(32),
          fileName: 'codepo_gb.zip',
        },
      ],
    });
    assert.deepEqual(offers, [
      {
        address: `${product}/downloads?area=GB&format=CSV&redirect`,
        fileName: 'codepo_gb.zip',
        edition: '2026-08',
        bytes: 14_461_176,
        md5: 'b'.repeat(32),
      },
    ]);
  });
});

describe('index pages', () => {
  test('the newest archive of the police is found with the MD5 behind its own link', async () => {
    const row = (month: string, md5: string) =>
      `<tr><td><a href="/data/archive/${month}.zip">${month}.zip</a></td><td>1.6 GB</td><td>${md5}</td></tr>`;
    const page = `<h1>Archive</h1><a href="/data/archive/latest.zip">latest</a><table>${row('2026-07', '1'.repeat(32))}${row('2026-08', '2'.repeat(32))}${row('2025-12', '3'.repeat(32))}</table>`;
    const [offer] = await offersOf('police-archive', { 'https://data.police.uk/data/archive/': page });
    assert.deepEqual(offer, {
      address: 'https://data.police.uk/data/archive/2026-08.zip',
      fileName: '2026-08.zip',
      edition: '2026-08',
      md5: '2'.repeat(32),
    });
  });

  test('a page that leads to a page that has the file is followed, newest year first', async () => {
    const at = 'https://www.gov.wales';
    const workbook = `${at}/sites/default/files/statistics-and-research/2026-03/council-tax-levels-april-2026-march-2027-153478.xlsx`;
    const [offer] = await offersOf('council-tax-wales', {
      [`${at}/council-tax-levels`]:
        '<a href="/council-tax-levels-april-2025-march-2026">25</a> <a href=\'/council-tax-levels-april-2026-march-2027\'>26</a>',
      [`${at}/council-tax-levels-april-2026-march-2027`]: `<a href="/cookies">c</a><a class="x" href="${workbook}">XLSX</a>`,
    });
    assert.equal(offer?.address, workbook);
  });

  test('a page without the link says which page, and what was looked for', async () => {
    await assert.rejects(
      offersOf('schools-wales', {
        'https://www.gov.wales/address-list-schools': '<a href="/moved">here</a>',
      }),
      (error: Error) =>
        error instanceof NotFound && error.message.startsWith('https://www.gov.wales/address'),
    );
  });

  test('no page, whatever it holds, gives an address that is none', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.string({ maxLength: 200 }),
        fc.webUrl({ withFragments: true }),
        async (noise, link) => {
          const page = `${noise}<a href="${link.replaceAll('"', '')}">${noise}</a><a href="javascript:alert(1).zip">`;
          const find: Find = { kind: 'links', page: 'https://a.example/', follow: [/\.zip$/] };
          const [offer] = await findOffers(find, answering({ 'https://a.example/': page }), today).catch(
            (error) => {
              assert.ok(error instanceof NotFound);
              return [];
            },
          );
          if (offer !== undefined) assert.match(new URL(offer.address).href, /\.zip$/);
        },
      ),
    );
  });
});

test('a day in the name is tried backwards from today, and no further than it may', async () => {
  const of = (day: string) =>
    `https://ea-edubase-api-prod.azurewebsites.net/edubase/downloads/public/edubasealldata${day}.csv`;
  const [offer] = await offersOf('gias', { [of('20261005')]: '', [of('20261001')]: '' });
  assert.deepEqual(offer, {
    address: of('20261005'),
    fileName: 'edubasealldata20261005.csv',
    edition: '2026-10-05',
  });
  await assert.rejects(offersOf('gias', { [of('20260901')]: '' }), /none of the last 22 days/);
});

describe('every publication', () => {
  test('has a name of its own, addresses on its own hosts, and a ceiling above its size', () => {
    assert.equal(new Set(published.map(({ name }) => name)).size, published.length);
    for (const { name, find, hosts, page, typicalBytes, mostBytes } of published) {
      const addresses =
        find.kind === 'fixed'
          ? find.addresses
          : find.kind === 'links'
            ? [find.page]
            : find.kind === 'dated'
              ? [find.address]
              : [];
      for (const address of addresses)
        assert.ok(hosts.includes(new URL(address).hostname), `${name}: ${address}`);
      assert.equal(new URL(page).protocol, 'https:', name);
      assert.ok(mostBytes > 2 * typicalBytes, name);
    }
  });

  test('of a dataset that update is said to fill, there is one', () => {
    const filled = new Set<string>(
      sources.flatMap(({ dataset, fetched = dataset, homepage }) =>
        homepage.startsWith('bundled') || fetched === 'never' ? [] : [fetched],
      ),
    );
    const offered = new Set<string>();
    return openSources(sources).then((opened) => {
      for (const { dataset, publications = [] } of opened) if (publications.length > 0) offered.add(dataset);
      assert.deepEqual([...filled].sort(), [...offered].sort());
    });
  });
});
