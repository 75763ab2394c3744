// The reference: one page an endpoint, made from the endpoint itself, so that it cannot drift from what is answered.

import { basePath, type Endpoint } from '../../contract/endpoint.ts';
import { exampleParams } from '../../contract/examples.ts';
import { envelopeExample } from '../../contract/openapi.ts';
import type { Example, Param } from '../../contract/params.ts';
import type { ErrorCode } from '../../errors.ts';
import {
  type Block,
  type Call,
  type DocsPage,
  guidePath,
  heading,
  type ParamRow,
  table,
  text,
} from './blocks.ts';
import { boundsOf, defaultOf, replyFields, tableWords, typeName } from './fields.ts';

/** Where the list of endpoints is, and below it a page for each. */
export const referencePath = '/docs/reference';

export const endpointPath = ({ path }: Pick<Endpoint, 'path'>): string =>
  `${referencePath}/${path.slice(1).replaceAll('/', '-')}`;

/** The call that a reader is shown; `outcome` has a test key answered with that error. */
export function exampleCall(endpoint: Endpoint, outcome?: ErrorCode): Call {
  const { method, path } = endpoint;
  const params = exampleParams(endpoint, 'sandbox') ?? [];
  const headers: Record<string, string> = outcome === undefined ? {} : { 'X-Sandbox-Outcome': outcome };
  return method === 'GET'
    ? { method, path, params, headers }
    : { method, path, params: [], headers, body: Object.fromEntries(params) };
}

const costOf = (credits: number): string =>
  credits === 0 ? 'free' : credits === 1 ? '1 credit' : `${credits} credits`;

export function endpointPage(endpoint: Endpoint): DocsPage {
  const {
    method,
    path,
    summary,
    description,
    credits,
    freeWhere,
    envelope,
    params,
    csv,
    isPaged,
    exampleNote,
  } = endpoint;
  const facts = [
    freeWhere === undefined || credits === 0 ? costOf(credits) : `${costOf(credits)}, sometimes free`,
    ...(isPaged ? ['in pages'] : []),
    ...(envelope === 'top-level' ? ['no data wrapper'] : []),
  ];
  return {
    path: endpointPath(endpoint),
    title: `${method} ${path}`,
    summary: `${summary}.`,
    facts,
    trail: [
      ['Documentation', '/docs'],
      ['Reference', referencePath],
    ],
    blocks: [
      text(description),
      heading(method === 'GET' ? 'Parameters' : 'Members of the JSON body', 'parameters'),
      ...paramBlocks(params),
      heading('Answer'),
      text(
        envelope === 'data'
          ? 'The figures stand in `data`.'
          : 'This endpoint has no `data`: its members stand beside `success`.',
      ),
      { kind: 'fields', fields: replyFields(endpoint) },
      ...csvBlocks(csv),
      heading('Errors'),
      text(
        'No error costs anything. With a test key you can ask for each of these: send its code in `X-Sandbox-Outcome`.',
      ),
      { kind: 'codes', codes: endpoint.errors },
    ],
    beside: [
      heading('Request'),
      { kind: 'call', call: exampleCall(endpoint) },
      { kind: 'form', endpoint },
      heading('Example answer'),
      ...(exampleNote === undefined ? [] : [text(exampleNote)]),
      { kind: 'answer', status: 200, headers: {}, body: { json: envelopeExample(endpoint) } },
    ],
  };
}

function paramBlocks(params: Endpoint['params']): readonly Block[] {
  const rows = Object.entries(params).map(([name, param]) => paramRow(name, param));
  return rows.length === 0 ? [text('None.')] : [{ kind: 'params', rows }];
}

function paramRow(
  name: string,
  { required, schema, description, example }: Param<unknown, ErrorCode>,
): ParamRow {
  return {
    name,
    required,
    value: [typeName(schema), boundsOf(schema)].filter((words) => words !== '').join(', '),
    fallback: defaultOf(schema),
    meaning: example === undefined ? description : `${description} ${exampleWords(example)}`,
  };
}

function exampleWords(example: Example): string {
  if (typeof example === 'string') return `For example \`${example}\`.`;
  const { sandbox, live } = example;
  return `For example \`${sandbox}\` in the sandbox${live === undefined ? '' : `, \`${live}\` with a live key`}.`;
}

function csvBlocks(tables: Endpoint['csv']): readonly Block[] {
  if (tables.length === 0) return [];
  return [
    heading('Columns as CSV', 'csv'),
    text(`Send \`Accept: text/csv\` to get a table ([CSV](${guidePath('csv')})). Its columns:`),
    ...tables.map((each) => text(tableWords(each))),
  ];
}

/** Of all endpoints, what each answers and costs. */
export const endpointTable = (endpoints: readonly Endpoint[]): Block =>
  table(
    ['Endpoint', 'Credits', 'What it answers'],
    [
      ...endpoints.map((endpoint) => [
        `[\`${endpoint.path}\`](${endpointPath(endpoint)})`,
        endpoint.credits === 0 ? 'free' : String(endpoint.credits),
        endpoint.summary,
      ]),
      [`[\`/batch\`](${guidePath('batch')})`, 'those of its calls', 'Up to 100 calls in one request'],
    ],
  );

export const referencePage = (endpoints: readonly Endpoint[]): DocsPage => ({
  path: referencePath,
  title: 'API reference',
  summary: 'Every endpoint with its parameters, its answer, its errors, and a form that runs it.',
  facts: [],
  trail: [['Documentation', '/docs']],
  blocks: [
    text(
      `Put \`${basePath}\` before each path. Every endpoint is a GET, except \`/batch\`, which is a POST. Send your key in the \`X-API-Key\` header.`,
    ),
    endpointTable(endpoints),
    heading('Parameters'),
    text(
      'An empty parameter counts as absent. If you send a parameter twice, the first counts. Unknown parameters are ignored.',
    ),
    heading('Without a key'),
    table(
      ['Path', 'What it answers'],
      [
        [
          `\`${basePath}/datasets\``,
          'What this service has loaded, as JSON. [Data sources](/docs/data) shows the same.',
        ],
        [`\`${basePath}/openapi.json\``, 'This reference as OpenAPI 3.1.'],
        [
          '`/llms.txt`',
          'A list of these pages for language models. Every page is also there as Markdown: add `.md` to its address.',
        ],
      ],
    ),
  ],
  beside: [],
});
