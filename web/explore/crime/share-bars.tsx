// Counts with their shares as a list of bars. The words and numbers stand in the text, so that nothing is told by a bar alone.

import { numberText, percentText } from '../../formats.ts';
import { type Kind, kindsInOrder } from './months.ts';

/** The same of a second place. */
export type BesideBars = {
  readonly bars: readonly Kind[];
  /** Whose order both have. */
  readonly first: { readonly title: string; readonly side: 'this' | 'beside' };
  /** What else differs between the two. */
  readonly note?: string | undefined;
};

type ShareBarsWish = {
  /** "Crimes by kind, August 2026". */
  readonly label: string;
  /** Largest first. */
  readonly bars: readonly Kind[];
  readonly beside: BesideBars | undefined;
};

/** Bars of two places have one order and one scale, that of shares. */
export function ShareBars({ label, bars, beside }: ShareBarsWish) {
  if (beside === undefined || beside.bars.length === 0)
    return <Bars label={label} bars={bars} most={largestShare(bars)} />;
  const { first, note } = beside;
  const both = first.side === 'this' ? ([bars, beside.bars] as const) : ([beside.bars, bars] as const);
  return (
    <>
      <p class="kinds-order">
        In the order of {first.title}. Bars show shares, with one scale for both.
        {note === undefined ? null : ` ${note}`}
      </p>
      <Bars
        label={label}
        bars={kindsInOrder(bars, both)}
        most={Math.max(largestShare(bars), largestShare(beside.bars))}
      />
    </>
  );
}

type BarsWish = { readonly label: string; readonly bars: readonly Kind[]; readonly most: number };

function Bars({ label, bars, most }: BarsWish) {
  const total = totalOf(bars);
  return (
    <ul class="share-bars" aria-label={label}>
      {bars.map(({ slug, name, count }) => (
        <li key={slug}>
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
const totalOf = (bars: readonly Kind[]): number => bars.reduce((sum, { count }) => sum + count, 0) || 1;

const largestShare = (bars: readonly Kind[]): number =>
  Math.max(0, ...bars.map(({ count }) => count)) / totalOf(bars);
