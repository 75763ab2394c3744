// What a reply leaves for whoever keeps lists of requests.

import type { ErrorCode } from '../errors.ts';
import type { Caller } from '../ledger/ledger.ts';

/** A call that was answered, by itself or in a batch. */
export type AnsweredCall = {
  /** One of the contract's paths, or `other`. */
  readonly endpoint: string;
  readonly status: number;
  /** Of a refusal. */
  readonly code: ErrorCode | undefined;
  readonly creditsCharged: number;
  /** As a query; undefined where there are none to be read. */
  readonly parameters: string | undefined;
};

export type AnsweredRequest = AnsweredCall & {
  readonly requestId: string;
  readonly atMs: number;
  readonly seconds: number;
  /** Undefined where no key was known. */
  readonly caller: Caller | undefined;
  /** Of a batch that was answered call by call: they are what is listed. */
  readonly calls: readonly AnsweredCall[] | undefined;
};

/** Nobody waits for it: to note a request is to put it on a list. */
export type RequestNotes = { note(request: AnsweredRequest): void };
