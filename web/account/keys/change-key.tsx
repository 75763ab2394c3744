// What can be changed about a key: its name, its end, what it is bound to. Its kind and its origins stay.

import type { KeyView } from '../../../src/portal/views.ts';
import { ask } from '../../ask.ts';
import { FormDialog } from '../../components/dialog.tsx';
import { nameOfKey } from '../request-table.tsx';
import { linesOf } from './kinds.ts';
import { lacking } from './make-key.tsx';
import { Bounds, besideEnds, Ends, endMsOf, Name, type Typed } from './restrictions.tsx';

type ChangeKeyWish = {
  readonly accountId: string;
  readonly view: KeyView;
  readonly endpoints: readonly string[];
  readonly onDone: () => Promise<void>;
  readonly onClose: () => void;
};

const typedOf = ({ name, expiresAtMs, binding }: KeyView): Typed => ({
  name: name ?? '',
  ends: expiresAtMs === null ? 'never' : 'on',
  endDay: expiresAtMs === null ? '' : new Date(expiresAtMs).toISOString().slice(0, 10),
  origins: '',
  addresses: (binding?.addresses ?? []).join('\n'),
  endpoints: binding?.endpoints ?? [],
  reach: binding === null || binding.endpoints === null ? 'all' : 'some',
});

export function ChangeKey({ accountId, view, endpoints, onDone, onClose }: ChangeKeyWish) {
  const before = typedOf(view);
  const send = async (typed: Typed) => {
    const unsaid = lacking(typed);
    if (unsaid !== undefined) return unsaid;
    const addresses = linesOf(typed.addresses);
    const isEndNew = typed.ends !== before.ends || typed.endDay !== before.endDay;
    const answer = await ask('PATCH /portal/accounts/:accountId/keys/:keyId', {
      in: { accountId, keyId: view.keyId },
      takes: {
        name: typed.name.trim() === '' ? null : typed.name.trim(),
        // What nobody touched keeps its hour.
        ...(isEndNew ? { expiresAtMs: endMsOf(typed) } : {}),
        endpoints: typed.reach === 'all' ? null : typed.endpoints,
        addresses: addresses.length === 0 ? null : addresses,
      },
    });
    return besideEnds(answer);
  };
  return (
    <FormDialog
      title={`Change ${nameOfKey(view)}`}
      submit="Save"
      first={before}
      onSend={send}
      onDone={async () => {
        await onDone();
        onClose();
      }}
      onClose={onClose}
    >
      {(field) => (
        <>
          <p class="soft">Takes effect at the next call. The key itself stays the same.</p>
          <Name field={field} />
          <Ends field={field} />
          <Bounds field={field} known={endpoints} />
        </>
      )}
    </FormDialog>
  );
}
