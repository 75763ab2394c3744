// Settings of the dashboard.

import { oneOf, setting } from './values.ts';

export const dashboardSettings = {
  planChanges: setting({
    env: 'DOMESDAY_PLAN_CHANGES',
    flag: 'plan-changes',
    fallback: 'approved' as 'approved' | 'self-service',
    placeholder: 'approved|self-service',
    help: 'Whether a change of plan that a customer asks for in the dashboard waits for the operator, or is made at once (but to enterprise, which is agreed).',
    parse: oneOf('approved', 'self-service'),
  }),
} as const;
