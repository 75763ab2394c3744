// What the API refuses a page, with a sentence for its reader.

import { wordsFor } from './refusal-words.ts';

export type ApiRefusal = {
  readonly kind: 'refused';
  /** `UNREACHABLE`: no reply came at all, or none that this page understands. */
  readonly code: string;
  readonly message: string;
  readonly retryAfterSeconds: number | undefined;
  readonly requestId: string | null;
  /** Of a postcode that was withdrawn: the month, and those in use nearest to where it was. */
  readonly terminated?: string;
  readonly nearest?: readonly { readonly postcode: string; readonly distanceMetres: number }[];
  /** Of several that a code can have. */
  readonly reason?: string;
  /** The dataset that the service would need and does not have. */
  readonly dataset?: string;
  /** The parameter that is to blame. */
  readonly field?: string;
};

type ErrorBody = {
  readonly error?: Omit<ApiRefusal, 'kind' | 'retryAfterSeconds' | 'requestId'> & {
    readonly requestId?: string;
    readonly policeForce?: string;
  };
};

export function refusalIn({ error }: ErrorBody, headers: Headers): ApiRefusal {
  if (error === undefined) return unreachable;
  const retryAfter = headers.get('retry-after');
  return {
    kind: 'refused',
    code: error.code,
    message: wordsFor(error),
    retryAfterSeconds: retryAfter === null ? undefined : Number(retryAfter),
    requestId: error.requestId ?? null,
    ...(error.terminated === undefined ? {} : { terminated: error.terminated }),
    ...(error.nearest === undefined ? {} : { nearest: error.nearest }),
    ...(error.reason === undefined ? {} : { reason: error.reason }),
    ...(error.dataset === undefined ? {} : { dataset: error.dataset }),
    ...(error.field === undefined ? {} : { field: error.field }),
  };
}

export const unreachable: ApiRefusal = {
  kind: 'refused',
  code: 'UNREACHABLE',
  message: 'The service did not answer. Check your connection, then try again.',
  retryAfterSeconds: undefined,
  requestId: null,
};
