// Opens an account for a customer, and invites who will own it.

import { useState } from 'preact/hooks';
import type { AccountView } from '../../src/portal/contract.ts';
import { ask } from '../ask.ts';
import { Button } from '../components/button.tsx';
import { Dialog } from '../components/dialog.tsx';
import { Field, Form } from '../components/form.tsx';
import { useMe } from '../me.ts';
import { navigate } from '../router.ts';
import { CreditsPerMonth, creditsWish, PlanChoice } from './plan-terms.tsx';

export function OpenAccount({ onClose }: { readonly onClose: () => void }) {
  const [name, setName] = useState('');
  const [plan, setPlan] = useState<AccountView['plan']>('basic');
  const [credits, setCredits] = useState('');
  const [owner, setOwner] = useState('');
  const me = useMe();
  const isMailed = me.kind !== 'told' || me.told.mail === 'sent';
  return (
    <Dialog title="Open an account" onClose={onClose}>
      <Form
        submit="Open it"
        fields={['name', 'plan', 'creditsPerMonth', 'owner']}
        onSend={async () => {
          const answer = await ask('POST /portal/admin/accounts', {
            takes: {
              name: name.trim(),
              plan,
              ...creditsWish(plan, credits),
              ...(owner.trim() === '' ? {} : { owner: owner.trim() }),
            },
          });
          if (answer.kind === 'refused') return answer;
          navigate(`/admin/accounts/${encodeURIComponent(answer.told.accountId)}`);
          return undefined;
        }}
        beside={<Button onPress={onClose}>Cancel</Button>}
      >
        {(refused) => (
          <>
            <Field
              label="Name"
              hint="Of the firm or the project. The customer sees it."
              required
              maxLength={100}
              value={name}
              onValue={setName}
              error={refused('name')}
            />
            <PlanChoice plan={plan} onPlan={setPlan} error={refused('plan')} />
            <CreditsPerMonth
              plan={plan}
              value={credits}
              onValue={setCredits}
              error={refused('creditsPerMonth')}
            />
            <Field
              type="email"
              inputmode="email"
              label="Address of its owner"
              hint={
                isMailed ? (
                  'Gets an invitation by mail. Can be left empty.'
                ) : (
                  <>
                    Can be left empty. This service sends no mail:{' '}
                    <code>npx domesday people link ADDRESS</code> prints the invitation.
                  </>
                )
              }
              value={owner}
              onValue={setOwner}
              error={refused('owner') ?? refused('email')}
            />
          </>
        )}
      </Form>
    </Dialog>
  );
}
