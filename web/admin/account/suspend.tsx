// Stops an account until it is resumed, with a reason that the customer reads.

import { ask } from '../../ask.ts';
import { FormDialog } from '../../components/dialog.tsx';
import { TextArea } from '../../components/form.tsx';
import { oneLine } from '../../formats.ts';
import type { DoingWish } from './doing-wish.ts';

export function Suspend({ account: { accountId, name }, onClose, onChanged }: DoingWish) {
  return (
    <FormDialog
      title={`Suspend ${name}?`}
      submit="Suspend it"
      look="danger"
      first={{ reason: '' }}
      onSend={async ({ reason }) => {
        const answer = await ask('POST /portal/admin/accounts/:accountId/suspend', {
          in: { accountId },
          takes: { reason: oneLine(reason) },
        });
        if (answer.kind === 'refused') return answer;
        await onChanged('The account is suspended: its keys are refused.');
        return undefined;
      }}
      onClose={onClose}
    >
      {(field) => (
        <>
          <p>
            From the next call on, every key of this account gets <code>403 ACCOUNT_SUSPENDED</code>. Credits,
            keys and plan stay as they are, and people can still sign in.
          </p>
          <TextArea
            label="Reason"
            hint="The customer sees it on every page."
            required
            rows={2}
            maxLength={300}
            {...field('reason')}
          />
        </>
      )}
    </FormDialog>
  );
}
