// Where the figures of /area/statistics come from: the source, the period, and the area or circle of every figure. A figure
// without a basis is null because its dataset is not loaded or does not cover the place.

import type { Context } from '../../contract/endpoint.ts';
import { integer, list, nullable, object, oneOf, type Static, string } from '../../contract/shape.ts';
import { datasetNames } from '../../datasets.ts';

export const basis = list(
  object(
    'Basis',
    {
      fields: list(string(), { description: 'Figures of this object that this entry describes.' }),
      dataset: oneOf(datasetNames, { description: 'Name of the dataset in `/api/v1/datasets`.' }),
      source: string({ description: 'Publication and publisher.' }),
      period: string({
        description: 'Day, month or year of the figures, or the first and the last of them.',
      }),
      geographyCode: nullable(string({ description: 'Code of the area. Null for a circle.' })),
      geographyName: nullable(
        string({ description: 'Name of the area. Null for a circle, or if names are not loaded.' }),
      ),
      radiusMetres: nullable(
        integer({ description: 'Radius of the circle around the postcode, in metres. Null for an area.' }),
      ),
    },
    { description: 'Source of some figures.' },
  ),
  { description: 'Where the figures come from: source, period, and area or radius.' },
);

export type Basis = Static<typeof basis>;

export type Dataset = NonNullable<ReturnType<Context['release']['findDataset']>>;
