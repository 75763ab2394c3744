// Settings of the pages: dashboard and explorer.

import { oneOf, setting, wholeNumber } from './values.ts';

export const dashboardSettings = {
  planChanges: setting({
    env: 'DOMESDAY_PLAN_CHANGES',
    flag: 'plan-changes',
    fallback: 'approved' as 'approved' | 'self-service',
    placeholder: 'approved|self-service',
    help: 'What happens when a customer asks for another plan in the dashboard: it waits for the operator (approved), or it changes at once (self-service). The enterprise plan always needs the operator.',
    parse: oneOf('approved', 'self-service'),
  }),
  visitors: setting({
    env: 'DOMESDAY_VISITORS',
    flag: 'visitors',
    fallback: 0,
    placeholder: 'CALLS',
    help: 'Calls a day that all visitors of the explorer together may make about real places without signing in, charged to an account named "visitors"; one address gets a tenth of them, and at least 25. 0 shows them the fictional town alone.',
    parse: wholeNumber(0, 10_000_000),
  }),
  sandboxPageCalls: setting({
    env: 'DOMESDAY_SANDBOX_PAGE_CALLS',
    flag: 'sandbox-page-calls',
    fallback: 120,
    placeholder: 'CALLS',
    help: 'Calls a minute that pages of the service may make for one address with the public sandbox key. A place of the explorer takes eight.',
    parse: wholeNumber(1, 1_000_000),
  }),
} as const;
