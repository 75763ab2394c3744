// Figures that say where they come from: pointing at one or reaching it by keyboard shows its source and date in the line below
// them; on a phone, touching one opens it below its row. Whoever hears the page is told it with the figure.

import { Fragment } from 'preact';
import { useId, useState } from 'preact/hooks';
import {
  type Basis,
  besideValue,
  type Figure,
  listsOf,
  mostlyUnknown,
  noPoint,
  reasonText,
  sourceText,
} from './figures.ts';

type SourcedFiguresWish = { readonly figures: readonly Figure[]; readonly basis: readonly Basis[] };

export function SourcedFigures({ figures, basis }: SourcedFiguresWish) {
  const [pointed, setPointed] = useState<Figure | undefined>(undefined);
  const [opened, setOpened] = useState<string | undefined>(undefined);
  const unknown = mostlyUnknown(figures);
  const shown = unknown.length === 0 ? figures : figures.filter(({ value }) => value !== null);
  return (
    <>
      {listsOf(shown, basis).map(({ within, figures: listed }) => (
        <Fragment key={within}>
          {within === undefined ? null : <h4 class="facts-within">Counted {within}</h4>}
          <ul class="facts">
            {listed.map((figure) => (
              <Fact
                key={figure.label}
                figure={figure}
                basis={basis}
                saidAbove={within}
                look={figure.label === pointed?.label ? 'shown' : 'quiet'}
                state={figure.label === opened ? 'open' : 'closed'}
                onPoint={setPointed}
                onOpen={setOpened}
              />
            ))}
          </ul>
        </Fragment>
      ))}
      {shown.length === 0 ? null : (
        <p class="fact-source" aria-hidden="true">
          {pointed === undefined ? '' : `${pointed.label}: ${sourceText(pointed, basis)}`}
        </p>
      )}
      {unknown.map(({ reason, labels }) => (
        <p key={reason} class="facts-unknown">
          {labels.length === figures.length ? 'Not known' : `Not known: ${labels.join(', ')}`}.{' '}
          {reason === noPoint ? null : reasonText(reason)}
        </p>
      ))}
    </>
  );
}

type FactWish = {
  readonly figure: Figure;
  readonly basis: readonly Basis[];
  /** "within 800 m", where that stands above. */
  readonly saidAbove: string | undefined;
  /** Of the line below all figures. */
  readonly look: 'shown' | 'quiet';
  /** Of the line below its row. */
  readonly state: 'open' | 'closed';
  readonly onPoint: (figure: Figure | undefined) => void;
  readonly onOpen: (label: string | undefined) => void;
};

function Fact({ figure, basis, saidAbove, look, state, onPoint, onOpen }: FactWish) {
  const id = useId();
  const source = sourceText(figure, basis);
  return (
    <>
      <li>
        <button
          type="button"
          class={`fact ${figure.value === null ? 'unknown' : 'known'} ${look} ${state}`}
          aria-describedby={id}
          onClick={() => {
            onPoint(figure);
            onOpen(state === 'open' ? undefined : figure.label);
          }}
          onFocus={() => onPoint(figure)}
          onMouseEnter={() => onPoint(figure)}
          onKeyDown={({ key }) => {
            if (key !== 'Escape') return;
            onPoint(undefined);
            onOpen(undefined);
          }}
        >
          <span class="fact-label">{figure.label}</span>
          <span class="fact-count">
            <span class="fact-value">{figure.value ?? 'not known'}</span>
            <Within words={besideValue(figure, basis)} saidAbove={saidAbove} />
          </span>
        </button>
        <span class="unseen" id={id}>
          {source}
        </span>
      </li>
      {state === 'open' ? (
        <li class="fact-opened" aria-hidden="true">
          {figure.label}: {source}
        </li>
      ) : null}
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
