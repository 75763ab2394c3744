// What is true of every edition of stops, timetables and traffic counts. It stands apart from the loaders, which a first start would
// otherwise import for the sake of the bundled sample.

import type { DatasetFacts } from '../../ingest/source.ts';

export const stopsFacts: DatasetFacts = {
  publisher: 'Department for Transport',
  publisherShort: 'DfT',
  licence: 'Open Government Licence v3.0',
  attribution:
    'Contains public sector information licensed under the Open Government Licence v3.0 (Department for Transport, NaPTAN).',
  coverage: {
    England: 'stations and bus stops in use',
    Wales: 'stations and bus stops in use',
    Scotland: 'stations and bus stops in use',
    'Northern Ireland': 'none',
  },
};

export const busRoutesFacts: DatasetFacts = {
  publisher: 'Department for Transport',
  publisherShort: 'DfT',
  licence: 'Open Government Licence v3.0',
  attribution:
    'Contains public sector information licensed under the Open Government Licence v3.0 (Department for Transport, Bus Open Data Service).',
  coverage: {
    England: 'all operators, because they must publish',
    Wales: 'operators that publish',
    Scotland: 'operators that publish',
    'Northern Ireland': 'none',
  },
};

export const trafficFacts: DatasetFacts = {
  publisher: 'Department for Transport',
  publisherShort: 'DfT',
  licence: 'Open Government Licence v3.0',
  attribution:
    'Contains public sector information licensed under the Open Government Licence v3.0 (Department for Transport, road traffic statistics).',
  coverage: {
    England: 'motorways and A roads; a sample of minor roads',
    Wales: 'motorways and A roads; a sample of minor roads',
    Scotland: 'motorways and A roads; a sample of minor roads',
    'Northern Ireland': 'none',
  },
};
