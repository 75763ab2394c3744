// The months of the crimes on the map: all of them together, at the left end, or one. A month without figures says so.

import { useId } from 'preact/hooks';
import { countText, monthText } from '../../formats.ts';
import { monthsInWords } from '../crime/months.ts';
import type { CrimeMonth } from './crime-layer.ts';

export function MonthSlider({
  months,
  month,
  onMonth,
}: {
  /** Undefined while they are on their way: it keeps its room. */
  readonly months: readonly CrimeMonth[] | undefined;
  readonly month: string | undefined;
  readonly onMonth: (month: string | undefined) => void;
}) {
  const id = useId();
  const known = months ?? [];
  const at = known.findIndex((each) => each.month === month) + 1;
  const newest = known.at(-1);
  const words = months === undefined ? 'Loading…' : wordsOf(months[at - 1], months);
  return (
    <div class="month-slider">
      <label for={id}>Months to show</label>
      <p class="month-hint" id={`${id}-hint`}>
        Slide to the right for one month at a time.
      </p>
      <input
        id={id}
        type="range"
        min={0}
        max={known.length}
        disabled={months === undefined}
        step={1}
        value={at}
        aria-valuetext={words}
        aria-describedby={`${id}-hint`}
        onInput={({ currentTarget }) => onMonth(known[currentTarget.valueAsNumber - 1]?.month)}
      />
      <p class="month-ends" aria-hidden="true">
        <span>All months</span>
        <span>{newest === undefined ? '' : monthText(newest.month)}</span>
      </p>
      <p class="month-words" aria-hidden="true">
        {words}
      </p>
    </div>
  );
}

function wordsOf(chosen: CrimeMonth | undefined, months: readonly CrimeMonth[]): string {
  if (chosen !== undefined)
    return chosen.total === undefined
      ? `${monthText(chosen.month)}: not published, or not loaded`
      : `${monthText(chosen.month)}: ${countText(chosen.total, 'crime')}`;
  const missing = months.filter(({ total }) => total === undefined);
  if (missing.length > 0) {
    const named = monthsInWords(missing.map(({ month }) => month));
    return `${months.length - missing.length} of ${months.length} months: ${named} ${missing.length === 1 ? 'is' : 'are'} missing`;
  }
  const newest = months.at(-1);
  const until = newest === undefined ? '' : ` to ${monthText(newest.month)}`;
  return `All ${months.length} months${until}`;
}
