// All pages of the documentation, by address: what there is, in which order, and what each is in HTML and in Markdown. Loaded
// when the first reader asks, so that a start pays nothing for it.

import type { Endpoint } from '../../contract/endpoint.ts';
import type { Publication } from '../../contract/missing-datasets.ts';
import { errorCodes } from '../../errors.ts';
import type { Release } from '../../release/reader.ts';
import { type DocsPage, exampleOrigin, type Guide, guidePath, list, type Shown } from './blocks.ts';
import { changelogPage, changelogPath } from './changelog.ts';
import { dataPage, dataPath, noDataPage } from './data-page.ts';
import { errorCodePage, errorListPage, errorListPath } from './error-pages.ts';
import { guides } from './guides/index.ts';
import { startPage } from './guides/start.ts';
import { layOut, type NavGroup } from './layout.ts';
import { type Lines, markdownAddress, markdownPage, servedStyle } from './markdown.ts';
import { endpointPage, endpointPath, referencePage, referencePath } from './reference.ts';
import { searchEntries } from './search-index.ts';

/** What the pages are made for. */
type SiteDesk = {
  readonly endpoints: readonly Endpoint[];
  readonly version: string;
  readonly shown: Shown;
  readonly publications: readonly Publication[];
  readonly live: () => Release | undefined;
};

export type Site = {
  /** Undefined where there is no such page. */
  readonly find: (path: string) => DocsPage | undefined;
  /** For an address that has none. */
  readonly noSuchPage: (path: string) => DocsPage;
  readonly html: (page: DocsPage) => string;
  readonly markdown: (page: DocsPage) => string;
  readonly searchIndex: () => string;
  readonly llms: () => string;
  readonly llmsFull: () => string;
};

export const guidePage = ({ name, title, summary, blocks }: Guide, shown: Shown): DocsPage => ({
  path: guidePath(name),
  title,
  summary,
  facts: [],
  trail: [['Documentation', '/docs']],
  blocks: blocks(shown),
  beside: [],
});

export async function openSite(desk: SiteDesk): Promise<Site> {
  const { endpoints, shown, version } = desk;
  const start = startPage(endpoints, shown);
  const guidePages = guides.map((guide) => guidePage(guide, shown));
  const referencePages = [referencePage(endpoints), ...endpoints.map(endpointPage)];
  const errorPages = [errorListPage, ...errorCodes.map((code) => errorCodePage(code, endpoints))];
  const changelog = await changelogPage();
  const lasting = [start, ...guidePages, ...referencePages, ...errorPages, changelog];
  const byPath = new Map(lasting.map((page) => [page.path, page]));
  const data = dataMaker(desk);
  const contents = contentsOf(endpoints, guidePages);
  const style = servedStyle(shown);
  const markdown = (page: DocsPage) => markdownText(markdownPage(page, style));
  const { publicUrl = exampleOrigin } = shown;
  const line = ({ path, title, summary }: DocsPage) =>
    `- [${title}](${publicUrl}${markdownAddress(path)}): ${summary}`;
  const find = (path: string) => (path === dataPath ? data() : byPath.get(path));
  return {
    find,
    noSuchPage,
    html: (page) =>
      layOut(page, {
        contents,
        version,
        shown,
        asMarkdown: find(page.path) === undefined ? undefined : markdownAddress(page.path),
      }),
    markdown,
    // What changes with the release is found by its title.
    searchIndex: () => JSON.stringify([...lasting, { ...data(), blocks: [] }].flatMap(searchEntries)),
    llms: () =>
      markdownText([
        '# Domesday',
        '',
        `> ${start.summary} Every page below is Markdown; ${publicUrl}/llms-full.txt has all of them in one file, and ${publicUrl}/api/v1/openapi.json the reference as OpenAPI 3.1.`,
        '',
        ...section('Start', [line(start)]),
        ...section('Guides', guidePages.map(line)),
        ...section('Reference', referencePages.map(line)),
        ...section('Data', [line(data())]),
        ...section('Errors', [line(errorListPage)]),
        ...section('Optional', [line(changelog)]),
      ]),
    llmsFull: () => [start, ...guidePages, ...referencePages, ...errorPages].map(markdown).join('\n---\n\n'),
  };
}

const section = (title: string, lines: Lines): Lines => [`## ${title}`, '', ...lines, ''];

const markdownText = (lines: Lines): string =>
  `${lines
    .join('\n')
    .replace(/\n{3,}/g, '\n\n')
    .trimEnd()}\n`;

/** Nothing of what was asked is read as a mark. */
const noSuchPage = (path: string): DocsPage => ({
  path,
  title: path.startsWith(`${errorListPath}/`) ? 'No such error code' : 'No such page',
  summary: `There is nothing at \`${path.replaceAll('`', '')}\`.`,
  facts: [],
  trail: [['Documentation', '/docs']],
  blocks: [
    list(
      'Search for it at the top of this page.',
      `[Error codes](${errorListPath}) has every code that a reply can have.`,
      `[All endpoints](${referencePath}) are in the reference.`,
    ),
  ],
  beside: [],
});

/** Made anew when another release answers. */
function dataMaker({ endpoints, publications, live }: SiteDesk): () => DocsPage {
  let last: { readonly id: string; readonly page: DocsPage } | undefined;
  return () => {
    const release = live();
    if (release === undefined) return noDataPage;
    if (last?.id !== release.id) last = { id: release.id, page: dataPage(release, endpoints, publications) };
    return last.page;
  };
}

function contentsOf(endpoints: readonly Endpoint[], guidePages: readonly DocsPage[]): readonly NavGroup[] {
  return [
    { title: 'Start', links: [{ href: '/docs', label: 'In five minutes' }] },
    { title: 'Guides', links: guidePages.map(({ path, title }) => ({ href: path, label: title })) },
    {
      title: 'Reference',
      links: [
        { href: referencePath, label: 'All endpoints' },
        ...endpoints.map((endpoint) => ({
          href: endpointPath(endpoint),
          label: endpoint.path,
          isCode: true as const,
        })),
      ],
    },
    {
      title: 'More',
      links: [
        { href: errorListPath, label: 'Error codes' },
        { href: dataPath, label: 'Data sources' },
        { href: changelogPath, label: 'Changelog' },
      ],
    },
  ];
}
