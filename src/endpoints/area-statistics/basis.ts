// What the figures of /area/statistics stand on: for every figure that is given, whose it is, of when, and of which
// area or circle. A figure without a basis is null because its dataset is not loaded or does not cover the place.

import type { Context } from '../../contract/endpoint.ts';
import { integer, list, nullable, object, oneOf, type Static, string } from '../../contract/shape.ts';
import { datasetNames } from '../../datasets.ts';

export const basis = list(
  object('Basis', {
    fields: list(string(), { description: 'The figures of this object that the rest speaks of.' }),
    dataset: oneOf(datasetNames, { description: 'Its name in `/api/v1/datasets`.' }),
    source: string({ description: 'Publication and publisher.' }),
    period: string({ description: 'Day, month or year that the figures are of, or first and last of them.' }),
    geographyCode: nullable(string({ description: 'Code of the area counted; null for a circle.' })),
    geographyName: nullable(string({ description: 'Its name; null where no names are loaded.' })),
    radiusMetres: nullable(integer({ description: "Radius around the postcode's point; null for an area." })),
  }),
  { description: 'Where the figures come from: source, period, and area or radius.' },
);

export type Basis = Static<typeof basis>;

export type Dataset = NonNullable<ReturnType<Context['release']['findDataset']>>;

/** A sample may be put together from lists of several days, which only its edition tells. */
export const periodOf = ({ extent, edition, asOf }: Dataset): string =>
  extent === 'sample' ? edition : asOf;
