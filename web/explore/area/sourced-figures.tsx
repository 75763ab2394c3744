// Figures that say where they come from: pointing at one, reaching it by keyboard or touching it shows its source and date in the
// line below. Whoever hears the page is told it with the figure.

import { useId, useState } from 'preact/hooks';
import { type Basis, type Figure, sourceText } from './figures.ts';

type SourcedFiguresWish = { readonly figures: readonly Figure[]; readonly basis: readonly Basis[] };

export function SourcedFigures({ figures, basis }: SourcedFiguresWish) {
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
              <span class="fact-value">{figure.value ?? 'not known'}</span>
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

const classOf = (figure: Figure, shown: Figure | undefined): string =>
  [
    'fact',
    figure.value === null ? 'unknown' : 'known',
    figure.label === shown?.label ? 'shown' : 'quiet',
  ].join(' ');

/** Of the figure that was chosen. Where nothing is known of any, why that is. */
function lineOf(figures: readonly Figure[], basis: readonly Basis[], shown: Figure | undefined): string {
  if (shown !== undefined) return `${shown.label}: ${sourceText(shown, basis)}`;
  const [first] = figures;
  return first !== undefined && figures.every(({ value }) => value === null) ? sourceText(first, basis) : '';
}
