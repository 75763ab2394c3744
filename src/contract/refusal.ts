// A refusal: a code of the error table, with a sentence and members of its own.

import { type ErrorCode, errors } from '../errors.ts';

export type Refusal<Code extends ErrorCode = ErrorCode> = {
  readonly kind: 'refused';
  readonly code: Code;
  readonly message: string;
  /** More members of the error object. */
  readonly extras: Readonly<Record<string, unknown>>;
  /** Sent as Retry-After. Nothing is sent for what waiting cannot cure, such as data that is not loaded. */
  readonly retrySeconds?: number | 'never';
};

/** Without a message, the one of the error table. */
export function refuse<const Code extends ErrorCode>(
  code: Code,
  message: string = errors[code].message,
  extras: Readonly<Record<string, unknown>> = {},
): Refusal<Code> {
  return { kind: 'refused', code, message, extras };
}
