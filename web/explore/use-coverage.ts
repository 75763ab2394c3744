// What the figures of a panel lack, and where it would come from. X-Data-Coverage says `sample` as soon as one dataset behind the answer is one; council tax is
// complete even where only a few postcodes are loaded. Which datasets are a sample and which are not
// loaded, the service lists for everybody.

import { useLayoutEffect, useState } from 'preact/hooks';
import type { Answers } from '../api/answers.ts';
import { readCoverage } from './silence.ts';

export type DatasetName = Answers['/area/statistics']['demographics']['basis'][number]['dataset'];

/** What amounts of council tax rest on; the postcodes only say which authority is meant. */
export const taxDatasets: readonly DatasetName[] = ['council-tax', 'authorities'];

/** Where the files of a dataset are that is not loaded. */
type Missing = {
  readonly files: readonly { readonly source: string; readonly homepage: string }[];
};

type Listing = {
  readonly samples: ReadonlySet<string>;
  readonly notLoaded: ReadonlyMap<string, Missing>;
};

/** `unknown`: the service did not say. */
type Listed = Listing | 'asked for' | 'unknown';

/** The words of the header, without `sample` if none of these datasets is one. Null where nothing is lacking. */
export function useCoverage(
  ofAnswer: string | null,
  figuresFrom: readonly DatasetName[] | undefined,
): string | null {
  const { extents, why } = readCoverage(ofAnswer);
  const isInDoubt = figuresFrom !== undefined && extents.includes('sample');
  const listed = useListed(isInDoubt ? 'asked' : 'not asked');
  if (!isInDoubt || listed === 'unknown') return ofAnswer;
  if (listed === 'asked for') return null;
  if (figuresFrom.some((name) => listed.samples.has(name))) return ofAnswer;
  const others = extents.filter((extent) => extent !== 'sample').join(', ');
  if (others === '') return null;
  return why === '' ? others : `${others}; ${why}`;
}

/** Undefined as long as the service has not said. */
export function useMissing(dataset: string): Missing | undefined {
  const listed = useListed('asked');
  return typeof listed === 'string' ? undefined : listed.notLoaded.get(dataset);
}

function useListed(wish: 'asked' | 'not asked'): Listed {
  const [listed, setListed] = useState<Listed>('asked for');
  useLayoutEffect(() => {
    if (wish === 'asked') void listing().then(setListed);
  }, [wish]);
  return listed;
}

let asking: Promise<Listing | 'unknown'> | undefined;

/** Asked once while the document lives. */
function listing(): Promise<Listing | 'unknown'> {
  asking ??= ask();
  return asking;
}

type Told = {
  readonly data: {
    readonly datasets: readonly { readonly name: string; readonly extent: string }[];
    readonly notLoaded: readonly (Missing & { readonly name: string })[];
  };
};

async function ask(): Promise<Listing | 'unknown'> {
  try {
    const response = await fetch('/api/v1/datasets', { credentials: 'omit' });
    if (!response.ok) return 'unknown';
    const { data }: Told = await response.json();
    return {
      samples: new Set(data.datasets.flatMap(({ name, extent }) => (extent === 'sample' ? [name] : []))),
      notLoaded: new Map(data.notLoaded.map((missing) => [missing.name, missing])),
    };
  } catch (fault) {
    if (fault instanceof TypeError || fault instanceof SyntaxError) return 'unknown';
    throw fault;
  }
}
