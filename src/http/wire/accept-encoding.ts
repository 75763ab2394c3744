// Which coding of content a caller wants, by its Accept-Encoding (RFC 9110, 12.5.3).

export type Coding = 'zstd' | 'br' | 'gzip';

/** `plain` is the body as it is. */
type Choice = {
  readonly coding: Coding | 'plain';
  /** Whether the caller takes the body as it is too. */
  readonly plain: 'taken' | 'refused';
};

/** In the order of preference where a caller has none: the first is the fastest and, at our levels, the smallest too. */
const codings = ['zstd', 'br', 'gzip'] as const satisfies readonly Coding[];

/** With three decimals at most; a range with another weight is passed over. */
const weightForm = /^(?:0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/;

const asItIs: Choice = { coding: 'plain', plain: 'taken' };

/** Without the header anything would do; the body as it is suits everybody. The first of those offered is preferred. */
export function chooseCoding(header: string | undefined, offered: readonly Coding[] = codings): Choice {
  if (header === undefined || header === '') return asItIs;
  const weights = weightsIn(header);
  const others = weights.get('*');
  const weightOf = (name: string) => weights.get(name) ?? others ?? 0;
  // Taken unless it is ruled out, but after whatever is named.
  const plainWeight = weights.get('identity') ?? others;
  let best: Choice['coding'] = 'plain';
  let bestWeight = 0;
  for (const coding of offered) {
    if (weightOf(coding) <= bestWeight) continue;
    best = coding;
    bestWeight = weightOf(coding);
  }
  const coding = (plainWeight ?? 0) > bestWeight ? 'plain' : best;
  return { coding, plain: plainWeight === 0 ? 'refused' : 'taken' };
}

function weightsIn(header: string): ReadonlyMap<string, number> {
  const weights = new Map<string, number>();
  for (const range of header.toLowerCase().split(',')) {
    const [name = '', ...options] = range.split(';').map((part) => part.trim());
    const weight = options.find((option) => option.startsWith('q='))?.slice(2) ?? '1';
    if (weightForm.test(weight)) weights.set(name === 'x-gzip' ? 'gzip' : name, Number(weight));
  }
  return weights;
}

/** Quick to tell of the usual header: whether it might rule out the body as it is. */
export const mayRefusePlain = (header: string | undefined): boolean => header?.includes('=0') === true;
