// A part of a panel that asks only when its reader opens it, and says beforehand what that costs.

import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { creditsText } from '../formats.ts';
import { usePayer } from './payer.ts';

type OnRequestWish = {
  readonly summary: string;
  /** Of the call that opening it makes. */
  readonly cost: number;
  readonly children: () => ComponentChildren;
};

export function OnRequest({ summary, cost, children }: OnRequestWish) {
  const payer = usePayer();
  const [wasOpened, setOpened] = useState<'no' | 'yes'>('no');
  const isFree = cost === 0 || payer.kind === 'sandbox';
  return (
    <details
      class="on-request"
      onToggle={({ currentTarget }) => {
        if (currentTarget.open) setOpened('yes');
      }}
    >
      <summary>
        {summary}
        {'\u00a0'}
        <span class="soft">{isFree ? 'free' : creditsText(cost)}</span>
      </summary>
      {wasOpened === 'no' ? null : <div class="on-request-body">{children()}</div>}
    </details>
  );
}
