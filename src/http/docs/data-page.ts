// The page about the data: what the release that answers now holds, how old it is, its licences, and what it lacks.

import type { Endpoint } from '../../contract/endpoint.ts';
import type { Publication } from '../../contract/missing-datasets.ts';
import type { Release } from '../../release/reader.ts';
import { datasetsOf } from '../datasets.ts';
import { type Block, type DocsPage, guidePath, heading, list, note, table, terms, text } from './blocks.ts';

export const dataPath = '/docs/data';

const about = {
  path: dataPath,
  title: 'Data sources',
  summary:
    'What this service has loaded at this moment: publisher, date, licence and extent of each dataset.',
  facts: [],
  trail: [['Documentation', '/docs']],
  beside: [],
} as const;

/** For a service whose first release has not arrived. */
export const noDataPage: DocsPage = {
  ...about,
  blocks: [
    text(
      'No data is loaded yet. The service is waiting for its first release. Open this page again in a moment; if it does not change, ask whoever runs the service.',
    ),
  ],
};

type Held = ReturnType<typeof datasetsOf>;

export function dataPage(
  release: Release,
  endpoints: readonly Endpoint[],
  publications: readonly Publication[],
): DocsPage {
  const held = datasetsOf(release, endpoints, publications);
  const { id, createdAt } = held.release;
  return {
    ...about,
    blocks: [
      text(
        `Live keys are answered from release \`${id}\`, made on ${dayOf(createdAt)}. \`GET /api/v1/datasets\` has the same facts as JSON and needs no key. Test keys are answered from a made-up town instead.`,
      ),
      heading('What is loaded'),
      overview(held.datasets),
      note(
        `**Complete** means that the data came from the publisher’s own files and nothing of it is known to be missing. **Partial** means that something is. A **sample** comes with the program and covers a few places. [Coverage by nation](${guidePath('coverage')}) says what to expect where.`,
      ),
      ...missingBlocks(held.notLoaded),
      heading('Attribution'),
      text(
        `Show the lines of the datasets that you use, where your readers see the figures. [Licences that bind you](${guidePath('licences')}) says why.`,
      ),
      list(...new Set(held.datasets.map(({ attribution }) => attribution))),
      ...held.datasets.flatMap(datasetBlocks),
    ],
  };
}

/** As people write it: 3 March 2026. */
function dayOf(moment: string): string {
  return new Date(moment).toLocaleDateString('en-GB', {
    day: 'numeric',
    month: 'long',
    year: 'numeric',
    timeZone: 'UTC',
  });
}

const inOneLine = (text: string): string => text.replaceAll(' ', '\u00a0');

const overview = (datasets: Held['datasets']): Block =>
  table(
    ['Dataset', 'Data of', 'Loaded', 'Rows', 'Extent'],
    datasets.map(({ name, title, asOf, loadedAt, rows, extent }) => [
      `[${title}](#${name})`,
      inOneLine(dayOf(asOf)),
      inOneLine(dayOf(loadedAt)),
      rows.toLocaleString('en-GB'),
      extent,
    ]),
  );

function missingBlocks(missing: Held['notLoaded']): readonly Block[] {
  if (missing.length === 0) return [heading('What is not loaded'), text('Nothing is missing.')];
  return [
    heading('What is not loaded'),
    text(
      'Without these datasets the fields below are `null`, or the call is refused with a code of its own. One exception: where no sale is loaded, the prices in the summary of `/area/sold-prices` are 0, which means no sales, and X-Data-Coverage begins with `none`.',
    ),
    terms(
      ...missing.map(
        ({ name, title, needed, fills }) =>
          [
            title ?? name,
            `${needed === 'required' ? '**Needed** for' : 'Would fill'} ${fills.join('; ')}.`,
          ] as const,
      ),
    ),
  ];
}

function datasetBlocks(dataset: Held['datasets'][number]): readonly Block[] {
  const { name, title, source, publisher, edition, asOf, licence, attribution, extent, coverage } = dataset;
  const { nextEditionExpected, leftOut, lacks } = dataset;
  return [
    heading(title, name),
    terms(
      ['Dataset', `\`${name}\``],
      ['Publication', source],
      ['Publisher', publisher],
      ['Edition', `${edition}; as of ${dayOf(asOf)}`],
      ...(nextEditionExpected === null ? [] : [['Next edition expected', nextEditionExpected] as const]),
      ['Licence', licence],
      ['Attribution', attribution],
      ['Extent', extent],
      [
        'Coverage',
        Object.entries(coverage)
          .map(([nation, words]) => `${nation}: ${words}`)
          .join('. '),
      ],
      ...(leftOut === undefined ? [] : [['Left out', leftOut] as const]),
      ...lacks.map(
        ({ what, publication, fills }) =>
          ['Lacks', `${what} of “${publication}”. Without it these stay null: ${fills.join('; ')}.`] as const,
      ),
    ),
  ];
}
