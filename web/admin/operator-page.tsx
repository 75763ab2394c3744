// The frame of the operator's pages.

import { Page, type PageWish } from '../components/page.tsx';
import { useWaitingRequests } from './waiting-requests.tsx';

export function OperatorPage({ children, ...page }: Omit<PageWish, 'nav' | 'width'>) {
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
    <Page {...page} nav={{ label: 'Operator', links }}>
      {children}
    </Page>
  );
}
