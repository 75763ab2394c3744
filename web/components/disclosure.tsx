// A part that is closed at first. What it holds is made when somebody opens it.

import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';

type DisclosureWish = {
  readonly class: string;
  readonly summary: ComponentChildren;
  readonly children: () => ComponentChildren;
};

export function Disclosure({ class: look, summary, children }: DisclosureWish) {
  const [state, setState] = useState<'open' | 'closed'>('closed');
  return (
    <details class={look} onToggle={({ currentTarget }) => setState(currentTarget.open ? 'open' : 'closed')}>
      <summary>{summary}</summary>
      {state === 'open' ? children() : null}
    </details>
  );
}
