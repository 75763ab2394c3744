// What kinds of keys there are, in the words of whoever has to choose.

import type { Routes } from '../../../src/portal/routes.ts';
import type { KeyView } from '../../../src/portal/views.ts';

export type MadeKind = Routes['POST /portal/accounts/:accountId/keys']['takes']['kind'];

export const kinds = [
  {
    value: 'live',
    label: 'Live',
    hint: 'For your server. Answers from the real data and spends credits. Keep it secret.',
  },
  { value: 'test', label: 'Test', hint: 'Free. Answers from a made-up town, for tests and development.' },
  {
    value: 'publishable',
    label: 'Publishable',
    hint: 'For a web page: anybody can read it there, so it answers only pages of the origins you name. Spends credits.',
  },
] as const satisfies readonly { readonly value: MadeKind; readonly label: string; readonly hint: string }[];

export const kindText = (kind: KeyView['kind']): string =>
  kinds.find(({ value }) => value === kind)?.label ?? kind;

/** One in each line, as people type lists. */
export const linesOf = (text: string): readonly string[] =>
  text
    .split(/[\n,]/)
    .map((line) => line.trim())
    .filter((line) => line !== '');
