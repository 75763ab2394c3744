// The marks within a sentence of the documentation, read once for HTML, Markdown and plain text.

import { isErrorCode } from '../../errors.ts';

export type Inline =
  | { readonly kind: 'plain' | 'code' | 'strong'; readonly text: string }
  | { readonly kind: 'link'; readonly href: string; readonly inside: readonly Inline[] };

/** Links lead to pages of the service itself, and to nothing else. */
const marks = /\[((?:[^\]`]|`[^`]*`)+)\]\(((?:\/(?!\/)|#)[^)\s]*)\)|`([^`]*)`|\*\*([^*]+)\*\*/g;

export const errorPath = (code: string): string => `/docs/errors/${code}`;

export function inlineOf(text: string): readonly Inline[] {
  const found: Inline[] = [];
  let end = 0;
  for (const { 0: mark, 1: label, 2: href, 3: code, 4: strong, index } of text.matchAll(marks)) {
    if (index > end) found.push({ kind: 'plain', text: text.slice(end, index) });
    if (label !== undefined && href !== undefined)
      found.push({ kind: 'link', href, inside: unlinked(label) });
    else if (strong !== undefined) found.push({ kind: 'strong', text: strong });
    else if (code !== undefined) found.push(codeOf(code));
    end = index + mark.length;
  }
  if (end < text.length) found.push({ kind: 'plain', text: text.slice(end) });
  return found;
}

const codeOf = (text: string): Inline =>
  isErrorCode(text)
    ? { kind: 'link', href: errorPath(text), inside: [{ kind: 'code', text }] }
    : { kind: 'code', text };

function unlinked(label: string): readonly Inline[] {
  return label
    .split('`')
    .map((text, place): Inline => ({ kind: place % 2 === 0 ? 'plain' : 'code', text }))
    .filter((part) => part.kind === 'link' || part.text !== '');
}

/** As a reader hears it. */
export const plainText = (text: string): string => inlineOf(text).map(wordsOf).join('');

const wordsOf = (part: Inline): string =>
  part.kind === 'link' ? part.inside.map(wordsOf).join('') : part.text;
