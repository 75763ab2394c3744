// A new key: what kind, how it is called, what it is bound to.

import { useState } from 'preact/hooks';
import { ask, type Refusal, type Wish } from '../../ask.ts';
import { FormDialog } from '../../components/dialog.tsx';
import { Choices, TextArea } from '../../components/form.tsx';
import { kinds, linesOf, type MadeKind } from './kinds.ts';
import type { NewKey } from './new-key.tsx';
import { Bounds, besideEnds, Ends, endMsOf, Name, nothingTyped, type Typed } from './restrictions.tsx';

type MakeKeyWish = {
  readonly accountId: string;
  readonly endpoints: readonly string[];
  readonly onMade: (made: NewKey) => Promise<void>;
  readonly onClose: () => void;
};

export function MakeKey({ accountId, endpoints, onMade, onClose }: MakeKeyWish) {
  const [kind, setKind] = useState<MadeKind>('live');
  const send = async (typed: Typed) => {
    const unsaid = lacking(typed);
    if (unsaid !== undefined) return unsaid;
    const answer = await ask('POST /portal/accounts/:accountId/keys', {
      in: { accountId },
      takes: wishOf(kind, typed),
    });
    return besideEnds(answer);
  };
  return (
    <FormDialog
      title="Make a key"
      submit="Make the key"
      first={nothingTyped}
      onSend={send}
      onDone={({ key }) => onMade({ kind, key, old: null })}
      onClose={onClose}
    >
      {(field) => (
        <>
          <Choices legend="Kind" value={kind} options={kinds} onValue={setKind} />
          <Name field={field} />
          {kind !== 'publishable' ? null : (
            <TextArea
              label="Origins of the pages"
              hint="One per line, such as https://www.example.com. They cannot be changed later."
              required
              rows={2}
              {...field('origins')}
            />
          )}
          <Ends field={field} />
          <Bounds field={field} known={endpoints} />
        </>
      )}
    </FormDialog>
  );
}

/** A key that may call nothing is surely a slip. */
export function lacking({ reach, endpoints }: Typed): Refusal | undefined {
  return reach === 'some' && endpoints.length === 0
    ? {
        kind: 'refused',
        code: 'INVALID',
        message: 'Tick at least one endpoint, or choose all.',
        field: 'endpoints',
      }
    : undefined;
}

function wishOf(kind: MadeKind, typed: Typed): Wish<'POST /portal/accounts/:accountId/keys'>['takes'] {
  const expiresAtMs = endMsOf(typed);
  const addresses = linesOf(typed.addresses);
  return {
    kind,
    ...(typed.name.trim() === '' ? {} : { name: typed.name.trim() }),
    ...(expiresAtMs === null ? {} : { expiresAtMs }),
    ...(kind === 'publishable' ? { origins: linesOf(typed.origins) } : {}),
    ...(addresses.length === 0 ? {} : { addresses }),
    ...(typed.reach === 'all' ? {} : { endpoints: typed.endpoints }),
  };
}
