// Counts with their shares as a list of bars. The words and numbers stand in the text, so that nothing is told by a bar alone.

import { numberText, percentText } from '../../formats.ts';

type Bar = { readonly name: string; readonly count: number };

export function ShareBars({ bars, label }: { readonly bars: readonly Bar[]; readonly label: string }) {
  const total = bars.reduce((sum, { count }) => sum + count, 0);
  const most = Math.max(1, ...bars.map(({ count }) => count));
  return (
    <ul class="share-bars" aria-label={label}>
      {bars.map(({ name, count }) => (
        <li key={name}>
          <span class="share-name">{name}</span>
          <span class="share-count">{numberText(count)}</span>
          <span class="share-part">{percentText(count / Math.max(1, total))}</span>
          <span class="share-track" aria-hidden="true">
            <span class="share-bar" style={{ width: `${(100 * count) / most}%` }} />
          </span>
        </li>
      ))}
    </ul>
  );
}
