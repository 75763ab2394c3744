// The pages that are written by hand, docs/guides/*.md and the changelog, and what `{{name}}` stands for in them.

import { readFile } from 'node:fs/promises';
import { batchBounds } from '../../contract/batch.ts';
import type { Endpoint } from '../../contract/endpoint.ts';
import { samplePlaces } from '../../contract/examples.ts';
import { planNames, plans } from '../../ledger/plans.ts';
import { againRows } from './again.ts';
import { type Block, type DocsPage, exampleOrigin, guidePath, type Shown, table } from './blocks.ts';
import { blocksOf, type Values } from './read-markdown.ts';
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
    plans: planTable(),
    retries: table(['Status', 'Send it again?'], againRows()),
  };
}

function planTable(): Block {
  const number = (value: number | null) => (value === null ? 'by agreement' : value.toLocaleString('en-GB'));
  const rows = planNames.map((name) => {
    const { limits, allowance, renewal } = plans[name];
    const granted = renewal === 'monthly' ? 'a month' : 'once';
    return [
      name.charAt(0).toUpperCase() + name.slice(1),
      number(limits.minute),
      number(limits.day),
      number(limits.month),
      allowance === null ? number(null) : `${number(allowance)} ${granted}`,
    ];
  });
  return table(['Plan', 'Calls a minute', 'Calls a day', 'Calls a month', 'Credits'], rows);
}
