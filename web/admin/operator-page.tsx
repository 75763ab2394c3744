// The frame of the operator's pages.

import type { ComponentChildren } from 'preact';
import { Page } from '../components/page.tsx';
import { useWaitingRequests } from './waiting-requests.tsx';

export function OperatorPage({
  title,
  lead,
  actions,
  children,
}: {
  readonly title: string;
  readonly lead?: ComponentChildren;
  readonly actions?: ComponentChildren;
  readonly children: ComponentChildren;
}) {
  const waiting = useWaitingRequests();
  const count = waiting.kind === 'told' ? { count: waiting.told.requests.length } : {};
  const links = [
    { href: '/admin/overview', label: 'Overview' },
    { href: '/admin', label: 'Accounts', within: '/admin/accounts/' },
    { href: '/admin/requests', label: 'Plan requests', ...count },
    { href: '/admin/people', label: 'People' },
    { href: '/admin/audit', label: 'Audit log' },
    { href: '/admin/refusals', label: 'Refused calls' },
    { href: '/admin/totals', label: 'Month totals' },
    { href: '/admin/data', label: 'Data' },
    { href: '/admin/health', label: 'Health' },
  ];
  return (
    <Page title={title} lead={lead} actions={actions} nav={{ label: 'Operator', links }}>
      {children}
    </Page>
  );
}
