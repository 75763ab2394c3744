// A call of the API from a page, with the answer or the refusal as a value.

import type { Answers } from './answers.ts';
import { type ApiRefusal, numberIn, refusalIn } from './refusal.ts';
import { requestApi } from './request.ts';

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

export const callApi = <Path extends ApiPath>(
  call: ApiCall<Path>,
  key: string,
  signal?: AbortSignal,
): Promise<ApiOutcome<Path>> =>
  requestApi(targetOf(call), key, (response) => outcomeOf<Path>(response), { signal });

async function outcomeOf<Path extends ApiPath>(response: Response): Promise<ApiOutcome<Path>> {
  const body = JSON.parse(await response.text());
  const { ok, headers } = response;
  if (!ok) return refusalIn(body, headers);
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
}
