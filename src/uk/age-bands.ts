// Bands of age as the censuses of the four nations write them, and the median age that counts in bands imply.

/** Completed years, from `from` to below `until`; no `until` where the band is open. */
export type AgeBand = { readonly from: number; readonly until: number | undefined };

/** "Aged 5 to 9 years", "0 - 4", "Under 1", "Aged 4 years and under", "85 and over", "85+", "37"; undefined for other texts. */
export function parseAgeBand(text: string): AgeBand | undefined {
  const words = text
    .trim()
    .toLowerCase()
    .replace(/^aged?\s+/, '')
    .replace(/\byears?( old)?\b/g, ' ')
    .replace(/[–—]/g, '-')
    .replace(/\s+/g, ' ')
    .trim();
  const single = /^(\d{1,3})$/.exec(words);
  if (single !== null) return { from: Number(single[1]), until: Number(single[1]) + 1 };
  const under = /^under (\d{1,3})$/.exec(words);
  if (under !== null) return { from: 0, until: Number(under[1]) };
  const upTo = /^(\d{1,3}) and under$/.exec(words);
  if (upTo !== null) return { from: 0, until: Number(upTo[1]) + 1 };
  const open = /^(\d{1,3}) ?(?:\+|and over|or over|and older|or more)$/.exec(words);
  if (open !== null) return { from: Number(open[1]), until: undefined };
  const [, first, last] = /^(\d{1,3}) ?(?:to|-) ?(\d{1,3})$/.exec(words) ?? [];
  if (first === undefined || last === undefined || Number(last) < Number(first)) return undefined;
  return { from: Number(first), until: Number(last) + 1 };
}

/** Whether the bands, in their order, cover every age from 0 on, once. */
export function coverEveryAge(bands: readonly AgeBand[]): boolean {
  let next: number | undefined = 0;
  for (const { from, until } of bands) {
    if (next === undefined || from !== next) return false;
    next = until;
  }
  return bands.length > 0 && next === undefined;
}

/**
 * The age that half of the people are younger than, taking ages as spread evenly within the band of the median. NaN
 * where there is nobody, or where the median lies in the open band, whose width nobody knows. `bands` in order.
 */
export function medianAge(bands: readonly AgeBand[], counts: ArrayLike<number>): number {
  const counted = bands.map((band, at) => {
    const count = counts[at];
    if (count === undefined) throw new RangeError(`The band from ${band.from} has no count.`);
    return { ...band, count };
  });
  const total = counted.reduce((sum, { count }) => sum + count, 0);
  if (total === 0) return Number.NaN;
  let before = 0;
  for (const { from, until, count } of counted) {
    if (count > 0 && before + count >= total / 2) {
      return until === undefined ? Number.NaN : from + ((total / 2 - before) / count) * (until - from);
    }
    before += count;
  }
  return Number.NaN;
}
