// Counts with their shares as a list of bars. The words and numbers stand in the text, so that nothing is told by a bar alone.

import { numberText, percentText } from '../../formats.ts';

type Bar = { readonly name: string; readonly count: number };

type ShareBarsWish = {
  readonly bars: readonly Bar[];
  readonly label: string;
  /** A list that stands beside it: bars of both have one scale, that of shares. */
  readonly beside?: readonly Bar[];
};

export function ShareBars({ bars, label, beside = [] }: ShareBarsWish) {
  const total = totalOf(bars);
  const most = Math.max(largestShare(bars), largestShare(beside));
  return (
    <ul class="share-bars" aria-label={label}>
      {bars.map(({ name, count }) => (
        <li key={name}>
          <span class="share-name">{name}</span>
          <span class="share-count">{numberText(count)}</span>
          <span class="share-part">{percentText(count / total)}</span>
          <span class="share-track" aria-hidden="true">
            {count === 0 ? null : (
              <span class="share-bar" style={{ width: `${(100 * count) / total / most}%` }} />
            )}
          </span>
        </li>
      ))}
    </ul>
  );
}

/** At least 1, since shares are parts of it. */
const totalOf = (bars: readonly Bar[]): number => bars.reduce((sum, { count }) => sum + count, 0) || 1;

const largestShare = (bars: readonly Bar[]): number =>
  Math.max(0, ...bars.map(({ count }) => count)) / totalOf(bars);
