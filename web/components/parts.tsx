// Small parts that pages are put together from: figures in tiles, badges, terms with their meaning, code that can be copied.

import type { ComponentChildren } from 'preact';
import { CopyButton } from './button.tsx';

/** A part of a page with its own heading. */
export function Part({
  title,
  lead,
  actions,
  children,
}: {
  readonly title: string;
  readonly lead?: ComponentChildren;
  readonly actions?: ComponentChildren;
  readonly children: ComponentChildren;
}) {
  return (
    <section class="part">
      <header class="part-head">
        <div>
          <h2>{title}</h2>
          {lead === undefined ? null : <p class="part-lead">{lead}</p>}
        </div>
        {actions === undefined ? null : <div class="actions">{actions}</div>}
      </header>
      {children}
    </section>
  );
}

export function Card({ children }: { readonly children: ComponentChildren }) {
  return <div class="card">{children}</div>;
}

type FigureWish = {
  readonly label: string;
  readonly value: string;
  readonly note?: ComponentChildren;
};

/** A few numbers side by side. */
export function Figures({ figures }: { readonly figures: readonly FigureWish[] }) {
  return (
    <dl class="figures">
      {figures.map(({ label, value, note }) => (
        <div key={label}>
          <dt>{label}</dt>
          <dd>
            <span class="figure">{value}</span>
            {note === undefined ? null : <span class="figure-note">{note}</span>}
          </dd>
        </div>
      ))}
    </dl>
  );
}

export function Badge({
  tone = 'plain',
  children,
}: {
  readonly tone?: 'plain' | 'good' | 'warning' | 'bad';
  readonly children: ComponentChildren;
}) {
  return <span class={`badge ${tone}`}>{children}</span>;
}

/** How much of something is used, with its words beside it. */
export function Meter({
  label,
  used,
  most,
  words,
}: {
  readonly label: string;
  readonly used: number;
  readonly most: number;
  readonly words: string;
}) {
  return (
    <div class="meter">
      <span class="meter-label">{label}</span>
      <span class="meter-words">{words}</span>
      <meter
        min={0}
        max={Math.max(1, most)}
        high={most * 0.9}
        value={Math.min(used, most)}
        aria-label={label}
      />
    </div>
  );
}

export function Terms({
  terms,
}: {
  readonly terms: readonly (readonly [term: string, meaning: ComponentChildren])[];
}) {
  return (
    <dl class="terms">
      {terms.map(([term, meaning]) => (
        <div key={term}>
          <dt>{term}</dt>
          <dd>{meaning}</dd>
        </div>
      ))}
    </dl>
  );
}

/** A command or an answer; `copy` says what is copied. */
export function Code({
  text,
  label,
  copy,
}: {
  readonly text: string;
  readonly label: string;
  readonly copy?: string;
}) {
  return (
    <div class="code">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard. */}
      <section class="code-frame" tabIndex={0} aria-label={label}>
        <pre>
          <code>{text}</code>
        </pre>
      </section>
      {copy === undefined ? null : <CopyButton text={text} what={copy} />}
    </div>
  );
}
