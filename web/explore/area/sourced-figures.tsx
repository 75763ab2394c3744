// Figures that say where they come from: pointing at one, reaching it by keyboard or touching it shows its source and date in the
// line below. Whoever hears the page is told it with the figure.

import { useId, useState } from 'preact/hooks';
import { type Basis, type Figure, noPoint, sourceText, withinOf } from './figures.ts';

type SourcedFiguresWish = {
  readonly figures: readonly Figure[];
  readonly basis: readonly Basis[];
  /** "within 800 m", where the heading says so. */
  readonly saidAbove: string | undefined;
};

export function SourcedFigures({ figures, basis, saidAbove }: SourcedFiguresWish) {
  const id = useId();
  const [shown, setShown] = useState<Figure | undefined>(undefined);
  return (
    <>
      <ul class="facts">
        {figures.map((figure, at) => (
          <li key={figure.label}>
            <button
              type="button"
              class={classOf(figure, shown)}
              aria-describedby={`${id}-${at}`}
              onClick={() => setShown(figure)}
              onFocus={() => setShown(figure)}
              onMouseEnter={() => setShown(figure)}
              onKeyDown={({ key }) => {
                if (key === 'Escape') setShown(undefined);
              }}
            >
              <span class="fact-label">{figure.label}</span>
              <span class="fact-count">
                <span class="fact-value">{figure.value ?? 'not known'}</span>
                <Within words={withinOf(figure, basis)} saidAbove={saidAbove} />
              </span>
            </button>
            <span class="unseen" id={`${id}-${at}`}>
              {sourceText(figure, basis)}
            </span>
          </li>
        ))}
      </ul>
      <p class="fact-source" aria-hidden="true">
        {lineOf(figures, basis, shown)}
      </p>
    </>
  );
}

type WithinWish = { readonly words: string | undefined; readonly saidAbove: string | undefined };

function Within({ words, saidAbove }: WithinWish) {
  if (words === undefined || words === saidAbove) return null;
  return (
    <>
      {' '}
      <span class="fact-within">{words}</span>
    </>
  );
}

const classOf = (figure: Figure, shown: Figure | undefined): string =>
  [
    'fact',
    figure.value === null ? 'unknown' : 'known',
    figure.label === shown?.label ? 'shown' : 'quiet',
  ].join(' ');

/** Of the figure that was chosen. Where nothing is known of any, why that is, unless it stands above all of them. */
function lineOf(figures: readonly Figure[], basis: readonly Basis[], shown: Figure | undefined): string {
  if (shown !== undefined) return `${shown.label}: ${sourceText(shown, basis)}`;
  const [first] = figures;
  const isUnknown = figures.every(({ value }) => value === null);
  return first !== undefined && isUnknown && first.unknown !== noPoint ? sourceText(first, basis) : '';
}
