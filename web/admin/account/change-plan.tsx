// Puts an account on another plan, or on other terms of the same.

import type { AccountView } from '../../../src/portal/views.ts';
import { ask } from '../../ask.ts';
import { FormDialog } from '../../components/dialog.tsx';
import { ReasonField } from '../../components/form.tsx';
import { Answered } from '../../components/notice.tsx';
import { Terms } from '../../components/parts.tsx';
import { creditsText, PlanPrice } from '../../components/plan-prices.tsx';
import { numberText, oneLine, planText } from '../../formats.ts';
import { useAsk } from '../../use-ask.ts';
import { CreditsPerMonth, creditsWish, PlanChoice } from '../plan-terms.tsx';
import type { DoingWish } from './doing-wish.ts';

export function ChangePlan({ account, onClose, onChanged }: DoingWish) {
  const { accountId } = account;
  return (
    <FormDialog
      title="Change the plan"
      submit="Change the plan"
      first={{ plan: account.plan, creditsPerMonth: '', reason: '' }}
      onSend={({ plan, creditsPerMonth, reason }) =>
        ask('POST /portal/admin/accounts/:accountId/plan', {
          in: { accountId },
          takes: { plan, reason: oneLine(reason), ...creditsWish(plan, creditsPerMonth) },
        })
      }
      onDone={(_, { plan }) => onChanged(`The account is on ${planText(plan)} now.`)}
      onClose={onClose}
    >
      {(field, { plan }) => (
        <>
          <PlanChoice {...field('plan')} />
          <Gives accountId={accountId} plan={plan} />
          <CreditsPerMonth plan={plan} {...field('creditsPerMonth')} />
          <ReasonField hint="Kept with the change. Owners can read it." {...field('reason')} />
          <p class="soft">
            A larger allowance adds the difference at once; a smaller one counts from the next refresh.
            Credits and limits that you agreed before end, unless you enter them again. Lasting credits stay.
          </p>
        </>
      )}
    </FormDialog>
  );
}

function Gives({ accountId, plan }: { readonly accountId: string; readonly plan: AccountView['plan'] }) {
  const asked = useAsk('GET /portal/accounts/:accountId/plans', { in: { accountId } });
  return (
    <Answered of={asked} lines={2}>
      {({ plans }) => {
        const chosen = plans.find((each) => each.plan === plan);
        if (chosen === undefined) return null;
        return (
          <Terms
            terms={[
              ['Credits', creditsText(chosen)],
              ['Calls', limitsText(chosen.limits)],
              ...(chosen.price === null ? [] : [['Price', <PlanPrice key="price" plan={chosen} />] as const]),
            ]}
          />
        );
      }}
    </Answered>
  );
}

function limitsText({ minute, day, month }: AccountView['limits']): string {
  const limits = [
    [minute, 'a minute'],
    [day, 'a day'],
    [month, 'a month'],
  ] as const;
  const said = limits.flatMap(([most, window]) => (most === null ? [] : [`${numberText(most)} ${window}`]));
  return said.length === 0 ? 'no limit' : `at most ${said.join(', ')}`;
}
