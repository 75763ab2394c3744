// What an endpoint is: one value from which come parameter parsing, the codes it may answer (the compiler
// refuses any other), the shape of its answer, OpenAPI, docs and tests.

import { type DatasetName, datasetsIn } from '../datasets.ts';
import { type ErrorCode, errors } from '../errors.ts';
import type { Release } from '../release/reader.ts';
import type { PoliceApi } from '../upstream/police.ts';
import type { ValuationSite } from '../upstream/valuation/site.ts';
import type { Param, ParamValues } from './params.ts';
import type { JsonSchema, ObjectShape } from './shape.ts';

/** Every endpoint's path is appended to it. */
export const basePath = '/api/v1';

/** Live services that may be asked; none for test keys, and none unless the operator set one. */
export type Upstream = { readonly police?: PoliceApi; readonly valuationSite?: ValuationSite };

export type Context = {
  /** The release that answers this request; it stays the same until the reply. */
  readonly release: Release;
  /** Today in London, as a day number. */
  readonly today: number;
  readonly upstream: Upstream;
  /** Names the dataset that speaks in the X-Data headers instead of the endpoint's first; undefined for none. */
  readonly cite?: (dataset: DatasetName | undefined) => void;
};

export type Refusal<Code extends ErrorCode = ErrorCode> = {
  readonly kind: 'refused';
  readonly code: Code;
  readonly message: string;
  readonly extras: Readonly<Record<string, unknown>>;
};

export function refuse<const Code extends ErrorCode>(
  code: Code,
  message: string = errors[code].message,
  extras: Readonly<Record<string, unknown>> = {},
): Refusal<Code> {
  return { kind: 'refused', code, message, extras };
}

/** How an answer is written; every endpoint has JSON, some also CSV. */
export type Form = 'json' | 'csv';

export type Outcome =
  | { readonly kind: 'answered'; readonly json: string }
  /** Only where CSV was asked for; it stands alone, without envelope. */
  | { readonly kind: 'tabulated'; readonly csv: string }
  | Refusal;

/** A request whose parameters were read. `canonical` is the same for requests that mean the same. */
export type Prepared = {
  readonly kind: 'prepared';
  readonly canonical: string;
  readonly run: (context: Context, form?: Form) => Outcome | Promise<Outcome>;
};

export type Endpoint = {
  readonly path: `/${string}`;
  readonly summary: string;
  readonly description: string;
  readonly credits: number;
  readonly envelope: 'data' | 'top-level';
  readonly unauthorised: 'UNAUTHORIZED' | 'AUTHENTICATION_REQUIRED';
  /** Datasets without which it cannot answer. */
  readonly datasets: readonly [DatasetName, ...DatasetName[]];
  /** Datasets it reads too, each with what it gives: without one that is null, or refused by a code of its own. */
  readonly optionalDatasets?: Readonly<Partial<Record<DatasetName, string>>>;
  /** Datasets that the X-Data headers speak of, where they are loaded, unless another is cited. */
  readonly speakers: readonly DatasetName[];
  readonly maxAgeSeconds: number;
  readonly params: Readonly<Record<string, Param<unknown, ErrorCode>>>;
  /** Every code it may answer, the common ones included. */
  readonly errors: readonly ErrorCode[];
  /** JSON Schema of the answer, without the envelope. */
  readonly answer: JsonSchema;
  readonly example: unknown;
  readonly forms: readonly Form[];
  readonly prepare: (query: URLSearchParams) => Prepared | Refusal;
};

type Definition<P, Code extends ErrorCode, Answer extends object> = {
  readonly path: `/${string}`;
  readonly summary: string;
  readonly description: string;
  readonly credits: number;
  /** `top-level` puts the members of the answer beside `success`; only bank rates do. */
  readonly envelope: 'data' | 'top-level';
  readonly datasets: readonly [DatasetName, ...DatasetName[]];
  readonly optionalDatasets?: Readonly<Partial<Record<DatasetName, string>>>;
  /** Whose date and publisher the X-Data headers tell: those of the first dataset, which is the usual, or of all. */
  readonly dataHeaders?: 'first' | 'all';
  readonly maxAgeSeconds: number;
  readonly params: P;
  /** The endpoint's own table in the contract. */
  readonly errors: readonly Code[];
  readonly answer: ObjectShape<Answer>;
  /** Writes the answer's list as a table, for callers that accept CSV. */
  readonly csv?: (answer: NoInfer<Answer>) => string;
  readonly example: NoInfer<Answer>;
  /** `form` for endpoints whose table needs more than the JSON of the same call. */
  readonly handle: (
    params: ParamValues<P>,
    context: Context,
    form: Form,
  ) => NoInfer<Answer> | Refusal<NoInfer<Code>> | Promise<NoInfer<Answer> | Refusal<NoInfer<Code>>>;
};

/** What every endpoint may answer whatever its own table says: limits, missing data, a bad sandbox outcome. */
const commonErrors = ['INVALID_PARAMETER', 'RATE_LIMITED', 'SERVICE_UNAVAILABLE'] as const;

export function endpoint<
  const Code extends ErrorCode,
  const P extends Readonly<Record<string, Param<unknown, NoInfer<Code> | 'INVALID_PARAMETER'>>>,
  Answer extends object,
>(definition: Definition<P, Code, Answer>): Endpoint {
  const { params, handle, answer, csv, datasets, optionalDatasets = {} } = definition;
  const named = Object.entries(params);
  const names = Object.keys(params).sort();

  const toOutcome = (result: Answer | Refusal, form: Form): Outcome => {
    if (isRefusal(result)) return result;
    if (form === 'csv' && csv !== undefined) return { kind: 'tabulated', csv: csv(result) };
    return { kind: 'answered', json: answer.write(result) };
  };

  return {
    ...definition,
    answer: answer.schema,
    speakers:
      definition.dataHeaders === 'all' ? [...datasets, ...datasetsIn(optionalDatasets)] : [datasets[0]],
    forms: csv === undefined ? ['json'] : ['json', 'csv'],
    unauthorised: definition.errors.some((code) => code === 'UNAUTHORIZED')
      ? 'UNAUTHORIZED'
      : 'AUTHENTICATION_REQUIRED',
    errors: [...new Set<ErrorCode>([...definition.errors, ...commonErrors])].sort(
      (a, b) => errors[a].status - errors[b].status,
    ),
    prepare: (query) => {
      const read = readParams<P>(named, query);
      if (read.kind === 'refused') return read;
      return {
        kind: 'prepared',
        canonical: canonicalQuery(names, read.values),
        run: (context, form = 'json') => {
          const result = handle(read.values, context, form);
          return result instanceof Promise
            ? result.then((answered) => toOutcome(answered, form))
            : toOutcome(result, form);
        },
      };
    },
  };
}

function isRefusal(result: object): result is Refusal {
  return 'kind' in result && result.kind === 'refused';
}

/** Names without a value are left out: every value that is read is one that was sent, or its default. */
function canonicalQuery(names: readonly string[], values: Readonly<Record<string, unknown>>): string {
  let query = '';
  for (const name of names) {
    const value = values[name];
    if (value !== undefined) query += `${name}=${typeof value === 'number' ? value : JSON.stringify(value)}&`;
  }
  return query;
}

function readParams<P extends Readonly<Record<string, Param<unknown, ErrorCode>>>>(
  params: readonly (readonly [name: string, param: Param<unknown, ErrorCode>])[],
  query: URLSearchParams,
): { readonly kind: 'read'; readonly values: ParamValues<P> } | Refusal {
  const values: Record<string, unknown> = {};
  for (const [name, param] of params) {
    const result = param.parse(query.get(name) || undefined);
    if (!result.ok) return refuse(result.code, result.message, { field: name });
    values[name] = result.value;
  }
  // The loop above filled every name of P with what its own parse returned.
  return { kind: 'read', values: values as ParamValues<P> };
}

/** The code this endpoint uses when the release or the ledger cannot be read. */
export function storageFault({ errors: allowed }: Endpoint): ErrorCode {
  return allowed.includes('DATABASE_ERROR') ? 'DATABASE_ERROR' : 'INTERNAL_ERROR';
}

/** The code this endpoint uses for a failure nobody foresaw. */
export function unexpectedFault(endpoint: Endpoint): ErrorCode {
  return endpoint.errors.includes('INTERNAL_SERVER_ERROR') ? 'INTERNAL_SERVER_ERROR' : storageFault(endpoint);
}
