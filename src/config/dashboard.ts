// Settings of the dashboard.

import { oneOf, setting } from './values.ts';

export const dashboardSettings = {
  planChanges: setting({
    env: 'DOMESDAY_PLAN_CHANGES',
    flag: 'plan-changes',
    fallback: 'approved' as 'approved' | 'self-service',
    placeholder: 'approved|self-service',
    help: 'What happens when a customer asks for another plan in the dashboard: it waits for the operator (approved), or it changes at once (self-service). The enterprise plan always needs the operator.',
    parse: oneOf('approved', 'self-service'),
  }),
} as const;
