// One question and its answer, without redirects, manners or repetitions. There are two ways: the web (http-wire.ts) and a
// folder that holds copies (folder-wire.ts).

import type { TransferFailed } from './failure.ts';

export type Question = {
  /** Where a mirror is asked, the publisher's all the same. */
  readonly address: URL;
  readonly headers: Readonly<Record<string, string>>;
  /** Of the publication. A mirror's redirect is understood with them. */
  readonly hosts: readonly string[];
  /** Ends the question, and its answer too while that is being read. */
  readonly signal: AbortSignal;
};

export type Reply = {
  readonly status: number;
  /** Undefined where it is lacking. The name in small letters. */
  readonly header: (name: string) => string | undefined;
  /** Of a redirect: the publisher's address that it leads to. */
  readonly leadsTo: URL | undefined;
  /** To be read once, or discarded. */
  readonly body: AsyncIterable<Uint8Array>;
  readonly discard: () => void;
};

export type Wire = {
  /** Why an address may not be asked: a redirect may lead anywhere. */
  readonly refusal: (address: URL, hosts: readonly string[]) => TransferFailed | undefined;
  /** Who has to put right what is missing. */
  readonly asks: 'the publisher' | 'a mirror';
  /** Throws TransferFailed where there is no answer. */
  readonly ask: (question: Question) => Promise<Reply>;
  /** Closes connections that are kept for the next question. */
  readonly close: () => void;
};
