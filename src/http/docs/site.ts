// All pages of the documentation, by address: what there is, in which order, and what each is in HTML and in Markdown. Loaded
// when the first reader asks, so that a start pays nothing for it.

import type { Endpoint } from '../../contract/endpoint.ts';
import type { ExampleAnswers } from '../../contract/examples.ts';
import type { Publication } from '../../contract/missing-datasets.ts';
import { errorCodes, errors } from '../../errors.ts';
import type { Release } from '../../release/reader.ts';
import { type Block, type DocsPage, exampleOrigin, list, type Shown } from './blocks.ts';
import { dataPage, dataPath, noDataPage } from './data-page.ts';
import { errorCodePage, errorListPage, errorListPath } from './error-pages.ts';
import type { Field } from './fields.ts';
import { changelogPath, readChangelog, readGuides } from './guides.ts';
import { plainText } from './inline.ts';
import { layOut, type NavGroup } from './layout.ts';
import { type Lines, markdownAddress, markdownPage, servedStyle } from './markdown.ts';
import { endpointPage, endpointPath, referencePath } from './reference.ts';

/** What the pages are made for. */
type SiteDesk = {
  readonly endpoints: readonly Endpoint[];
  readonly examples: ExampleAnswers;
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

export async function openSite(desk: SiteDesk): Promise<Site> {
  const { endpoints, examples, shown, version } = desk;
  const { start, guides, reference } = await readGuides(endpoints, shown);
  const referencePages = [reference, ...endpoints.map((endpoint) => endpointPage(endpoint, examples))];
  const errorPages = [errorListPage, ...errorCodes.map((code) => errorCodePage(code, endpoints))];
  const changelog = await readChangelog();
  const lasting = [start, ...guides, ...referencePages, ...errorPages, changelog];
  const data = dataMaker(desk);
  const pages = new Map([
    ...lasting.map((page) => [page.path, () => page] as const),
    [dataPath, data] as const,
  ]);
  const contents = contentsOf(endpoints, guides);
  const style = servedStyle(shown);
  const markdown = (page: DocsPage) => markdownText(markdownPage(page, style));
  const { publicUrl = exampleOrigin } = shown;
  const line = ({ path, title, summary }: DocsPage) =>
    `- [${title}](${publicUrl}${markdownAddress(path)}): ${summary}`;
  return {
    find: (path) => pages.get(path)?.(),
    noSuchPage,
    html: (page) =>
      layOut(page, {
        contents,
        version,
        shown,
        asMarkdown: pages.has(page.path) ? markdownAddress(page.path) : undefined,
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
        ...section('Guides', guides.map(line)),
        ...section('Reference', referencePages.map(line)),
        ...section('Data', [line(data())]),
        ...section('Errors', [line(errorListPage)]),
        ...section('Optional', [line(changelog)]),
      ]),
    llmsFull: () => [start, ...guides, ...referencePages, ...errorPages].map(markdown).join('\n---\n\n'),
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

function contentsOf(endpoints: readonly Endpoint[], guides: readonly DocsPage[]): readonly NavGroup[] {
  return [
    { title: 'Start', links: [{ href: '/docs', label: 'In five minutes' }] },
    { title: 'Guides', links: guides.map(({ path, title }) => ({ href: path, label: title })) },
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

/** A part of a page, as web/docs/search.js looks through it: address, title of the page, title of the part (empty for its opening),
 *  and the words in it. */
type SearchEntry = readonly [href: string, page: string, part: string, words: string];

export function searchEntries({ path, title, summary, blocks }: DocsPage): readonly SearchEntry[] {
  const entries: { href: string; part: string; words: string[] }[] = [
    { href: path, part: '', words: [plainText(summary)] },
  ];
  for (const block of blocks) {
    if (block.kind === 'heading') entries.push({ href: `${path}#${block.id}`, part: block.text, words: [] });
    else entries.at(-1)?.words.push(...wordsOf(block));
  }
  return entries.map(({ href, part, words }): SearchEntry => [href, title, part, words.join(' ')]);
}

/** Examples are left out: they would be most of the weight, and say nothing that the words do not. */
function wordsOf(block: Block): readonly string[] {
  switch (block.kind) {
    case 'text':
    case 'note':
      return [plainText(block.text)];
    case 'list':
      return block.items.map(plainText);
    case 'terms':
      return block.terms.map(([term, meaning]) => `${plainText(term)}: ${plainText(meaning)}`);
    case 'table':
      return block.rows.map((row) => row.map(plainText).join(' '));
    case 'cards':
      return block.cards.map(({ title }) => title);
    case 'params':
      return block.rows.map(({ name, meaning }) => `${name}: ${plainText(meaning)}`);
    case 'fields':
      return fieldNames(block.fields);
    case 'codes':
      return block.codes.map((code) => `${errors[code].status} ${code}`);
    case 'heading':
    case 'code':
    case 'call':
    case 'answer':
    case 'form':
      return [];
  }
}

/** Names alone: meanings of fields are long, and stand on the page that the name leads to. */
const fieldNames = (fields: readonly Field[]): readonly string[] =>
  fields.flatMap(({ name, fields: inner }) => [name, ...fieldNames(inner)]);
