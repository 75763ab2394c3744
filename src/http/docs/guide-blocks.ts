// What the words of the documentation are made of. Text between backticks is code; an error code between backticks becomes
// a link to its page.

export type GuideBlock =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'code'; readonly language: 'sh' | 'json' | 'text'; readonly code: string }
  | { readonly kind: 'terms'; readonly terms: readonly (readonly [term: string, meaning: string])[] };

export type GuideSection = {
  readonly id: string;
  readonly title: string;
  readonly blocks: readonly GuideBlock[];
};

/** Stands in documents that cannot know where the service runs; pages put their own address there. */
export const exampleOrigin = 'http://127.0.0.1:8080';

export const text = (words: string): GuideBlock => ({ kind: 'text', text: words });
export const terms = (...list: readonly (readonly [string, string])[]): GuideBlock => ({
  kind: 'terms',
  terms: list,
});
export const json = (value: unknown): GuideBlock => ({
  kind: 'code',
  language: 'json',
  code: JSON.stringify(value, null, 2),
});

/** What stands in the examples: the public key where there is one, and where the service is. */
export type Shown = { readonly publicKey: string | undefined; readonly publicUrl: string | undefined };
