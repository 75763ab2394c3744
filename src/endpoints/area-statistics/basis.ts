// Where the figures of /area/statistics come from: the source, the period, and the area or circle of every figure. A figure
// without a basis is null because its dataset is not loaded or does not cover the place.

import type { Context } from '../../contract/endpoint.ts';
import {
  integer,
  list,
  nullable,
  number,
  object,
  oneOf,
  optional,
  type Static,
  string,
} from '../../contract/shape.ts';
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
      comparison: optional(
        object(
          'ComparedAreas',
          {
            areas: integer({
              minimum: 1,
              description: 'Number of areas that are compared, this one included.',
            }),
            forcesLoaded: integer({
              minimum: 1,
              description:
                'Number of police forces whose areas are compared: their twelve months are loaded.',
            }),
            forcesOfNation: integer({
              minimum: 1,
              description: 'Number of police forces that the nation has: 43 in England and Wales.',
            }),
            rate: number({ description: 'Crimes of the year per 1,000 residents of this area.' }),
            averageRate: number({ description: 'The same of all compared areas together.' }),
            percentile: number({
              description:
                'Share of the other compared areas with a lower rate, in percent; equal rates count half.',
            }),
          },
          { description: 'What `overall` and `score` of crime compare with, in numbers.' },
        ),
      ),
    },
    { description: 'Source of some figures.' },
  ),
  { description: 'Where the figures come from: source, period, and area or radius.' },
);

export type Basis = Static<typeof basis>;

export type Dataset = NonNullable<ReturnType<Context['release']['findDataset']>>;
