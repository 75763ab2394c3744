// What the API refuses a page, with a sentence for its reader.

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
  /** The dataset that the service would need and does not have. */
  readonly dataset?: string;
};

type ErrorBody = {
  readonly error?: Pick<ApiRefusal, 'code' | 'message' | 'terminated' | 'nearest' | 'dataset'> & {
    readonly requestId?: string;
  };
};

export function refusalIn({ error }: ErrorBody, headers: Headers): ApiRefusal {
  if (error === undefined) return unreachable;
  return {
    kind: 'refused',
    code: error.code,
    // The service's own words are for whoever calls it.
    message:
      error.dataset === undefined
        ? error.message
        : `The dataset “${error.dataset}” is not loaded on this service.`,
    retryAfterSeconds: numberIn(headers.get('retry-after')),
    requestId: error.requestId ?? null,
    ...(error.terminated === undefined ? {} : { terminated: error.terminated }),
    ...(error.nearest === undefined ? {} : { nearest: error.nearest }),
    ...(error.dataset === undefined ? {} : { dataset: error.dataset }),
  };
}

export const numberIn = (text: string | null): number | undefined =>
  text === null ? undefined : Number(text);

export const unreachable: ApiRefusal = {
  kind: 'refused',
  code: 'UNREACHABLE',
  message: 'The service did not answer. Check your connection, then try again.',
  retryAfterSeconds: undefined,
  requestId: null,
};
