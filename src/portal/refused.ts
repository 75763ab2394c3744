// Refusals of the pages' interface: the code decides the status, the message says what to do.

import type { Refusal } from '../people/people.ts';
import type { PortalCode } from './contract.ts';

type More = { readonly field?: string; readonly retryAfterSeconds?: number };

export const refused = (code: PortalCode, message: string, more: More = {}): Refusal => ({
  kind: 'refused',
  code,
  message,
  ...more,
});

export const statusOf: Readonly<Record<PortalCode, number>> = {
  INVALID: 400,
  SIGN_IN: 401,
  WRONG_CREDENTIALS: 401,
  NOT_ALLOWED: 403,
  NOT_FOUND: 404,
  OTHER_METHOD: 405,
  CONFLICT: 409,
  TOO_LARGE: 413,
  TOO_MANY: 429,
  UNAVAILABLE: 503,
  FAULT: 500,
};

/** The same for what is not there and for what is another's. */
export const notFound = (): Refusal =>
  refused('NOT_FOUND', 'There is nothing here, or it is not yours to see; go back to your accounts.');
