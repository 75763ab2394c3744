// What endpoints would read and a release does not have, or has as this program cannot read it: whether they need it, what
// it fills, and where its files are.

import { type DatasetName, datasetsIn } from '../datasets.ts';
import type { Release, Unreadable } from '../release/reader.ts';
import type { Endpoint } from './endpoint.ts';

/** A publication that fills a dataset, for an operator who lacks it. */
export type Publication = {
  readonly dataset: DatasetName;
  readonly title: string;
  readonly source: string;
  /** Where its files are. */
  readonly homepage: string;
};

export type MissingDataset = {
  readonly name: DatasetName;
  /** Null where no publication fills it. */
  readonly title: string | null;
  /** `required`: an endpoint answers 503 without it. `optional`: what it fills is null, or refused by a code of its own. */
  readonly needed: 'required' | 'optional';
  /** "all of /crime/by-postcode", "schools of /area/statistics" */
  readonly fills: readonly string[];
  readonly files: readonly { readonly source: string; readonly homepage: string }[];
  /** Where it is there, but laid out by another version of the program. */
  readonly laidOutBy?: Unreadable['laidOutBy'];
};

export function findMissingDatasets(
  endpoints: readonly Endpoint[],
  release: Release,
  publications: readonly Publication[],
): readonly MissingDataset[] {
  const required = endpoints.flatMap(({ path, datasets }) => datasets.map((name) => ({ name, path })));
  const optional = endpoints.flatMap(({ path, optionalDatasets = {} }) =>
    datasetsIn(optionalDatasets).map((name) => ({ name, path, gives: optionalDatasets[name] })),
  );
  const names = new Set([...required, ...optional].map(({ name }) => name));
  return [...names]
    .filter((name) => release.findDataset(name) === undefined)
    .map((wanted) => {
      const whole = required.filter(({ name }) => name === wanted);
      const partly = optional.filter(({ name }) => name === wanted);
      const sources = publications.filter(({ dataset }) => dataset === wanted);
      const unreadable = release.findUnreadable(wanted);
      return {
        name: wanted,
        title: sources[0]?.title ?? null,
        needed: whole.length > 0 ? 'required' : 'optional',
        fills: [
          ...whole.map(({ path }) => `all of ${path}`),
          ...partly.map(({ path, gives }) => `${gives} of ${path}`),
        ],
        files: sources.map(({ source, homepage }) => ({ source, homepage })),
        ...(unreadable === undefined ? {} : { laidOutBy: unreadable.laidOutBy }),
      };
    });
}
