// A key just made: told once, and in sight until it is kept.

import { useEffect, useRef } from 'preact/hooks';
import { curlText } from '../../api/call-text.ts';
import { Button } from '../../components/button.tsx';
import { Code } from '../../components/parts.tsx';
import { momentText } from '../../formats.ts';
import { firstCall } from '../start/calls.ts';
import { kindText, type MadeKind } from './kinds.ts';

export type NewKey = {
  readonly kind: MadeKind;
  readonly key: string;
  /** The one it was made in the place of, and until when that works. */
  readonly old: { readonly name: string; readonly untilMs: number } | null;
};

export function NewKeyShown({ made, onKept }: { readonly made: NewKey; readonly onKept: () => void }) {
  const panel = useRef<HTMLElement>(null);
  useEffect(() => panel.current?.focus(), []);
  const { kind, key, old } = made;
  return (
    <section class="card stack new-key" ref={panel} tabIndex={-1} aria-labelledby="new-key">
      <h2 id="new-key">Your new {kindText(kind).toLowerCase()} key</h2>
      <p>This is the only time it is shown. Save it where you keep passwords.</p>
      <div class="told-keys">
        <Code text={key} label="The key" copy="the key" />
      </div>
      {old === null ? null : (
        <p>
          {old.untilMs <= Date.now()
            ? `The old one (${old.name}) has stopped.`
            : `The old one (${old.name}) works until ${momentText(old.untilMs)}. Start to use the new one before then.`}
        </p>
      )}
      {kind === 'publishable' ? null : (
        <Code text={curlText(firstCall, key)} label="A call with curl" copy="the call" />
      )}
      <div class="actions">
        <Button look="primary" onPress={onKept}>
          I have saved it
        </Button>
      </div>
    </section>
  );
}
