// The changelog as a page: CHANGELOG.md of the checkout, read as the little Markdown that it is written in.

import { readFile } from 'node:fs/promises';
import { type Block, type DocsPage, heading, list, text } from './blocks.ts';

export const changelogPath = '/docs/changelog';

export async function changelogPage(): Promise<DocsPage> {
  const written = await readFile(new URL('../../../CHANGELOG.md', import.meta.url), 'utf8');
  return {
    path: changelogPath,
    title: 'Changelog',
    summary: 'Every change that you can notice, newest version first.',
    facts: [],
    trail: [['Documentation', '/docs']],
    blocks: changelogBlocks(written),
    beside: [],
  };
}

/** Titles of versions, paragraphs and lists; a line that begins with a space goes on with the item above it. */
function changelogBlocks(markdown: string): readonly Block[] {
  const parts = markdown.split(/\n{2,}|\n(?=## |- )/).map((part) => part.trim());
  const blocks: Block[] = [];
  let items: string[] = [];
  const endList = () => {
    if (items.length > 0) blocks.push(list(...items));
    items = [];
  };
  for (const part of parts) {
    const words = withoutOutsideLinks(part.replace(/\s*\n\s*/g, ' '));
    if (part.startsWith('- ')) {
      items.push(words.slice(2));
      continue;
    }
    endList();
    if (part.startsWith('## ')) blocks.push(heading(words.slice(3)));
    else if (part !== '' && !part.startsWith('# ')) blocks.push(text(words));
  }
  endList();
  return blocks;
}

/** Files of the checkout cannot be reached from a page: their names stay. */
const withoutOutsideLinks = (words: string): string =>
  words.replace(/\[([^\]]+)\]\((?!\/docs)([^)]*)\)/g, '$1');
