// A call of the API from a page, with the answer or the refusal as a value.

import type { Answers } from './answers.ts';
import { type ApiRefusal, refusalIn } from './refusal.ts';
import { requestApi } from './request.ts';

export type ApiPath = keyof Answers;

/** Those that are undefined or empty are left out. */
export type ApiParams = Readonly<Record<string, string | number | undefined>>;

export type ApiCall<Path extends ApiPath = ApiPath> = { readonly path: Path; readonly params: ApiParams };

export type ApiAnswer<Path extends ApiPath> = {
  readonly kind: 'answered';
  readonly told: Answers[Path];
  readonly charged: number;
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
  requestApi(
    targetOf(call),
    key,
    async (response) => {
      const body = JSON.parse(await response.text());
      const { ok, headers } = response;
      return outcomeOf<Path>({ ok, headers, body, charged: Number(headers.get('x-credits-charged') ?? 0) });
    },
    { signal },
  );

/** How one call was answered, alone or in a batch. */
type Reply = {
  readonly ok: boolean;
  readonly headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: JSON, whose shape the contract promises.
  readonly body: any;
  readonly charged: number;
};

type BatchReply = { readonly kind: 'answered'; readonly replies: readonly Reply[] };

type BatchBody = {
  readonly results: readonly {
    readonly status: number;
    readonly creditsCharged: number;
    readonly headers: Readonly<Record<string, string>>;
    readonly body: Reply['body'];
  }[];
};

/** All of them in one request, in their order. Each is answered and charged by itself; a refusal is one of the whole request. */
export const callBatch = (calls: readonly ApiCall[], key: string): Promise<BatchReply | ApiRefusal> =>
  requestApi(
    '/api/v1/batch',
    key,
    async (response) => {
      const body = JSON.parse(await response.text());
      if (!response.ok) return refusalIn(body, response.headers);
      const { results }: BatchBody = body;
      return {
        kind: 'answered',
        replies: results.map(({ status, creditsCharged, headers, body }) => ({
          ok: status < 300,
          headers: new Headers(headers),
          body,
          charged: creditsCharged,
        })),
      };
    },
    { body: { calls } },
  );

export function outcomeOf<Path extends ApiPath>({ ok, headers, body, charged }: Reply): ApiOutcome<Path> {
  if (!ok) return refusalIn(body, headers);
  // Bank rates have no wrapper.
  const told: Answers[Path] = body.data ?? body;
  return {
    kind: 'answered',
    told,
    charged,
    asOf: headers.get('x-data-as-of'),
    source: headers.get('x-data-source'),
    coverage: headers.get('x-data-coverage'),
  };
}

type ApiTable = { readonly kind: 'table'; readonly csv: Blob };

export const callForTable = (call: ApiCall, key: string): Promise<ApiTable | ApiRefusal> =>
  requestApi(targetOf(call), key, tableIn, { accept: 'text/csv' });

async function tableIn(response: Response): Promise<ApiTable | ApiRefusal> {
  if (!response.ok) return refusalIn(JSON.parse(await response.text()), response.headers);
  return { kind: 'table', csv: await response.blob() };
}
