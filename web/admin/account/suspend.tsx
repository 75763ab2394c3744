// Stops an account until it is resumed, with a reason that the customer reads.

import { useState } from 'preact/hooks';
import { ask } from '../../ask.ts';
import { Button } from '../../components/button.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { Form, TextArea } from '../../components/form.tsx';
import type { DoingWish } from './doing-wish.ts';

export function Suspend({ account: { accountId, name }, onClose, onChanged }: DoingWish) {
  const [reason, setReason] = useState('');
  return (
    <Dialog title={`Suspend ${name}?`} onClose={onClose}>
      <Form
        submit="Suspend it"
        look="danger"
        fields={['reason']}
        onSend={async () => {
          const answer = await ask('POST /portal/admin/accounts/:accountId/suspend', {
            in: { accountId },
            takes: { reason: reason.trim() },
          });
          if (answer.kind === 'refused') return answer;
          await onChanged('The account is suspended: its keys are refused.');
          return undefined;
        }}
        beside={<Button onPress={onClose}>Cancel</Button>}
      >
        {(refused) => (
          <>
            <p>
              From the next call on every key of this account answers <code>403 ACCOUNT_SUSPENDED</code>.
              Credits, keys and plan stay as they are, and people can still sign in.
            </p>
            <TextArea
              label="Reason"
              hint="The customer reads it on every page."
              required
              rows={2}
              value={reason}
              onValue={setReason}
              error={refused('reason')}
            />
          </>
        )}
      </Form>
    </Dialog>
  );
}
