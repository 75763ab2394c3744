// The frame of every page of an account: whose it is, its links, and what must be known on each of them.

import { Notice } from '../components/notice.tsx';
import { Page, type PageNav, type PageWish } from '../components/page.tsx';
import { dateText, momentText } from '../formats.ts';
import { navigate } from '../router.ts';
import { accountPath, type Here, mayKeepKeys, mayReadAudit } from './here.ts';

type AccountPageWish = Omit<PageWish, 'nav' | 'width'> & { readonly here: Here };

export function AccountPage({ here, children, ...page }: AccountPageWish) {
  return (
    <Page {...page} nav={navOf(here)}>
      <Standing here={here} />
      {children}
    </Page>
  );
}

function navOf(here: Here): PageNav {
  const link = (page: string, label: string) => ({ href: accountPath(here.accountId, page), label });
  return {
    label: 'Account',
    head: <Whose here={here} />,
    links: [
      link('', 'Overview'),
      ...(mayKeepKeys(here) ? [link('try', 'Try a call')] : []),
      link('keys', 'Keys'),
      link('usage', 'Usage'),
      link('requests', 'Requests'),
      link('statement', 'Statement'),
      link('plan', 'Plan'),
      link('people', 'People'),
      ...(mayReadAudit(here) ? [link('audit', 'Audit log')] : []),
      link('settings', 'Settings'),
    ],
  };
}

/** The name, or a choice where there are several. */
function Whose({ here: { account, accountId, accounts } }: { readonly here: Here }) {
  const isOwn = accounts.some((own) => own.accountId === accountId);
  if (accounts.length < 2 || !isOwn) {
    return (
      <p class="whose">
        <span class="whose-label">Account</span>
        <span class="whose-name">{account.name}</span>
      </p>
    );
  }
  return (
    <label class="whose">
      <span class="whose-label">Account</span>
      <select value={accountId} onChange={({ currentTarget: { value } }) => navigate(accountPath(value))}>
        {accounts.map((own) => (
          <option key={own.accountId} value={own.accountId}>
            {own.name}
          </option>
        ))}
      </select>
    </label>
  );
}

function Standing({ here: { account, accountId, role } }: { readonly here: Here }) {
  const { suspended, closedAtMs } = account;
  if (role !== 'operator' && suspended === null && closedAtMs === null) return null;
  return (
    <div class="standing">
      {role !== 'operator' ? null : (
        <Notice tone="info" title="Seen as operator">
          <p>
            This is what the customer sees. Nothing can be changed or spent from here.{' '}
            <a href={`/admin/accounts/${encodeURIComponent(accountId)}`}>Back to the operator’s page</a>
          </p>
        </Notice>
      )}
      {suspended === null ? null : (
        <Notice tone="warning" title="This account is suspended">
          <p>
            Since {momentText(suspended.atMs)}, every call with its keys is refused with{' '}
            <code>403 ACCOUNT_SUSPENDED</code>. The operator’s reason: {suspended.reason}
          </p>
          <p>Nothing is lost. Ask the operator what is needed to resume it.</p>
        </Notice>
      )}
      {closedAtMs === null ? null : (
        <Notice tone="warning" title="This account is closed">
          <p>
            Its keys stopped on {dateText(closedAtMs)}. Statements, usage and audit log can still be read and
            exported.
          </p>
        </Notice>
      )}
    </div>
  );
}
