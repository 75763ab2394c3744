// Which plan, and how many credits a month where they are agreed: for whoever opens an account, changes or approves a plan.

import type { AccountView } from '../../src/portal/views.ts';
import { type Bound, Choice, Field } from '../components/form.tsx';
import { planText } from '../formats.ts';

/** A plan that is missing here does not compile. */
const order: Readonly<Record<AccountView['plan'], number>> = {
  trial: 0,
  basic: 1,
  standard: 2,
  premium: 3,
  enterprise: 4,
};
const isPlan = (word: string): word is AccountView['plan'] => word in order;
const options = Object.keys(order)
  .filter(isPlan)
  .map((plan) => ({ value: plan, label: planText(plan) }));

export function PlanChoice(bound: Bound<AccountView['plan']>) {
  return <Choice label="Plan" options={options} {...bound} />;
}

export function CreditsPerMonth({ plan, ...bound }: Bound<string> & { readonly plan: AccountView['plan'] }) {
  // A trial is given once and never renews.
  if (plan === 'trial') return null;
  const isAgreed = plan === 'enterprise';
  return (
    <Field
      type="number"
      min="0"
      label={isAgreed ? 'Credits a month' : 'Credits a month, if not the usual number'}
      hint={
        isAgreed
          ? 'As agreed. This plan has no fixed number.'
          : 'If you leave it empty, the account gets what the plan gives.'
      }
      required={isAgreed}
      {...bound}
    />
  );
}

/** As the service takes it: left out where nothing was typed. */
export const creditsWish = (plan: AccountView['plan'], typed: string): { creditsPerMonth?: number } =>
  plan === 'trial' || typed === '' ? {} : { creditsPerMonth: Number(typed) };
