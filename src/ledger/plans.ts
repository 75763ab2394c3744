// The plans an account can be on: requests per window and credits per month. The only list.

import { LedgerRefusal, type Limits, type Mode, type PlanName, type Terms, type Window } from './ledger.ts';

type Plan = {
  readonly limits: Limits;
  /** Credits granted at the start and, where the plan renews, every month; null = agreed per account. */
  readonly allowance: number | null;
  readonly renewal: 'monthly' | 'never';
};

const basicLimits: Limits = { minute: 10, day: 500, month: 5_000 };

export const plans: Readonly<Record<PlanName, Plan>> = {
  trial: { limits: basicLimits, allowance: 100, renewal: 'never' },
  basic: { limits: basicLimits, allowance: 5_000, renewal: 'monthly' },
  standard: { limits: { minute: 30, day: 2_000, month: 30_000 }, allowance: 30_000, renewal: 'monthly' },
  premium: { limits: { minute: 100, day: 5_000, month: 100_000 }, allowance: 100_000, renewal: 'monthly' },
  enterprise: { limits: { minute: null, day: null, month: null }, allowance: null, renewal: 'monthly' },
};

/** In the operator's words; the ledger charges credits alone. */
export type PlanPrice = { readonly plan: PlanName; readonly price: string; readonly link: string | null };

export const planNames: readonly PlanName[] = ['trial', 'basic', 'standard', 'premium', 'enterprise'];

export const windows: readonly Window[] = ['minute', 'day', 'month'];

/** What either balance may hold, so that their sum is always counted exactly. */
export const creditsMost = 1_000_000_000_000_000;

/** What test keys may do, whatever the plan. */
const testLimits: Limits = basicLimits;

export function findPlanName(text: string): PlanName | undefined {
  return planNames.find((name) => name === text);
}

export function limitsOf(plan: PlanName, terms: Terms, mode: Mode): Limits {
  return mode === 'test' ? testLimits : { ...plans[plan].limits, ...terms.limits };
}

export function allowanceOf(plan: PlanName, terms: Terms): number {
  const allowance = terms.allowance ?? plans[plan].allowance;
  if (allowance === null) {
    throw new LedgerRefusal(`The ${plan} plan has no fixed allowance: say how many credits a month.`);
  }
  return allowance;
}

/** Plan and own terms in words that are the same for no two of them. */
export function sayPlan(plan: PlanName, { allowance, limits }: Terms): string {
  const own = allowance === undefined ? [] : [`own allowance ${allowance}`];
  for (const window of windows) {
    const limit = limits?.[window];
    if (limit !== undefined) own.push(`own limit of a ${window} ${limit ?? 'none'}`);
  }
  return [plan, ...own].join(', ');
}

/** Refuses numbers that no window or balance can hold. */
export function checkTerms(terms: Terms): void {
  const { allowance, limits } = terms;
  if (
    allowance !== undefined &&
    !(Number.isSafeInteger(allowance) && allowance >= 0 && allowance <= creditsMost)
  ) {
    throw new LedgerRefusal(`An allowance must be a whole number of credits from 0 to ${creditsMost}.`);
  }
  for (const window of windows) {
    const limit = limits?.[window];
    if (limit !== undefined && limit !== null && !(Number.isSafeInteger(limit) && limit >= 1)) {
      throw new LedgerRefusal(`The limit per ${window} must be a whole number from 1, or none.`);
    }
  }
}
