// What the search of the pages looks through: every part of every page as plain words. Fetched by web/docs/search.js when
// somebody is about to type.

import { errors } from '../../errors.ts';
import type { Block, DocsPage } from './blocks.ts';
import type { Field } from './fields.ts';
import { plainText } from './inline.ts';

/** A part of a page: address, title of the page, title of the part (empty for its opening), and the words in it. */
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
