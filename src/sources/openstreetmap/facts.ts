// What is true of every edition of OpenStreetMap. It stands apart from the loaders, which a first start would
// otherwise import for the sake of the bundled sample.

import type { DatasetFacts } from '../../ingest/source.ts';

export const openStreetMapFacts: DatasetFacts = {
  publisher: '© OpenStreetMap contributors',
  publisherShort: 'OpenStreetMap',
  licence: 'Open Data Commons Open Database License (ODbL) 1.0',
  attribution: '© OpenStreetMap contributors, openstreetmap.org/copyright',
  coverage: { 'United Kingdom': 'the loaded extracts; the map itself may lack places' },
};
