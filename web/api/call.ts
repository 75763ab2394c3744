// A call of the API from a page, as any client makes it: by a key, with the answer or the refusal as a value.

import type { Answers } from './answers.ts';

export type ApiPath = keyof Answers;

/** Those that are undefined or empty are left out. */
export type ApiParams = Readonly<Record<string, string | number | undefined>>;

export type ApiCall<Path extends ApiPath = ApiPath> = { readonly path: Path; readonly params: ApiParams };

export type ApiAnswer<Path extends ApiPath> = {
  readonly kind: 'answered';
  readonly told: Answers[Path];
  readonly charged: number;
  /** Undefined where the reply does not say. */
  readonly remaining: number | undefined;
  /** X-Data-As-Of, X-Data-Source, X-Data-Coverage. */
  readonly asOf: string | null;
  readonly source: string | null;
  readonly coverage: string | null;
};

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
};

export type ApiOutcome<Path extends ApiPath> = ApiAnswer<Path> | ApiRefusal;

/** Path and query: `/api/v1/bank-rates?limit=1`. Calls that mean the same have the same. */
export function targetOf({ path, params }: ApiCall): string {
  const query = new URLSearchParams(
    Object.entries(params).flatMap(([name, value]) =>
      value === undefined || value === '' ? [] : [[name, String(value)]],
    ),
  ).toString();
  return `/api/v1${path}${query === '' ? '' : `?${query}`}`;
}

export async function callApi<Path extends ApiPath>(
  call: ApiCall<Path>,
  key: string,
  signal?: AbortSignal,
): Promise<ApiOutcome<Path>> {
  try {
    // No cookie goes with it: what it spends, the key allows.
    const response = await fetch(targetOf(call), {
      headers: { 'x-api-key': key },
      credentials: 'omit',
      signal: signal ?? null,
    });
    const body = JSON.parse(await response.text());
    const { headers } = response;
    if (!response.ok) return refusalIn(body, headers);
    // Bank rates have no wrapper.
    const told: Answers[Path] = body.data ?? body;
    return {
      kind: 'answered',
      told,
      charged: Number(headers.get('x-credits-charged') ?? 0),
      remaining: numberIn(headers.get('x-credits-remaining')),
      asOf: headers.get('x-data-as-of'),
      source: headers.get('x-data-source'),
      coverage: headers.get('x-data-coverage'),
    };
  } catch (fault) {
    if (signal?.aborted === true) return unreachable;
    if (fault instanceof TypeError || fault instanceof SyntaxError) return unreachable;
    throw fault;
  }
}

type ErrorBody = {
  readonly error?: Pick<ApiRefusal, 'code' | 'message' | 'terminated' | 'nearest'> & {
    readonly requestId?: string;
  };
};

export function refusalIn({ error }: ErrorBody, headers: Headers): ApiRefusal {
  if (error === undefined) return unreachable;
  return {
    kind: 'refused',
    code: error.code,
    message: error.message,
    retryAfterSeconds: numberIn(headers.get('retry-after')),
    requestId: error.requestId ?? null,
    ...(error.terminated === undefined ? {} : { terminated: error.terminated }),
    ...(error.nearest === undefined ? {} : { nearest: error.nearest }),
  };
}

const numberIn = (text: string | null): number | undefined => (text === null ? undefined : Number(text));

export const unreachable: ApiRefusal = {
  kind: 'refused',
  code: 'UNREACHABLE',
  message: 'The service did not answer. Check your connection, then try again.',
  retryAfterSeconds: undefined,
  requestId: null,
};
