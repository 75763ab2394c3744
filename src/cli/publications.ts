// Where an operator finds the files of each dataset, for the threads that answer: they load no loader themselves.

import type { Publication } from '../contract/missing-datasets.ts';
import { sources } from '../sources/index.ts';

/** Without what is bundled, which nobody has to fetch. */
export const publications: readonly Publication[] = sources
  .filter(({ homepage }) => !homepage.startsWith('bundled'))
  .map(({ dataset, homepage, title, source }) => ({ dataset, title, source, homepage }));
