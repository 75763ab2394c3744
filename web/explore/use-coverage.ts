// What the figures of a panel lack. X-Data-Coverage says `sample` as soon as one dataset behind the answer is one; council tax is
// complete even where only a few postcodes are loaded. Which datasets are a sample, the service lists for everybody.

import { useLayoutEffect, useState } from 'preact/hooks';
import type { Answers } from '../api/answers.ts';
import { readCoverage } from './silence.ts';

export type DatasetName = Answers['/area/statistics']['demographics']['basis'][number]['dataset'];

/** `unknown`: the service did not say. */
type Samples = ReadonlySet<string> | 'asked for' | 'unknown';

/** The words of the header, without `sample` if none of these datasets is one. Null where nothing is lacking. */
export function useCoverage(
  ofAnswer: string | null,
  figuresFrom: readonly DatasetName[] | undefined,
): string | null {
  const { extents, why } = readCoverage(ofAnswer);
  const isInDoubt = figuresFrom !== undefined && extents.includes('sample');
  const [samples, setSamples] = useState<Samples>('asked for');
  useLayoutEffect(() => {
    if (isInDoubt) void sampledDatasets().then(setSamples);
  }, [isInDoubt]);
  if (!isInDoubt || samples === 'unknown') return ofAnswer;
  if (samples === 'asked for') return null;
  if (figuresFrom.some((name) => samples.has(name))) return ofAnswer;
  const others = extents.filter((extent) => extent !== 'sample').join(', ');
  if (others === '') return null;
  return why === '' ? others : `${others}; ${why}`;
}

let asking: Promise<Samples> | undefined;

/** Asked once while the document lives. */
function sampledDatasets(): Promise<Samples> {
  asking ??= ask();
  return asking;
}

type Listed = {
  readonly data: { readonly datasets: readonly { readonly name: string; readonly extent: string }[] };
};

async function ask(): Promise<Samples> {
  try {
    const response = await fetch('/api/v1/datasets', { credentials: 'omit' });
    if (!response.ok) return 'unknown';
    const { data }: Listed = await response.json();
    return new Set(data.datasets.flatMap(({ name, extent }) => (extent === 'sample' ? [name] : [])));
  } catch (fault) {
    if (fault instanceof TypeError || fault instanceof SyntaxError) return 'unknown';
    throw fault;
  }
}
