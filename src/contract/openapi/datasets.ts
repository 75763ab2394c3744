// The list of datasets as OpenAPI describes it: the one call of the API beside the endpoints that needs no key.

const text = (description: string) => ({ type: 'string', description });
const instant = (description: string) => ({ type: 'string', format: 'date-time', description });
const texts = (description: string) => ({ type: 'array', description, items: { type: 'string' } });

const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` });
const listOf = (name: string, description: string) => ({ type: 'array', description, items: ref(name) });
const orNull = (schema: {
  readonly type: string;
  readonly format?: string;
  readonly description: string;
}) => ({ ...schema, type: [schema.type, 'null'] });

const object = (
  description: string,
  properties: Readonly<Record<string, unknown>>,
  optional: readonly string[] = [],
) => ({
  type: 'object',
  description,
  required: Object.keys(properties).filter((name) => !optional.includes(name)),
  properties,
});

const fills = {
  fills: texts('What it fills, in words, such as "all of /crime/by-postcode".'),
  fields: listOf('FilledFields', 'The same as fields, endpoint by endpoint.'),
};

export const datasetsSchemas = {
  DatasetsReply: object('Answer to GET /datasets.', {
    success: { const: true, description: 'Always true.' },
    data: ref('Datasets'),
  }),
  Datasets: object('The data of this service.', {
    release: ref('ReleaseFacts'),
    datasets: listOf('LoadedDataset', 'Datasets that are loaded.'),
    notLoaded: listOf('DatasetNotLoaded', 'Datasets that endpoints could use and that are not loaded.'),
    updates: ref('DataUpdates'),
    live: listOf('LiveService', 'Services of other publishers that this service asks during a call.'),
  }),
  ReleaseFacts: object('The data release that answers calls.', {
    id: text('Id of the release, as in X-Data-Release.'),
    createdAt: instant('When it was made.'),
    kind: {
      type: 'string',
      enum: ['sample', 'loaded', 'sandbox'],
      description:
        '`sample`: the bundled sample. `loaded`: data that the operator loaded. `sandbox`: the fictional town.',
    },
  }),
  LoadedDataset: object(
    'A dataset that is loaded.',
    {
      name: text('Name of the dataset.'),
      title: text('Title for people.'),
      source: text('Name of the publication, as its publisher calls it.'),
      publisher: text('Publisher.'),
      publisherShort: text('Short name of the publisher, as in X-Data-Source.'),
      licence: text('Licence of the data.'),
      attribution: text('Sentence that you must show with the data.'),
      edition: text('Edition of the publication.'),
      asOf: {
        type: 'string',
        format: 'date',
        description:
          'Newest day that the data covers. Amenities, stops, bus routes, valuation lists and incomes can be put together from files of several days. Theirs is the newest day of the oldest of those files.',
      },
      loadedAt: instant('When it was loaded.'),
      rows: { type: 'integer', minimum: 0, description: 'Number of rows.' },
      rejects: {
        type: 'object',
        description: 'Number of rows that were not loaded, by reason.',
        additionalProperties: { type: 'integer' },
      },
      extent: {
        type: 'string',
        enum: ['complete', 'partial', 'sample', 'fictional'],
        description: 'How much of the publication is loaded.',
      },
      coverage: {
        type: 'object',
        description: 'What is loaded for each nation.',
        additionalProperties: { type: 'string' },
      },
      nextEditionExpected: orNull(text('When the publisher will publish the next edition. Null: unknown.')),
      files: { type: 'integer', minimum: 0, description: 'Number of files that it came from.' },
      loadedBy: ref('DatasetReader'),
      leftOut: text('What was not loaded because its terms were not accepted. Absent if nothing was.'),
      parts: texts('Parts of the release that hold it.'),
      layout: { type: 'integer', description: 'Version of its layout in the release.' },
      lacks: listOf('DatasetLack', 'What this edition lacks and another publication of the dataset has.'),
    },
    ['loadedBy', 'leftOut'],
  ),
  DatasetReader: object('The program that read the files.', {
    source: text('Name of the reader.'),
    version: { type: 'integer', description: 'Version of the reader.' },
  }),
  DatasetLack: object(
    'Content that the loaded publication lacks.',
    {
      what: text('The content.'),
      publication: text('The publication that has it.'),
      file: text('File of that publication. Absent if it has only one.'),
      ...fills,
    },
    ['file'],
  ),
  DatasetNotLoaded: object(
    'A dataset that is not loaded.',
    {
      name: text('Name of the dataset.'),
      title: orNull(text('Title for people. Null: no publication fills it.')),
      needed: {
        type: 'string',
        enum: ['required', 'optional'],
        description:
          '`required`: an endpoint answers 503 without it. `optional`: some of its fields are null, or it refuses some calls.',
      },
      ...fills,
      files: listOf('PublicationPlace', 'Where to get its files.'),
      laidOutBy: {
        type: 'string',
        enum: ['earlier', 'later'],
        description:
          'Present if it is there, but in the layout of an earlier or later version of the service.',
      },
    },
    ['laidOutBy'],
  ),
  FilledFields: object(
    'Fields of one endpoint.',
    {
      endpoint: text('Path of the endpoint.'),
      fields: {
        description: 'Names of the fields, with dots between the levels, or `every answer`.',
        anyOf: [{ type: 'array', items: { type: 'string' } }, { const: 'every answer' }],
      },
      where: text('Where this holds. Absent if it holds everywhere.'),
      also: text('What it gives beside fields. Absent if nothing.'),
    },
    ['where', 'also'],
  ),
  PublicationPlace: object('Where to get a publication.', {
    source: text('Name of the publication.'),
    homepage: text('Page of the publication.'),
  }),
  DataUpdates: object('Updates of the data.', {
    publications: listOf('PublicationUpdate', 'When the service last asked each publisher.'),
    lastRun: {
      description: 'The last update. Null: there was none.',
      anyOf: [ref('UpdateRun'), { type: 'null' }],
    },
    nextRun: orNull(instant('Next update. Null: the service does not update by itself.')),
  }),
  PublicationUpdate: object('Updates of one publication.', {
    dataset: text('Name of the dataset.'),
    publication: text('Name of the publication.'),
    lastChecked: orNull(instant('When the publisher was last asked. Null: never.')),
    lastChanged: orNull(instant('When a new edition was last found. Null: never.')),
    failingSince: orNull(instant('Since when updates fail. Null: they do not.')),
    failingBecause: orNull(text('Why updates fail. Null: they do not.')),
  }),
  UpdateRun: object('One update.', {
    startedAt: instant('When it began.'),
    endedAt: instant('When it ended.'),
    outcome: text(
      'How it ended: `fresh`, `some kept` (a publication failed, so its old data stayed) or `failed`.',
    ),
    release: orNull(text('Id of the release that it made. Null: it made none.')),
  }),
  LiveService: object('A service that this service asks during a call.', {
    name: text('Name of the service.'),
    address: text('Its address.'),
    publisher: text('Who runs it.'),
    usedFor: text('What it is asked for.'),
    terms: text('Terms that bind you when you use its answers.'),
  }),
};

/** One dataset of each list, of a service that updates itself at night. */
export const datasetsExample = {
  success: true,
  data: {
    release: { id: '20261115T021407Z-3f9c', createdAt: '2026-11-15T02:14:07.000Z', kind: 'loaded' },
    datasets: [
      {
        name: 'bank-rate',
        title: 'Bank Rate',
        source: 'Official Bank Rate history',
        publisher: 'Bank of England',
        publisherShort: 'Bank of England',
        licence: 'Open Government Licence v3.0',
        attribution: 'Contains Bank of England data.',
        edition: '2026-09-21',
        asOf: '2026-09-21',
        loadedAt: '2026-11-15T02:14:07.000Z',
        rows: 260,
        rejects: {},
        extent: 'complete',
        coverage: { 'United Kingdom': 'every change since 1975' },
        nextEditionExpected: null,
        files: 1,
        parts: ['bank-rate'],
        layout: 1,
        lacks: [],
      },
    ],
    notLoaded: [
      {
        name: 'traffic',
        title: 'Traffic counts',
        needed: 'optional',
        fills: ['trafficLevel in transport of /area/statistics'],
        fields: [{ endpoint: '/area/statistics', fields: ['transport.trafficLevel'] }],
        files: [{ source: 'Road traffic statistics', homepage: 'https://roadtraffic.dft.gov.uk/downloads' }],
      },
    ],
    updates: {
      publications: [
        {
          dataset: 'bank-rate',
          publication: 'Official Bank Rate history',
          lastChecked: '2026-11-15T02:13:55.000Z',
          lastChanged: '2026-09-22T02:13:58.000Z',
          failingSince: null,
          failingBecause: null,
        },
      ],
      lastRun: {
        startedAt: '2026-11-15T02:13:50.000Z',
        endedAt: '2026-11-15T02:14:09.000Z',
        outcome: 'fresh',
        release: '20261115T021407Z-3f9c',
      },
      nextRun: '2026-11-16T02:13:50.000Z',
    },
    live: [],
  },
} as const;
