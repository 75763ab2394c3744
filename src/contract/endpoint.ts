// What an endpoint is: one value from which come its route, its cost, parameter parsing, the codes it may answer (the
// compiler refuses any other), the shape of its answer, OpenAPI, docs and tests.

import type { DatasetName } from '../datasets.ts';
import { type ErrorCode, errors } from '../errors.ts';
import type { Release } from '../release/reader.ts';
import type { ValuationSite } from '../upstream/valuation-site.ts';
import type { OwnAccount } from './account.ts';
import { type CsvTable, type OwnTables, tableOf } from './csv.ts';
import { type Input, type Method, refuseNames, refuseNoText, textOf } from './input.ts';
import type { Need } from './needs.ts';
import type { Param, ParamFault, ParamValues } from './params.ts';
import { type Refusal, refuse } from './refusal.ts';
import type { ObjectShape } from './shape.ts';
import { whenThere } from './when-there.ts';

/** Every endpoint's path is appended to it. */
export const basePath = '/api/v1';

export type Context = {
  /** The release that answers this request; it stays the same until the reply. */
  readonly release: Release;
  /** Today in London, as a day number. */
  readonly today: number;
  /** The public valuation site as the caller's account asks it; absent for test keys, and unless the operator has switched it
   *  on. */
  readonly valuationSite?: ValuationSite | undefined;
  /** Of whoever asks, for endpoints that rest on no dataset: what it tells is never kept. Absent where nobody asks, as when
   *  a look-up is measured. */
  readonly account?: OwnAccount;
};

/** How an answer is written. */
export type Form = 'json' | 'csv';

/** What the data behind a reply lacks: a part of what was asked for, or all of it; and why. */
type Shortage = { readonly extent: 'partial' | 'none'; readonly why: string };

/** What a reply rests on, and so whether it is paid for. */
export type Grounds = {
  /** Datasets that the X-Data headers speak of; none where a live service told the answer. */
  readonly datasets: readonly DatasetName[];
  /** For X-Data-Source, where the answer is of one publisher and its dataset of several. */
  readonly publisher: string | undefined;
  /** For X-Data-As-Of, where the answer is of a piece of its datasets that has a day of its own. */
  readonly asOf: string | undefined;
  /** Text for X-Data-Coverage, which is plain ASCII; that a dataset is a sample is added by itself. */
  readonly shortage: string | undefined;
  /** `free` where the data cannot have an answer, so that an empty one is no service. */
  readonly charge: 'usual' | 'free';
};

export type Answer = (
  | { readonly kind: 'answered'; readonly json: string }
  /** Only where CSV was asked for; it stands alone, without envelope. */
  | { readonly kind: 'tabulated'; readonly csv: string }
) & {
  readonly grounds: Grounds;
  /** Path and query of the page after this one, below the base path; absent where there is none. */
  readonly nextPage?: string;
};

/** A refusal rests on the endpoint's usual grounds unless it says otherwise. */
export type Outcome = Answer | (Refusal & { readonly grounds?: Grounds });

/** How a result's grounds differ from the usual ones of its endpoint. */
type Qualification = {
  readonly datasets?: readonly DatasetName[];
  readonly publisher?: string;
  readonly asOf?: string | undefined;
  readonly shortage?: Shortage | undefined;
  readonly charge?: 'free';
};

type Qualified<Result> = Qualification & { readonly kind: 'qualified'; readonly result: Result };

/** A result that rests on other datasets than usual or on one publisher of several, lacks a part, costs nothing, or is not the last page. */
export const qualify = <Result>(qualification: Qualification, result: Result): Qualified<Result> => ({
  ...qualification,
  kind: 'qualified',
  result,
});

/** A request whose parameters were read. `canonical` is the same for requests that mean the same. */
export type Prepared = {
  readonly kind: 'prepared';
  readonly canonical: string;
  readonly run: (context: Context, form?: Form) => Outcome | Promise<Outcome>;
};

export type Endpoint = {
  readonly method: Method;
  readonly path: `/${string}`;
  readonly summary: string;
  readonly description: string;
  readonly credits: number;
  /** When a successful call costs nothing; undefined where it always costs `credits`. */
  readonly freeWhere?: string;
  readonly envelope: 'data' | 'top-level';
  readonly unauthorised: 'UNAUTHORIZED' | 'AUTHENTICATION_REQUIRED';
  /** Datasets without which it cannot answer; none where it tells of the caller's account. */
  readonly datasets: readonly DatasetName[];
  /** What its answers lack without other datasets, or without a part of one. */
  readonly needs: readonly Need[];
  /** What its replies rest on unless a result is qualified. */
  readonly grounds: Grounds;
  readonly maxAgeSeconds: number;
  readonly params: Readonly<Record<string, Param<unknown, ErrorCode>>>;
  readonly tryWith?: readonly string[];
  /** Every code it may answer, the common ones included. */
  readonly errors: readonly ErrorCode[];
  /** Of the answer, without the envelope. */
  readonly answer: Pick<ObjectShape<never>, 'schema'>;
  /** Stands above the example answer: why a reader who makes the call gets another one. */
  readonly exampleNote?: string;
  /** What it can be asked for as CSV; nothing of a batch. */
  readonly csv: readonly CsvTable[];
  /** Whether an answer may be a page of a longer list, with the address of the next one in Link. */
  readonly isPaged: boolean;
  readonly prepare: (input: Input) => Prepared | Refusal;
};

type Definition<Path, P, Code extends ErrorCode, A extends object, Wish> = {
  /** A GET reads its query, a POST its JSON body. No reply to a POST is kept. */
  readonly method: Method;
  readonly path: Path;
  readonly summary: string;
  readonly description: string;
  /** What a successful call costs. */
  readonly credits: number;
  /** Ends the description: "The call is free if …". Such an endpoint looks before it tells an empty balance. */
  readonly freeWhere?: string;
  /** `top-level` puts the members of the answer beside `success`; only bank rates do. */
  readonly envelope: 'data' | 'top-level';
  /** The first is the one that its replies rest on. None for an endpoint that tells of the caller's account. */
  readonly datasets: readonly DatasetName[];
  /** Its fields that are null, or calls that it refuses by a code of their own, without other datasets. */
  readonly needs?: readonly Need[];
  readonly maxAgeSeconds: number;
  readonly params: P;
  /** Parameters of the example call, where they are not what is required, else the first with an example. */
  readonly tryWith?: readonly (keyof P & string)[];
  readonly exampleNote?: string;
  /** Rules that need several parameters, or more than the form of one: refuses, or tells `handle` what is asked for. They
   *  need no data, so that they come before the balance. */
  readonly together?: (params: ParamValues<P>) => Wish | Refusal<NoInfer<Code>>;
  /** The endpoint's own table in the contract. */
  readonly errors: readonly Code[];
  readonly answer: ObjectShape<A>;
  /** For callers that accept CSV: the list of the answer that has the rows, or tables of its own. Without it the answer is one
   *  row. */
  readonly csv?: (keyof NoInfer<A> & string) | OwnTables<NoInfer<A>>;
  /** Where the answer is a page of a list: the parameters of the next one that differ, or undefined after the last. */
  readonly nextPage?: (
    answer: NoInfer<A>,
    params: NoInfer<Wish>,
    context: Context,
  ) => Readonly<Record<string, string | number>> | undefined;
  /** `form` for endpoints whose table needs more than the JSON of the same call. */
  readonly handle: (
    params: Wish,
    context: Context,
    form: Form,
  ) => Result<NoInfer<A>, NoInfer<Code>> | Promise<Result<NoInfer<A>, NoInfer<Code>>>;
};

type Result<A, Code extends ErrorCode> = A | Refusal<Code> | Qualified<A | Refusal<Code>>;

/** One call, as far as it shapes what its outcome says. */
type Asked<Wish> = {
  readonly wish: Wish;
  readonly input: Input;
  readonly context: Context;
  readonly form: Form;
};

/** What every endpoint may answer whatever its own table says: a suspended account, a key that is bound elsewhere, limits,
 *  missing data, a bad sandbox outcome. */
const commonErrors = [
  'INVALID_PARAMETER',
  'KEY_NOT_ALLOWED',
  'ACCOUNT_SUSPENDED',
  'RATE_LIMITED',
  'SERVICE_UNAVAILABLE',
] as const;

/** Pages have the type of each answer from the list of all. */
type EndpointOf<Path, A> = Endpoint & { readonly path: Path; readonly answer: ObjectShape<A> };

export function endpoint<
  const Path extends Endpoint['path'],
  const Code extends ErrorCode,
  const P extends Readonly<Record<string, Param<unknown, NoInfer<Code> | 'INVALID_PARAMETER'>>>,
  A extends object,
  Wish extends object = ParamValues<P>,
>(definition: Definition<Path, P, Code, A, Wish>): EndpointOf<Path, A> {
  const { path, params, together, handle, answer, csv, nextPage, datasets } = definition;
  const named = Object.entries(params);
  const declared = Object.keys(params);
  const names = declared.toSorted();
  const usual: Grounds = {
    datasets: datasets.slice(0, 1),
    publisher: undefined,
    asOf: undefined,
    shortage: undefined,
    charge: 'usual',
  };

  const table = typeof csv === 'object' ? csv : tableOf(answer, csv);

  const pageAfter = (result: A, { wish, input, context }: Asked<Wish>): { readonly nextPage?: string } => {
    const changed = nextPage?.(result, wish, context);
    return changed === undefined ? {} : { nextPage: `${path}?${queryWith(names, input, changed)}` };
  };

  const toOutcome = (told: Result<A, ErrorCode>, asked: Asked<Wish>): Outcome => {
    const { result, grounds } = isQualified(told) ? settle(told, usual) : { result: told, grounds: usual };
    if (isRefusal(result)) return { ...result, grounds };
    const page = pageAfter(result, asked);
    return asked.form === 'csv'
      ? { kind: 'tabulated', csv: table.write(result), grounds, ...page }
      : { kind: 'answered', json: answer.write(result), grounds, ...page };
  };

  const { description, freeWhere, needs = [] } = definition;
  return {
    ...definition,
    description: freeWhere === undefined ? description : `${description} The call is free if ${freeWhere}.`,
    needs,
    grounds: usual,
    csv: table.tables,
    isPaged: nextPage !== undefined,
    unauthorised: definition.errors.some((code) => code === 'UNAUTHORIZED')
      ? 'UNAUTHORIZED'
      : 'AUTHENTICATION_REQUIRED',
    errors: [...new Set<ErrorCode>([...definition.errors, ...commonErrors])].sort(
      (a, b) => errors[a].status - errors[b].status,
    ),
    prepare: (input) => {
      const odd = refuseNames(input.keys(), declared);
      if (odd !== undefined) return odd;
      const read = readParams<P>(named, input);
      if (read.kind === 'refused') return read;
      // Without rules, what is wished for is what was read.
      const wish = together === undefined ? (read.values as object as Wish) : together(read.values);
      if (isRefusal(wish)) return wish;
      return {
        kind: 'prepared',
        canonical: canonicalQuery(names, read.values),
        run: (context, form = 'json') =>
          whenThere(handle(wish, context, form), (told) => toOutcome(told, { wish, input, context, form })),
      };
    },
  };
}

/** Whether an answer has an ETag, by which a caller can be told that it has it already. An account changes with every call. */
export const hasVersions = ({ method, datasets }: Pick<Endpoint, 'method' | 'datasets'>): boolean =>
  method === 'GET' && datasets.length > 0;

function isQualified<R extends object>(told: R | Qualified<R>): told is Qualified<R> {
  return 'kind' in told && told.kind === 'qualified';
}

function settle<R>({ result, datasets, publisher, asOf, shortage, charge }: Qualified<R>, usual: Grounds) {
  const grounds: Grounds = {
    datasets: datasets ?? usual.datasets,
    publisher,
    asOf,
    shortage: shortage && plainAscii(`${shortage.extent}; ${shortage.why}`),
    charge: charge ?? usual.charge,
  };
  return { result, grounds };
}

/** Letters lose their accents; what is left that a header cannot hold becomes a question mark. */
function plainAscii(text: string): string {
  return text
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .replace(/[‘’]/g, "'")
    .replace(/[^\x20-\x7e]/gu, '?');
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

/** The parameters as they were sent, but for some. */
function queryWith(
  names: readonly string[],
  input: Input,
  changed: Readonly<Record<string, string | number>>,
): URLSearchParams {
  const query = new URLSearchParams();
  for (const name of names) {
    const sent = textOf(changed[name] ?? input.get(name));
    if (sent !== 'no text' && sent.text !== undefined) query.set(name, sent.text);
  }
  return query;
}

function readParams<P extends Readonly<Record<string, Param<unknown, ErrorCode>>>>(
  params: readonly (readonly [name: string, param: Param<unknown, ErrorCode>])[],
  input: Input,
): { readonly kind: 'read'; readonly values: ParamValues<P> } | Refusal {
  const values: Record<string, unknown> = {};
  for (const [name, param] of params) {
    const sent = textOf(input.get(name));
    if (sent === 'no text') return refuseNoText(name);
    const result = param.parse(sent.text);
    if (!result.ok) return refuse(result.code, messageOf(name, result), { field: name });
    values[name] = result.value;
  }
  // The loop above filled every name of P with what its own parse returned.
  return { kind: 'read', values: values as ParamValues<P> };
}

/** Without either, the sentence of the error table. */
const messageOf = (name: string, { message, expected }: ParamFault<ErrorCode>): string | undefined =>
  message ?? (expected === undefined ? undefined : `Send \`${name}\` as ${expected}.`);

/** The code this endpoint uses when the release or the ledger cannot be read. */
export function storageFault({ errors: allowed }: Endpoint): ErrorCode {
  return allowed.includes('DATABASE_ERROR') ? 'DATABASE_ERROR' : 'INTERNAL_ERROR';
}

/** The code this endpoint uses for a failure nobody foresaw. */
export function unexpectedFault(endpoint: Endpoint): ErrorCode {
  return endpoint.errors.includes('INTERNAL_SERVER_ERROR') ? 'INTERNAL_SERVER_ERROR' : storageFault(endpoint);
}
