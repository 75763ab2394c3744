// The end of a key: revoked at once, or replaced by another one while both work.

import type { KeyView } from '../../../src/portal/views.ts';
import { ask } from '../../ask.ts';
import { Confirm, FormDialog } from '../../components/dialog.tsx';
import { Choice } from '../../components/form.tsx';
import { countText, hourText } from '../../formats.ts';
import { nameOfKey } from '../request-table.tsx';
import type { MadeKind } from './kinds.ts';
import type { NewKey } from './new-key.tsx';

type EndWish = {
  readonly accountId: string;
  readonly view: KeyView;
  readonly onClose: () => void;
};

export function RevokeKey({
  accountId,
  view,
  onDone,
  onClose,
}: EndWish & { readonly onDone: () => Promise<void> }) {
  const { calls, lastUsedHourMs } = view;
  return (
    <Confirm
      title={`Revoke ${nameOfKey(view)}`}
      submit="Revoke it"
      onSend={() =>
        ask('POST /portal/accounts/:accountId/keys/:keyId/revoke', {
          in: { accountId, keyId: view.keyId },
        })
      }
      onDone={onDone}
      onClose={onClose}
    >
      <p>
        From the next call on, this key (<span class="time">…{view.lastFour}</span>) gets <code>401</code>.
        You cannot undo this. Usage and statements stay.
      </p>
      <p>
        {lastUsedHourMs === null
          ? 'It was never used.'
          : `It made ${countText(calls, 'call')}, most recently ${hourText(lastUsedHourMs)}. Anything that still uses it will stop working.`}
      </p>
    </Confirm>
  );
}

const overlaps = [
  { value: '0', label: 'At once' },
  { value: '1', label: 'After an hour' },
  { value: '24', label: 'After a day' },
  { value: '168', label: 'After a week' },
  { value: '720', label: 'After 30 days' },
] as const;

const aDay: { readonly overlapHours: (typeof overlaps)[number]['value'] } = { overlapHours: '24' };

const hourMs = 3_600_000;

export function RotateKey({
  accountId,
  view,
  kind,
  onMade,
  onClose,
}: EndWish & { readonly kind: MadeKind; readonly onMade: (made: NewKey) => Promise<void> }) {
  return (
    <FormDialog
      title={`Rotate ${nameOfKey(view)}`}
      submit="Rotate it"
      first={aDay}
      onSend={({ overlapHours }) =>
        ask('POST /portal/accounts/:accountId/keys/:keyId/rotate', {
          in: { accountId, keyId: view.keyId },
          takes: { overlapHours: Number(overlapHours) },
        })
      }
      onDone={({ key }, { overlapHours }) => {
        const untilMs = Date.now() + Number(overlapHours) * hourMs;
        return onMade({ kind, key, old: { name: `…${view.lastFour}`, untilMs } });
      }}
      onClose={onClose}
    >
      {(field) => (
        <>
          <p>
            You get a new key with the same name, expiry and restrictions. Both work until the old one stops.
          </p>
          <Choice label="The old key stops" options={overlaps} {...field('overlapHours')} />
        </>
      )}
    </FormDialog>
  );
}
