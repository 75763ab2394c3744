// The answers of the API as types, those that its endpoints write by: a page knows no more of the API than any other client does.

import type { Static } from '../../src/contract/shape.ts';
import type { endpoints } from '../../src/endpoints/index.ts';

/** What an endpoint answers, without the envelope. */
export type Answers = {
  readonly [E in (typeof endpoints)[number] as E['path']]: Sent<Static<E['answer']>>;
};

/** An endpoint may write a list from the columns of a release; what is sent is the list. */
type Sent<T> =
  Extract<T, readonly unknown[]> extends never
    ? { readonly [Name in keyof T]: Sent<T[Name]> }
    : Extract<T, readonly unknown[] | null | undefined>;
