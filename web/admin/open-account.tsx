// Opens an account for a customer, and invites who will own it.

import type { AccountView } from '../../src/portal/views.ts';
import { ask } from '../ask.ts';
import { FormDialog } from '../components/dialog.tsx';
import { Field } from '../components/form.tsx';
import { shellText } from '../formats.ts';
import { useMe } from '../me.ts';
import { navigate } from '../router.ts';
import { CreditsPerMonth, creditsWish, PlanChoice } from './plan-terms.tsx';

type Opening = {
  readonly name: string;
  readonly plan: AccountView['plan'];
  readonly creditsPerMonth: string;
  readonly owner: string;
};

const nothing: Opening = { name: '', plan: 'basic', creditsPerMonth: '', owner: '' };

export function OpenAccount({ onClose }: { readonly onClose: () => void }) {
  const me = useMe();
  const isMailed = me.kind !== 'told' || me.told.mail === 'sent';
  return (
    <FormDialog
      title="Open an account"
      submit="Open it"
      first={nothing}
      onSend={open}
      onDone={({ accountId }) => navigate(`/admin/accounts/${encodeURIComponent(accountId)}`)}
      onClose={onClose}
    >
      {(field, { plan, owner }) => (
        <>
          <Field
            label="Name"
            hint="The company or project. The customer sees it."
            required
            maxLength={100}
            {...field('name')}
          />
          <PlanChoice {...field('plan')} />
          <CreditsPerMonth plan={plan} {...field('creditsPerMonth')} />
          <Field
            type="email"
            inputmode="email"
            label="Owner’s e-mail address"
            hint={
              isMailed ? (
                'Gets an invitation by e-mail. Optional.'
              ) : (
                <>
                  Optional. This service sends no e-mail:{' '}
                  <code>
                    npx domesday people link {owner.trim() === '' ? 'ADDRESS' : shellText(owner.trim())}
                  </code>{' '}
                  prints the invitation.
                </>
              )
            }
            {...field('owner')}
          />
        </>
      )}
    </FormDialog>
  );
}

async function open({ name, plan, creditsPerMonth, owner }: Opening) {
  const answer = await ask('POST /portal/admin/accounts', {
    takes: {
      name: name.trim(),
      plan,
      ...creditsWish(plan, creditsPerMonth),
      ...(owner.trim() === '' ? {} : { owner: owner.trim() }),
    },
  });
  // The invitation blames an address.
  return answer.kind === 'refused' && answer.field === 'email' ? { ...answer, field: 'owner' } : answer;
}
