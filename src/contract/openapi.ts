// OpenAPI 3.1 of the whole API, made from the endpoints themselves. Every answer, and every object in one, stands in the
// components under the name of its shape, so that clients made from the document have types with names.

import { batchEndpoint } from './batch.ts';
import { basePath, type Endpoint, hasVersions } from './endpoint.ts';
import { type ExampleAnswers, exampleOf, exampleParams } from './examples.ts';
import { datasetsReadBy } from './needs.ts';
import { batchReplyExample, batchRequestBody, batchSchemas } from './openapi/batch.ts';
import {
  Components,
  failureExamples,
  failureResponses,
  failureSchemas,
  idempotencyKey,
  ifNoneMatch,
  pageHeaders,
  referTo,
  replayHeaders,
  replyHeaders,
  sandboxOutcome,
} from './openapi/components.ts';
import { datasetsExample, datasetsSchemas } from './openapi/datasets.ts';
import { isSchema } from './shape.ts';

type Json = Readonly<Record<string, unknown>>;

const billing = {
  type: 'object',
  description: 'What the call cost. Present on successful calls that cost credits.',
  required: ['mode', 'creditsCharged', 'creditsRemaining', 'creditsRefreshAt'],
  properties: {
    mode: {
      type: 'string',
      enum: ['prepaid', 'sandbox'],
      description: '`sandbox` for calls with a test key, which are free.',
    },
    creditsCharged: { type: 'integer', minimum: 0, description: 'Credits that this call cost.' },
    creditsRemaining: { type: 'integer', minimum: 0, description: 'Balance after this call.' },
    creditsRefreshAt: {
      type: ['string', 'null'],
      format: 'date-time',
      description: 'Next monthly refresh. Null: the balance does not renew.',
    },
  },
} as const;

const success = { const: true, description: 'Always true.' } as const;

const about = `UK property data from official open sources: council tax, crime, sold prices, area statistics, postcodes and Bank Rate.

Every call needs an API key in the \`X-API-Key\` header. A test key (\`dd_test_…\`) is free and gives data of a fictional town. A live key (\`dd_live_…\`) gives real data and belongs on a server. Web pages on other origins can use a test key, or a publishable key (\`dd_pub_…\`) that allows their origin.

Answers are JSON. With \`Accept: text/csv\` every endpoint except \`/batch\` and \`/datasets\` answers with a table; \`x-csv\` lists its columns. \`x-credits\` is the cost of a successful call, and \`x-datasets\` lists the datasets that it reads.`;

// The groups that OpenAPI sorts operations into, so that tools show a table of contents.

type Tag = { readonly name: string; readonly description: string };

/** By the beginning of the path. The longest that fits counts. */
const groups: Readonly<Record<`/${string}`, Tag>> = {
  '/area': {
    name: 'Area',
    description: 'Statistics and places around a postcode: crime, people, schools, transport and amenities.',
  },
  '/area/sold-prices': {
    name: 'Sold prices',
    description: 'Sales registered in England and Wales since 1995, with summaries and trends.',
  },
  '/council-tax': {
    name: 'Council tax',
    description: 'Council tax bands and amounts by postcode, property or authority.',
  },
  '/crime': { name: 'Crime', description: 'Crimes that the police published around a postcode.' },
  '/postcodes': {
    name: 'Postcodes',
    description: 'Locations and areas of postcodes, and suggestions while somebody types.',
  },
  '/bank-rates': {
    name: 'Bank rates',
    description: "The Bank of England's official rate and its history since 1975.",
  },
  '/account': { name: 'Account', description: 'Credits, limits and usage of your own account. Free.' },
  '/batch': { name: 'Batch', description: 'Many calls in one request.' },
  '/datasets': { name: 'Datasets', description: 'The data that this service has loaded. Needs no key.' },
};

/** For an endpoint that no group has been written for yet. */
const others: Tag = { name: 'More', description: 'Other endpoints.' };

function groupOf(path: string): Tag {
  const [[, tag] = []] = Object.entries(groups)
    .filter(([start]) => path === start || path.startsWith(`${start}/`))
    .toSorted(([a], [b]) => b.length - a.length);
  return tag ?? others;
}

const tagOf = (path: string): string => groupOf(path).name;

/** In the order of the paths. */
const tagsOf = (paths: readonly string[]): readonly Tag[] => [...new Set(paths.map(groupOf))];

export function openApi(endpoints: readonly Endpoint[], version: string, examples: ExampleAnswers): Json {
  const components = new Components({ Billing: billing, ...failureSchemas });
  const byPath = Map.groupBy(endpoints, ({ path }) => path);
  const paths = [...byPath].map(([path, group]) => [
    path,
    Object.fromEntries(
      group.map((endpoint) => [endpoint.method.toLowerCase(), operation(endpoint, components, examples)]),
    ),
  ]);
  return {
    openapi: '3.1.0',
    info: {
      title: 'Domesday property data',
      summary: 'UK property data from official open sources.',
      version,
      description: about,
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: basePath, description: 'This service.' }],
    tags: tagsOf([...byPath.keys(), batchEndpoint.path, '/datasets']),
    security: [{ apiKey: [] }],
    paths: {
      ...Object.fromEntries(paths),
      [batchEndpoint.path]: { post: batchOperation() },
      '/datasets': { get: datasetsOperation },
    },
    components: {
      securitySchemes: {
        apiKey: {
          type: 'apiKey',
          in: 'header',
          name: 'X-API-Key',
          description:
            '`dd_live_…`: real data, for servers. `dd_test_…`: fictional data, free, anywhere. `dd_pub_…`: real data, for web pages on the origins that the key allows.',
        },
      },
      schemas: { ...components.toJson(), ...batchSchemas, ...datasetsSchemas },
      headers: { ...replyHeaders, ...replayHeaders, ...pageHeaders },
      examples: failureExamples([...endpoints, batchEndpoint].flatMap(({ errors }) => errors)),
    },
  };
}

function batchOperation(): Json {
  const { path, summary, description, errors: codes } = batchEndpoint;
  return {
    operationId: operationId(batchEndpoint),
    tags: [tagOf(path)],
    summary,
    description,
    parameters: [sandboxOutcome(codes), idempotencyKey],
    requestBody: batchRequestBody,
    responses: {
      200: {
        description: 'The answers. Each has its own status in `results`, and some may be errors.',
        headers: referTo(replyHeaders),
        content: {
          'application/json': {
            schema: { $ref: '#/components/schemas/BatchReply' },
            example: batchReplyExample,
          },
        },
      },
      ...failureResponses(codes),
    },
  };
}

function operation(endpoint: Endpoint, components: Components, examples: ExampleAnswers): Json {
  return {
    operationId: operationId(endpoint),
    tags: [tagOf(endpoint.path)],
    summary: endpoint.summary,
    description: endpoint.description,
    'x-credits': endpoint.credits,
    'x-datasets': datasetsReadBy(endpoint),
    // Not as a content of its own: clients that are made from this document then have one type of answer.
    'x-csv': endpoint.csv,
    parameters: [
      ...(endpoint.method === 'GET' ? queryParameters(endpoint) : []),
      sandboxOutcome(endpoint.errors),
      ...(hasVersions(endpoint) ? [ifNoneMatch] : []),
      ...(endpoint.credits > 0 ? [idempotencyKey] : []),
    ],
    ...(endpoint.method === 'POST' ? { requestBody: requestBody(endpoint, components) } : {}),
    responses: responses(endpoint, components, examples),
  };
}

const queryParameters = ({ params }: Endpoint): readonly Json[] =>
  Object.entries(params).map(([name, param]) => ({
    name,
    in: 'query',
    required: param.required,
    description: param.description,
    schema: param.schema,
    ...examplesOf(param),
  }));

/** Of two, the one that a test key is answered comes first: tools show that. */
function examplesOf(param: Endpoint['params'][string]): Json {
  const sandbox = exampleOf(param, 'sandbox');
  if (sandbox === undefined) return {};
  if (typeof param.example === 'string') return { example: sandbox };
  const live = exampleOf(param, 'live');
  return {
    examples: {
      sandbox: { summary: 'With a test key', value: sandbox },
      ...(live === undefined ? {} : { live: { summary: 'With a live key', value: live } }),
    },
  };
}

const datasetsOperation: Json = {
  operationId: 'datasets',
  tags: [tagOf('/datasets')],
  summary: 'Loaded data, and data that is not loaded',
  description:
    'Lists every dataset with its publisher, licence, attribution, edition and coverage. It also lists the datasets that are not loaded, with the fields that they would fill. The call needs no key and costs nothing.',
  security: [],
  responses: {
    200: {
      description: 'The datasets.',
      headers: referTo({
        'X-Request-Id': replyHeaders['X-Request-Id'],
        'X-Data-Release': replyHeaders['X-Data-Release'],
      }),
      content: {
        'application/json': {
          schema: { $ref: '#/components/schemas/DatasetsReply' },
          example: datasetsExample,
        },
      },
    },
    ...failureResponses(['INVALID_PARAMETER', 'SERVICE_UNAVAILABLE']),
  },
};

/** A POST has its parameters as members of one JSON object. */
function requestBody(endpoint: Endpoint, components: Components): Json {
  const params = Object.entries(endpoint.params);
  const name = `${pascalCase(operationId(endpoint))}Request`;
  components.add(name, {
    type: 'object',
    description: `Parameters of ${endpoint.method} ${endpoint.path}.`,
    required: params.filter(([, { required }]) => required).map(([member]) => member),
    properties: Object.fromEntries(
      params.map(([member, { schema, description }]) => [member, { ...schema, description }]),
    ),
  });
  return {
    required: params.some(([, { required }]) => required),
    description: 'The parameters as one JSON object.',
    content: {
      'application/json': {
        schema: { $ref: `#/components/schemas/${name}` },
        example: Object.fromEntries(exampleParams(endpoint, 'sandbox') ?? []),
      },
    },
  };
}

function responses(endpoint: Endpoint, components: Components, examples: ExampleAnswers): Json {
  const headers = referTo({
    ...replyHeaders,
    ...(endpoint.credits > 0 && replayHeaders),
    ...(endpoint.isPaged && pageHeaders),
  });
  return {
    200: {
      description: 'The answer.',
      headers,
      content: {
        'application/json': {
          schema: replySchema(endpoint, components),
          example: envelopeExample(endpoint, examples),
        },
      },
    },
    ...(hasVersions(endpoint)
      ? {
          304: {
            description:
              'Nothing has changed since the ETag in If-None-Match. The body is empty, and the call is free.',
          },
        }
      : {}),
    ...failureResponses(endpoint.errors),
  };
}

/** The whole reply, named after the answer in it. */
function replySchema(endpoint: Endpoint, components: Components): Json {
  const { method, path, summary, envelope, answer, credits } = endpoint;
  const { title, properties, required: own } = answer.schema;
  const name = `${title}Reply`;
  const members =
    envelope === 'data'
      ? { data: components.refer({ ...answer.schema, description: `${summary}.` }) }
      : components.referEach(isSchema(properties) ? properties : {});
  const required = envelope === 'data' ? ['data'] : Array.isArray(own) ? own : [];
  components.add(name, {
    type: 'object',
    description: `Answer to ${method} ${path}.`,
    required: ['success', ...required, ...(credits > 0 ? ['billing'] : [])],
    properties: {
      success,
      ...members,
      ...(credits > 0 ? { billing: { $ref: '#/components/schemas/Billing' } } : {}),
    },
  });
  return { $ref: `#/components/schemas/${name}` };
}

/** As the public key is answered, whose account has no credits and needs none. */
export function envelopeExample(
  { path, envelope, credits }: Endpoint,
  examples: ExampleAnswers,
): Json | undefined {
  const example = examples[path];
  if (example === undefined) return undefined;
  const billing = { mode: 'sandbox', creditsCharged: 0, creditsRemaining: 0, creditsRefreshAt: null };
  return {
    success: true,
    ...(envelope === 'data' ? { data: example } : { ...Object(example) }),
    ...(credits > 0 ? { billing } : {}),
  };
}

/** `/council-tax/lookup` → `councilTaxLookup`; another method than GET stands in front: `postBatch`. */
function operationId({ method, path }: Endpoint): string {
  const name = path.slice(1).replace(/[/-](\w)/g, (_, letter: string) => letter.toUpperCase());
  return method === 'GET' ? name : `${method.toLowerCase()}${pascalCase(name)}`;
}

const pascalCase = (name: string): string => name.charAt(0).toUpperCase() + name.slice(1);
