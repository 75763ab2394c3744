// What a release holds and what it lacks, for GET /datasets and for the page about the data.

import type { Endpoint } from '../contract/endpoint.ts';
import { findMissingDatasets, findMissingHoldings, type Publication } from '../contract/missing-datasets.ts';
import type { Release } from '../release/reader.ts';

/** What is loaded, and what an endpoint would read that is not. */
export function datasetsOf(
  release: Release,
  endpoints: readonly Endpoint[],
  publications: readonly Publication[],
) {
  const { id, manifest } = release;
  const lacking = Map.groupBy(findMissingHoldings(endpoints, release), ({ name }) => name);
  const loaded = release.datasets.map(({ files, ...dataset }) => ({
    ...dataset,
    files: files.length,
    /** What another publication of the dataset would have, and the fields that are null without it. */
    lacks: (lacking.get(dataset.name) ?? []).map(({ name: _, ...missing }) => missing),
  }));
  return {
    release: { id, createdAt: manifest.createdAt, kind: manifest.kind },
    datasets: loaded,
    notLoaded: findMissingDatasets(endpoints, release, publications),
  };
}
