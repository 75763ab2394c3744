// What a reply says of the data behind it: how old it is, whose it is, what of it is lacking, and where it goes on. Kept with an
// answer that is kept (questions.ts), since it is the same each time.

import { coverageOf } from '../contract/coverage.ts';
import { basePath, type Grounds } from '../contract/endpoint.ts';
import type { DatasetName } from '../datasets.ts';
import type { Release } from '../release/reader.ts';

export class DataTold {
  /** Names and values in turn. */
  readonly headers: readonly string[];
  #members: string | undefined;

  constructor(headers: readonly string[]) {
    this.headers = headers;
  }

  /** The same in the JSON of a call of a batch. */
  get members(): string {
    this.#members ??= membersOf(this.headers);
    return this.#members;
  }
}

export const nothingTold = new DataTold([]);

type Telling = {
  readonly grounds: Grounds;
  /** Datasets of which it is told when one is a sample. */
  readonly sampled: readonly DatasetName[];
  /** Path and query of the page after this one. */
  readonly nextPage: string | undefined;
  readonly publicUrl: string | undefined;
};

export function tellData(
  release: Release,
  { grounds, sampled, nextPage, publicUrl = '' }: Telling,
): DataTold {
  const { shortage } = grounds;
  const headers: string[] = [];
  addData(headers, release, grounds);
  const coverage = coverageOf(release, sampled, shortage);
  if (coverage !== undefined) headers.push('x-data-coverage', coverage);
  if (nextPage !== undefined) headers.push('link', `<${publicUrl}${basePath}${nextPage}>; rel="next"`);
  return headers.length === 0 ? nothingTold : new DataTold(headers);
}

/** Of several datasets the oldest date: none of them is older. */
function addData(headers: string[], release: Release, { datasets, publisher, asOf: own }: Grounds): void {
  let asOf = own ?? '';
  let sources = '';
  for (const name of datasets) {
    const entry = release.findDataset(name);
    if (entry === undefined) continue;
    if (asOf === '' || entry.asOf < asOf) asOf = entry.asOf;
    // A dataset of two publishers names both.
    if (sources === '') sources = entry.publisherShort;
    else {
      const known = new Set([...sources.split(', '), ...entry.publisherShort.split(', ')]);
      sources = [...known].join(', ');
    }
  }
  if (asOf !== '') headers.push('x-data-as-of', asOf, 'x-data-source', publisher ?? sources);
}

/** As a result names them. Of the headers that a single reply would have, those that may differ from call to call. */
const ownNames = new Map(
  ['X-Data-As-Of', 'X-Data-Source', 'X-Data-Coverage', 'Link', 'Idempotent-Replayed', 'Retry-After'].map(
    (name) => [name.toLowerCase(), `${JSON.stringify(name)}:`],
  ),
);

/** Headers as members of an object in JSON. */
export function membersOf(headers: readonly string[]): string {
  let members = '';
  for (let at = 0; at < headers.length; at += 2) {
    members += `${at === 0 ? '' : ','}${ownNames.get(headers[at] ?? '')}${JSON.stringify(headers[at + 1])}`;
  }
  return members;
}
