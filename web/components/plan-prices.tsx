// What plans cost, in the operator's words: beside a plan, and as a list of all. A plan without a price has none here either.

import type { PlanView } from '../../src/portal/views.ts';
import { numberText, planText } from '../formats.ts';
import { Table } from './table.tsx';

export function PlanPrice({ plan: { plan, price, link } }: { readonly plan: PlanView }) {
  if (price === null) return null;
  return (
    <>
      {price}
      {link === null ? null : (
        <>
          {' '}
          <a href={link} aria-label={`More about the price of ${planText(plan)}`}>
            More
          </a>
        </>
      )}
    </>
  );
}

export function PricedPlans({ plans }: { readonly plans: readonly PlanView[] }) {
  return (
    <Table
      caption="Plans and what they cost"
      narrow="lines"
      rows={plans}
      keyOf={({ plan }) => plan}
      columns={[
        { title: 'Plan', kind: 'name', cell: ({ plan }) => planText(plan) },
        { title: 'Price', inLines: 'beside the name', cell: (plan) => <PlanPrice plan={plan} /> },
        { title: 'Credits', cell: creditsText },
      ]}
    />
  );
}

export function creditsText({ creditsOnce, creditsPerMonth }: PlanView): string {
  if (creditsOnce !== null) return `${numberText(creditsOnce)} once`;
  return creditsPerMonth === null ? 'as agreed' : `${numberText(creditsPerMonth)} a month`;
}
