// Whether a call that got an error is worth sending again: one answer a code, for the page of the code and for the table of the
// guide, so that the two cannot differ.

import { type ErrorCode, errorCodes, errors } from '../../errors.ts';

const onlyChanged = 'Only if you change it. The same call gets the same answer';
const ifTold =
  'If the reply has `Retry-After`, wait that many seconds and send it again. If it has none, waiting does not help.';

/** Codes whose status alone does not tell. */
const own: Partial<Readonly<Record<ErrorCode, string>>> = {
  NOT_FOUND: `${onlyChanged}.`,
  KEY_NOT_ALLOWED: 'Only with another key, or from where this key is allowed.',
  ACCOUNT_SUSPENDED:
    'Only once the operator has resumed the account. Its other keys get the same answer until then.',
  CANDIDATE_LOOKUP_FAILED: ifTold,
  POLICE_API_ERROR: 'Yes, after a moment.',
  BATCH_EXHAUSTED: 'Yes, at once: in another batch, or by itself.',
};

const byStatus: Readonly<Record<number, string>> = {
  401: 'Yes, with a valid key in `X-API-Key`. The same key gets the same answer.',
  402: 'Yes, once the account has credits again. `X-Credits-Remaining` says how many it has.',
  404: `${onlyChanged} until other data is loaded.`,
  408: 'Yes, after a moment. If it goes on, report it with the request id.',
  429: 'Yes, after the seconds in `Retry-After`.',
  500: 'Yes, after a moment. If it goes on, report it with the request id.',
  503: ifTold,
};

export const againWords = (code: ErrorCode): string =>
  own[code] ?? byStatus[errors[code].status] ?? `${onlyChanged}.`;

/** Every code once: statuses as their codes have them, and what to do. */
export function againRows(): readonly (readonly [statuses: string, words: string])[] {
  const groups = [...Map.groupBy(byNumber(errorCodes), againWords)];
  return groups.map(([words, codes]) => {
    const statuses = [...Map.groupBy(codes, (code) => errors[code].status)];
    return [statuses.map(([status, some]) => statusText(status, some)).join(', '), words];
  });
}

const byNumber = (codes: readonly ErrorCode[]) =>
  codes.toSorted((a, b) => errors[a].status - errors[b].status);

/** Codes are named where their status has others too. */
function statusText(status: number, codes: readonly ErrorCode[]): string {
  const others = errorCodes.filter((code) => errors[code].status === status && !codes.includes(code));
  if (others.length === 0) return String(status);
  return others.length < codes.length ? `${status} except ${named(others)}` : `${status} ${named(codes)}`;
}

const named = (codes: readonly ErrorCode[]): string => codes.map((code) => `\`${code}\``).join(' and ');
