// What `domesday update` fetches, for docs/data-sources.md: written from what each source says of its publications.

import { formatBytes, formatSeconds } from '../src/cli/update/print.ts';
import { type Lines, markdownTable } from '../src/http/docs/markdown.ts';
import type { Find, Listed, Publication } from '../src/ingest/publication.ts';
import { openSources } from '../src/ingest/source.ts';
import { sources } from '../src/sources/index.ts';
import { listPublications, selectPublications } from '../src/update/select.ts';

/** How the newest file is found, in a sentence's end. */
function describeFind(find: Find): string {
  switch (find.kind) {
    case 'fixed':
      return `fixed: ${find.addresses.map((address) => `\`${address}\``).join(', ')}`;
    case 'os-downloads':
      return `the downloads API of Ordnance Survey, \`https://api.os.uk/downloads/v1/products/${find.product}\`, ${find.format} of ${find.area}`;
    case 'govuk':
      return `the content API of GOV.UK, \`https://www.gov.uk/api/content${find.path}\`${find.document === undefined ? '' : ', its newest document,'} and attachments like ${find.files.map(({ title, fileName }) => `\`${(title ?? fileName)?.source}\``).join(', ')}`;
    case 'arcgis':
      return `a search of ArcGIS, \`${find.search}\`: the newest month among items titled like \`${find.title.source}\``;
    case 'links':
      return `links of \`${find.page}\` like ${find.follow.map((pattern) => `\`${pattern.source}\``).join(', then ')}`;
    case 'dated':
      return `\`${find.address}\`, today or the newest of ${find.daysBack} days before`;
  }
}

export const publicationLines = (publications: readonly Publication[] = []): Lines =>
  publications.flatMap(
    ({ name, title, page, find, hosts, rhythm, typicalBytes, mostBytes, gives, terms }) => [
      `- Fetched by \`domesday update\` as \`${name}\`: ${title}`,
      `  - For people: ${page}`,
      `  - Found by ${describeFind(find)}`,
      `  - Hosts: ${hosts.join(', ')}`,
      `  - Size: ${formatBytes(typicalBytes)}; refused beyond ${formatBytes(mostBytes)}`,
      `  - Rhythm: ${rhythm.text}; ${rhythm.askEveryDays === 0 ? 'asked for in every run' : `asked for every ${rhythm.askEveryDays} days`}`,
      `  - Needed for ${gives}`,
      ...(terms === undefined
        ? []
        : [
            `  - Terms \`${terms.name}\` to accept first: ${terms.text} ${terms.page}. Left out until then: ${terms.leavesOut}.`,
          ]),
    ],
  );

/** An overview of every publication, and what each set of them takes. */
export async function setLines(): Promise<Lines> {
  const listed = listPublications(await openSources(sources), new Map());
  const inSet = (set: 'essential' | 'all') =>
    selectPublications(listed, { names: [], set }, new Set(['all'])).chosen.filter(
      ({ holds }) => holds === 'everything',
    );
  const sumOf = (chosen: readonly Listed[], amount: (publication: Listed) => number) =>
    chosen.reduce((sum, publication) => sum + amount(publication), 0);
  return [
    '# What `domesday update` fetches',
    '',
    ...markdownTable(
      ['Set', 'To fetch', 'On disk afterwards', 'Memory', 'Loading, two cores'],
      (['essential', 'all'] as const).map((set) => {
        const chosen = inSet(set);
        return [
          `\`${set}\``,
          formatBytes(sumOf(chosen, ({ typicalBytes }) => typicalBytes)),
          formatBytes(sumOf(chosen, ({ loading }) => loading.diskBytes)),
          formatBytes(Math.max(...chosen.map(({ loading }) => loading.memoryBytes))),
          formatSeconds(sumOf(chosen, ({ loading }) => loading.seconds)),
        ];
      }),
    ),
    '',
    'The files are removed once they are loaded, and need their own room until then. Sizes are of September and October 2026.',
    '',
    ...markdownTable(
      ['Publication', 'Dataset', 'Size', 'Rhythm', 'Set'],
      listed.map(({ name, dataset, typicalBytes, rhythm, set }) => [
        `\`${name}\``,
        `\`${dataset}\``,
        formatBytes(typicalBytes),
        rhythm.text,
        set,
      ]),
    ),
    '',
  ];
}
