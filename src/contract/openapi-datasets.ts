// The list of datasets as OpenAPI describes it: the one call of the API beside the endpoints that needs no key.

const text = { type: 'string' } as const;
const instant = { type: 'string', format: 'date-time' } as const;
const texts = { type: 'array', items: text } as const;

const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` });
const listOf = (name: string, description: string) => ({ type: 'array', description, items: ref(name) });
const orNull = (schema: { readonly type: string; readonly format?: string }) => ({
  ...schema,
  type: [schema.type, 'null'],
});

const object = (properties: Readonly<Record<string, unknown>>, optional: readonly string[] = []) => ({
  type: 'object',
  required: Object.keys(properties).filter((name) => !optional.includes(name)),
  properties,
});

const fills = {
  fills: { ...texts, description: 'What it gives, in words, such as "all of /crime/by-postcode".' },
  fields: listOf('FilledFields', 'The same by endpoint.'),
};

export const datasetsSchemas = {
  DatasetsReply: object({ success: { const: true }, data: ref('Datasets') }),
  Datasets: object({
    release: ref('ReleaseFacts'),
    datasets: listOf('LoadedDataset', 'What is loaded.'),
    notLoaded: listOf('DatasetNotLoaded', 'What an endpoint would read and is not loaded.'),
    updates: ref('DataUpdates'),
    live: listOf('LiveService', 'Services of others that are asked while a call is answered.'),
  }),
  ReleaseFacts: object({
    id: { ...text, description: 'As in X-Data-Release.' },
    createdAt: instant,
    kind: { type: 'string', enum: ['sample', 'loaded', 'sandbox'] },
  }),
  LoadedDataset: object(
    {
      name: text,
      title: text,
      source: { ...text, description: 'The publication, as its publisher calls it.' },
      publisher: text,
      publisherShort: { ...text, description: 'As in X-Data-Source.' },
      licence: text,
      attribution: text,
      edition: text,
      asOf: { type: 'string', format: 'date', description: 'The newest day the data speaks about.' },
      loadedAt: instant,
      rows: { type: 'integer', minimum: 0 },
      rejects: {
        type: 'object',
        description: 'Rows that were not loaded, by reason.',
        additionalProperties: { type: 'integer' },
      },
      extent: { type: 'string', enum: ['complete', 'partial', 'sample', 'fictional'] },
      coverage: {
        type: 'object',
        description: 'By nation: what is loaded.',
        additionalProperties: text,
      },
      nextEditionExpected: orNull(text),
      files: { type: 'integer', minimum: 0, description: 'How many files it was read from.' },
      loadedBy: ref('DatasetReader'),
      leftOut: {
        ...text,
        description: 'What was not loaded because its terms were not accepted; absent where nothing was.',
      },
      parts: { ...texts, description: 'Names of the parts of the release that hold it.' },
      layout: { type: 'integer' },
      lacks: listOf('DatasetLack', 'What another publication of the dataset would have.'),
    },
    ['loadedBy', 'leftOut'],
  ),
  DatasetReader: object({ source: text, version: { type: 'integer' } }),
  DatasetLack: object({ what: text, publication: text, file: text, ...fills }, ['file']),
  DatasetNotLoaded: object(
    {
      name: text,
      title: orNull(text),
      needed: {
        type: 'string',
        enum: ['required', 'optional'],
        description: '`required`: an endpoint answers 503 without it.',
      },
      ...fills,
      files: listOf('PublicationPlace', 'Where its files are.'),
      laidOutBy: {
        type: 'string',
        enum: ['earlier', 'later'],
        description: 'Where it is there, but laid out by another version of the service.',
      },
    },
    ['laidOutBy'],
  ),
  FilledFields: object(
    {
      endpoint: text,
      fields: { anyOf: [texts, { const: 'every answer' }] },
      where: text,
      also: text,
    },
    ['where', 'also'],
  ),
  PublicationPlace: object({ source: text, homepage: text }),
  DataUpdates: object({
    publications: listOf('PublicationUpdate', 'When each publisher was last asked.'),
    lastRun: { anyOf: [ref('UpdateRun'), { type: 'null' }] },
    nextRun: {
      ...orNull(instant),
      description: 'Null where the service does not update by itself.',
    },
  }),
  PublicationUpdate: object({
    dataset: text,
    publication: text,
    lastChecked: orNull(instant),
    lastChanged: orNull(instant),
    failingSince: orNull(instant),
    failingBecause: orNull(text),
  }),
  UpdateRun: object({ startedAt: instant, endedAt: instant, outcome: text, release: orNull(text) }),
  LiveService: object({ name: text, address: text, publisher: text, usedFor: text, terms: text }),
};
