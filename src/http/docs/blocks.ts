// What a page of the documentation is made of, whether it is read from Markdown or made by the program. Its HTML, its Markdown, the search index and docs/api.md
// all come from these. In text, backticks mark code, `[words](/docs/…)` is a link, two stars are bold, and an error code
// between backticks becomes a link to its page (inline.ts).

import type { Endpoint } from '../../contract/endpoint.ts';
import type { ErrorCode } from '../../errors.ts';
import type { PlanPrice } from '../../ledger/plans.ts';
import type { Field } from './fields.ts';

/** A call that a reader can copy and run; samples.ts writes it for curl, TypeScript and Python. */
export type Call = {
  readonly method: 'GET' | 'POST';
  /** Below /api/v1. */
  readonly path: string;
  readonly params: readonly (readonly [name: string, value: string | number | boolean])[];
  readonly headers: Readonly<Record<string, string>>;
  /** Of a POST. */
  readonly body?: unknown;
};

/** What the call above it is answered. A test sends the call and compares; the member `…` stands for those left out. */
type AnswerShown = {
  readonly status: number;
  /** Those worth seeing, by name. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: { readonly json: unknown } | { readonly text: string };
};

export type ParamRow = {
  readonly name: string;
  readonly required: boolean;
  /** "integer, 1 to 500" */
  readonly value: string;
  readonly fallback: string;
  readonly meaning: string;
};

export type Card = { readonly href: string; readonly title: string; readonly text: string };

export type Block =
  | { readonly kind: 'heading'; readonly text: string; readonly id: string }
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'note'; readonly text: string }
  | { readonly kind: 'list'; readonly items: readonly string[] }
  | { readonly kind: 'terms'; readonly terms: readonly (readonly [term: string, meaning: string])[] }
  | {
      readonly kind: 'table';
      readonly head: readonly string[];
      readonly rows: readonly (readonly string[])[];
    }
  | { readonly kind: 'code'; readonly language: string; readonly code: string }
  | { readonly kind: 'call'; readonly call: Call }
  | ({ readonly kind: 'answer' } & AnswerShown)
  | { readonly kind: 'cards'; readonly cards: readonly Card[] }
  | { readonly kind: 'params'; readonly rows: readonly ParamRow[] }
  | { readonly kind: 'fields'; readonly fields: readonly Field[] }
  | { readonly kind: 'codes'; readonly codes: readonly ErrorCode[] }
  /** Runs the endpoint from the page; nothing in Markdown. */
  | { readonly kind: 'form'; readonly endpoint: Endpoint };

export type DocsPage = {
  readonly path: string;
  readonly title: string;
  /** One or two sentences below the title, in lists of pages and in the search. */
  readonly summary: string;
  /** Small facts beside the title: what a call costs. */
  readonly facts: readonly string[];
  /** The pages above it. */
  readonly trail: readonly (readonly [title: string, href: string])[];
  readonly blocks: readonly Block[];
  /** Stands beside the rest where there is room: request, form and answer of an endpoint. */
  readonly beside: readonly Block[];
};

/** What stands in the examples: the public key where there is one, and where the service is. */
export type Shown = {
  readonly publicKey: string | undefined;
  readonly publicUrl: string | undefined;
  readonly planPrices: readonly PlanPrice[];
};

/** Stands in documents that cannot know where the service runs; pages put their own address there. */
export const exampleOrigin = 'http://127.0.0.1:8080';

const slugOf = (text: string): string =>
  text
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '');

export const heading = (text: string, id = slugOf(text)): Block => ({ kind: 'heading', text, id });
export const text = (words: string): Block => ({ kind: 'text', text: words });
export const note = (words: string): Block => ({ kind: 'note', text: words });
export const list = (...items: readonly string[]): Block => ({ kind: 'list', items });
export const terms = (...all: readonly (readonly [term: string, meaning: string])[]): Block => ({
  kind: 'terms',
  terms: all,
});
export const table = (head: readonly string[], rows: readonly (readonly string[])[]): Block => ({
  kind: 'table',
  head,
  rows,
});

export const guidePath = (name: string): string => `/docs/guides/${name}`;
