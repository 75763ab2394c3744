// The pages that are written by hand, docs/guides/*.md and the changelog, and what `{{name}}` stands for in them.

import { readFile } from 'node:fs/promises';
import { batchBounds } from '../../contract/batch.ts';
import type { Endpoint } from '../../contract/endpoint.ts';
import { samplePlaces } from '../../contract/examples.ts';
import { planNames, plans } from '../../ledger/plans.ts';
import { againRows } from './again.ts';
import {
  type Block,
  type DocsPage,
  exampleOrigin,
  guidePath,
  heading,
  list,
  note,
  type Shown,
  table,
  terms,
  text,
} from './blocks.ts';
import { endpointTable, referencePath } from './reference.ts';

/** In the order of the contents. */
export const guideNames: readonly string[] = [
  'keys',
  'credits',
  'errors',
  'caching',
  'paging',
  'batch',
  'csv',
  'browsers',
  'typed-clients',
  'coverage',
  'licences',
  'operators',
];

type WrittenPages = {
  readonly start: DocsPage;
  readonly guides: readonly DocsPage[];
  readonly reference: DocsPage;
};

const guideFile = (name: string): string => `docs/guides/${name}.md`;

export async function readGuides(endpoints: readonly Endpoint[], shown: Shown): Promise<WrittenPages> {
  const values = valuesOf(endpoints, shown);
  const guides = await Promise.all(
    guideNames.map((name) => readPage(guideFile(name), guidePath(name), values)),
  );
  const cards: Block = {
    kind: 'cards',
    cards: guides.map(({ path, title, summary }) => ({ href: path, title, text: summary })),
  };
  return {
    start: { ...(await readPage(guideFile('start'), '/docs', { ...values, guides: cards })), trail: [] },
    guides,
    reference: await readPage(guideFile('reference'), referencePath, values),
  };
}

export const changelogPath = '/docs/changelog';
export const readChangelog = (): Promise<DocsPage> => readPage('CHANGELOG.md', changelogPath, {});

// Reads the Markdown that the guides and the changelog are written in: headings of the second level, paragraphs, lists, tables,
// quotes (shown as notes) and fenced code. Beyond that a guide has four things:
//
// - `## Title {#name}` gives a heading an anchor of its own.
// - A list whose items all begin with code and a colon is shown as terms and their meanings.
// - A fence ```call is a call that a reader can run: method, path and query, then headers, an empty line and the JSON body. A fence
//   ```answer is what it is answered: status and headers where they are worth seeing, an empty line, and the body.
// - `{{name}}` stands for what only the program knows: a word, or on a line of its own a table. A paragraph that names
//   something this service does not have is left out.
//
// HTML has no meaning: it is shown as it is written.

/** What `{{name}}` stands for; undefined for what this service does not have. */
type Values = Readonly<Record<string, string | Block | undefined>>;

/** A fence, a list with the lines that its items go on in, a heading, or lines up to an empty one. */
const part = /^```[\s\S]*?^```$|^(?:(?:- | {2}).*\n*)+|^## .*$|^\S.*(?:\n(?!- |## |```)\S.*)*/gm;

const placeholder = /\{\{([^{}]+)\}\}/g;

export function blocksOf(markdown: string, values: Values = {}): readonly Block[] {
  return [...markdown.matchAll(part)].flatMap(([found]) => {
    const named = [...found.matchAll(placeholder)].map(([, name = '']) => valueNamed(name, values));
    if (named.includes(undefined)) return [];
    const [first] = named;
    if (typeof first === 'object') return [first];
    return [blockOf(found.replaceAll(placeholder, (_, name: string) => String(values[name])).trim())];
  });
}

function valueNamed(name: string, values: Values): Values[string] {
  if (!Object.hasOwn(values, name)) throw new Error(`A page names {{${name}}}, which nothing stands for.`);
  return values[name];
}

function blockOf(words: string): Block {
  const [, language, code = ''] = /^```(\w*)\n([\s\S]*?)\n?```$/.exec(words) ?? [];
  if (language === 'call') return callOf(code);
  if (language === 'answer') return answerOf(code);
  if (language !== undefined) return { kind: 'code', language, code };
  if (words.startsWith('- ')) return listOf(words.slice(2).split(/\n+- /).map(inOneLine));
  if (words.startsWith('|')) return tableOf(words);
  if (words.startsWith('> ')) return note(inOneLine(words.replaceAll(/^> /gm, '')));
  const [, title, anchor] = /^## (.+?)(?: \{#([\w-]+)\})?$/.exec(words) ?? [];
  return title === undefined ? text(inOneLine(words)) : heading(title, anchor);
}

const inOneLine = (words: string): string => words.trim().replaceAll(/\n\s*/g, ' ');

function listOf(items: readonly string[]): Block {
  const split = items.map((item) => /^(`[^`]+`(?:, `[^`]+`)*): (.+)$/.exec(item));
  return split.includes(null)
    ? list(...items)
    : terms(...split.map((found): [string, string] => [found?.[1] ?? '', found?.[2] ?? '']));
}

function tableOf(words: string): Block {
  const [head = [], , ...rows] = words.split('\n').map((line) =>
    line
      .slice(1, -1)
      .split(/(?<!\\)\|/)
      .map((cell) => cell.trim().replaceAll('\\|', '|')),
  );
  return table(head, rows);
}

const headersOf = (lines: string): Readonly<Record<string, string>> =>
  Object.fromEntries(
    [...lines.matchAll(/^([^:\n]+): (.*)$/gm)].map(([, name = '', value = '']) => [name, value]),
  );

function callOf(code: string): Block {
  const [, method, path = '', query, headers = '', body] =
    /^(GET|POST) ([^?\n]+)(?:\?(.*))?((?:\n.+)*)(?:\n\n([\s\S]+))?$/.exec(code) ?? [];
  const params = [...new URLSearchParams(query)].map(
    ([name, value]) => [name, /^\d+$/.test(value) ? Number(value) : value] as const,
  );
  const call = { path, params, headers: headersOf(headers) };
  if (method === 'GET') return { kind: 'call', call: { method, ...call } };
  if (method === 'POST') return { kind: 'call', call: { method, ...call, body: JSON.parse(body ?? '') } };
  throw new Error(`A page has a call without method and path: ${code}`);
}

function answerOf(code: string): Block {
  const [, status = '200', headers = '', body = code] = /^(\d{3})((?:\n.+)*)\n\n([\s\S]*)$/.exec(code) ?? [];
  return {
    kind: 'answer',
    status: Number(status),
    headers: headersOf(headers),
    body: body.startsWith('{') ? { json: JSON.parse(body) } : { text: body },
  };
}

/** A page begins with its title and a paragraph that sums it up. */
async function readPage(file: string, path: string, values: Values): Promise<DocsPage> {
  const written = await readFile(new URL(`../../../${file}`, import.meta.url), 'utf8');
  const reachable = written
    // Other files of the checkout cannot be reached from a page: their names stay.
    .replaceAll(/\[([^\]]+)\]\((?![/#])[^)]*\)/g, '$1')
    // Files lead to each other by `.md`; the addresses of pages have none, and markdown.ts puts it back.
    .replaceAll(/\]\((\/docs\/[\w/-]+)\.md(?=[#)])/g, ']($1');
  const [, title = '', rest = ''] = /^# (.+)\n([\s\S]*)$/.exec(reachable) ?? [];
  const [opening, ...blocks] = blocksOf(rest, values);
  if (opening?.kind !== 'text') throw new Error(`${file} does not begin with a title and a paragraph.`);
  const trail = [['Documentation', '/docs']] as const;
  return { path, title, summary: opening.text, facts: [], trail, blocks, beside: [] };
}

function valuesOf(endpoints: readonly Endpoint[], shown: Shown): Values {
  const { publicKey, publicUrl = exampleOrigin } = shown;
  return {
    base: publicUrl,
    key: publicKey ?? 'dd_test_…',
    'public key on': publicKey === undefined ? undefined : '',
    'public key off': publicKey === undefined ? '' : undefined,
    'sandbox calls': String(plans.basic.limits.minute ?? 'any number of'),
    'sample places': samplePlaces.map(([postcode, town]) => `\`${postcode}\` (${town})`).join(', '),
    'batch calls': String(batchBounds.callsMost),
    'batch kB': String(batchBounds.bodyBytesMax / 2 ** 10),
    'batch MB': String(batchBounds.answerBytesMax / 2 ** 20),
    'batch seconds': String(batchBounds.secondsMost),
    endpoints: endpointTable(endpoints),
    plans: planTable(shown.planPrices),
    retries: table(['Status', 'Send it again?'], againRows()),
  };
}

function planTable(prices: Shown['planPrices']): Block {
  const number = (value: number | null) => (value === null ? 'by agreement' : value.toLocaleString('en-GB'));
  const rows = planNames.map((name) => {
    const { limits, allowance, renewal } = plans[name];
    const granted = renewal === 'monthly' ? 'a month' : 'once';
    const priced = prices.find(({ plan }) => plan === name);
    return [
      name.charAt(0).toUpperCase() + name.slice(1),
      number(limits.minute),
      number(limits.day),
      number(limits.month),
      allowance === null ? number(null) : `${number(allowance)} ${granted}`,
      ...(prices.length === 0 ? [] : [priced === undefined ? '' : priceText(priced)]),
    ];
  });
  const titles = ['Plan', 'Calls a minute', 'Calls a day', 'Calls a month', 'Credits'];
  return table(prices.length === 0 ? titles : [...titles, 'Price'], rows);
}

/** Pages here link to none elsewhere: the address is told as it is. */
const priceText = ({ price, link }: Shown['planPrices'][number]): string =>
  link === null ? price : `${price} (\`${link}\`)`;
