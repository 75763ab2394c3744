// Credits given or taken back, with the reason that stands in the customer's statement.

import { useState } from 'preact/hooks';
import { ask } from '../../ask.ts';
import { Button } from '../../components/button.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { Choices, Field, Form, TextArea } from '../../components/form.tsx';
import { creditsText, numberText } from '../../formats.ts';
import type { DoingWish } from './doing-wish.ts';

export function CorrectCredits({ account: { accountId, balance }, onClose, onChanged }: DoingWish) {
  const [way, setWay] = useState<'give' | 'take'>('give');
  const [credits, setCredits] = useState('');
  const [reason, setReason] = useState('');
  const change = (way === 'give' ? 1 : -1) * Number(credits);
  return (
    <Dialog title="Correct the credits" onClose={onClose}>
      <Form
        submit={way === 'give' ? 'Give credits' : 'Take credits back'}
        look={way === 'give' ? 'primary' : 'danger'}
        fields={['credits', 'reason']}
        onSend={async () => {
          const answer = await ask('POST /portal/admin/accounts/:accountId/credits', {
            in: { accountId },
            takes: { credits: change, reason: reason.trim() },
          });
          if (answer.kind === 'refused') return answer;
          const done = way === 'give' ? 'given' : 'taken back';
          await onChanged(
            `${creditsText(Math.abs(change))} ${done}. ${numberText(answer.told.balance)} are left now.`,
          );
          return undefined;
        }}
        beside={<Button onPress={onClose}>Cancel</Button>}
      >
        {(refused) => (
          <>
            <Choices
              legend="What to do"
              value={way}
              onValue={setWay}
              options={[
                { value: 'give', label: 'Give credits', hint: 'They last: no refresh takes them away.' },
                {
                  value: 'take',
                  label: 'Take credits back',
                  hint: 'Lasting ones first. The balance stays above zero.',
                },
              ]}
            />
            <Field
              type="number"
              min="1"
              {...(way === 'take' ? { max: String(balance) } : {})}
              label="Credits"
              hint={`${numberText(balance)} left now${credits === '' ? '' : `, ${numberText(balance + change)} then`}.`}
              required
              value={credits}
              onValue={setCredits}
              error={refused('credits')}
            />
            <TextArea
              label="Reason"
              hint="Stands in the customer’s statement."
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
