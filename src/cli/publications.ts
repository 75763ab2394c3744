// Where an operator finds the files of each dataset, and what to do to have one, for the threads that answer too: they
// load no loader themselves. Whatever advises an operator to load something takes its words from here.

import type { Publication } from '../contract/missing-datasets.ts';
import type { DatasetName } from '../datasets.ts';
import { sources } from '../sources/index.ts';

/** Without what is bundled, which nobody has to fetch. */
export const publications: readonly Publication[] = sources
  .filter(({ homepage }) => !homepage.startsWith('bundled'))
  .map(({ dataset, homepage, title, source }) => ({ dataset, title, source, homepage }));

type Wanted = {
  readonly dataset: DatasetName;
  /** Where not every publication of the dataset would do; by the name of its source. */
  readonly publication?: string | undefined;
  /** Which file of it. */
  readonly file?: string | undefined;
  /** What is to be loaded, where it is something else than the dataset: "a newer edition". */
  readonly what?: string;
};

/** Undefined where the dataset comes with the program alone. */
export function howToLoad({ dataset, publication, file, what }: Wanted): string | undefined {
  const fitting = publications.filter(
    (one) => one.dataset === dataset && (publication ?? one.source) === one.source,
  );
  if (fitting.length === 0) return undefined;
  const whole = publication === undefined ? fitting[0]?.source : `the ${publication}`;
  const named = what ?? (file === undefined ? whole : `${file} of ${publication}`);
  const pages = [...new Set(fitting.map(({ homepage }) => homepage))].join(' or ');
  const { fetched = dataset } = sources.find((source) => source.dataset === dataset) ?? {};
  const update = fetched === 'never' ? '' : `\`domesday update ${fetched}\`, or with `;
  return `Load ${named} with ${update}\`domesday ingest PATH…\`; files: ${pages}`;
}
