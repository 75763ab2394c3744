// Credits given or taken back, with the reason that stands in the customer's statement.

import { useState } from 'preact/hooks';
import { ask } from '../../ask.ts';
import { FormDialog } from '../../components/dialog.tsx';
import { Choices, Field, ReasonField } from '../../components/form.tsx';
import { creditsText, numberText, oneLine } from '../../formats.ts';
import type { DoingWish } from './doing-wish.ts';

export function CorrectCredits({ account: { accountId, balance }, onClose, onChanged }: DoingWish) {
  const [way, setWay] = useState<'give' | 'take'>('give');
  const changeOf = (credits: string) => (way === 'give' ? 1 : -1) * Number(credits);
  return (
    <FormDialog
      title="Correct the credits"
      submit={way === 'give' ? 'Give credits' : 'Take credits back'}
      look={way === 'give' ? 'primary' : 'danger'}
      first={{ credits: '', reason: '' }}
      onSend={({ credits, reason }) =>
        ask('POST /portal/admin/accounts/:accountId/credits', {
          in: { accountId },
          takes: { credits: changeOf(credits), reason: oneLine(reason) },
        })
      }
      onDone={({ balance: left }, { credits }) => {
        const done = way === 'give' ? 'given' : 'taken back';
        return onChanged(`${creditsText(Number(credits))} ${done}. ${numberText(left)} are left.`);
      }}
      onClose={onClose}
    >
      {(field, { credits }) => (
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
            hint={`${numberText(balance)} left now${credits === '' ? '' : `, ${numberText(balance + changeOf(credits))} then`}.`}
            required
            {...field('credits')}
          />
          <ReasonField hint="Appears in the customer’s statement." {...field('reason')} />
        </>
      )}
    </FormDialog>
  );
}
