// The dashboard of an account: which page a path means, and the account it is about.

import type { ComponentChildren, ComponentType } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { LinkButton } from '../components/button.tsx';
import { Answered, EmptyState, Loading } from '../components/notice.tsx';
import { Page } from '../components/page.tsx';
import { UnknownPage } from '../components/unknown-page.tsx';
import { sandboxKey } from '../document-facts.ts';
import { match } from '../match.ts';
import { navigate } from '../router.ts';
import { useAsk } from '../use-ask.ts';
import { AccountChanges } from './account-changes.tsx';
import { AccountPage } from './account-page.tsx';
import { accountPath, filePath, type Here, mayKeepKeys, type OwnAccount } from './here.ts';
import { Keys } from './keys/keys.tsx';
import { Members } from './members.tsx';
import { AccountOverview } from './overview.tsx';
import { Plan } from './plan.tsx';
import { Requests } from './requests.tsx';
import { AccountSettings } from './settings.tsx';
import { CallFromPage } from './start/call-from-page.tsx';
import { Start } from './start/start.tsx';
import { MonthlyStatement } from './statement.tsx';
import { Usage } from './usage/usage.tsx';

// Every change in the account: who, when, what, from which address.
function Audit({ here }: { readonly here: Here }) {
  const { accountId } = here;
  return (
    <AccountPage
      here={here}
      title="Audit log"
      lead="Every change in this account, newest first. Calls are under Requests."
      actions={
        <LinkButton href={filePath(accountId, 'audit.csv')} file={`audit-${accountId}.csv`}>
          Save as CSV
        </LinkButton>
      }
    >
      <AccountChanges accountId={accountId} />
    </AccountPage>
  );
}

// A call whenever one is wanted, free or live.
function TryACall({ here }: { readonly here: Here }) {
  return (
    <AccountPage
      here={here}
      title="Try a call"
      lead="Ask the API from this page and see its answer as your program would."
    >
      {mayKeepKeys(here) ? (
        <CallFromPage
          key={here.accountId}
          accountId={here.accountId}
          testKey={sandboxKey}
          command="shown"
          onCalled={here.again}
        />
      ) : (
        <EmptyState title="Your role cannot make calls here">
          Calls from this page spend credits, so they need an owner or a developer of the account.
        </EmptyState>
      )}
    </AccountPage>
  );
}

const pages: ReadonlyMap<string, ComponentType<{ readonly here: Here }>> = new Map([
  ['', AccountOverview],
  ['try', TryACall],
  ['keys', Keys],
  ['usage', Usage],
  ['requests', Requests],
  ['statement', MonthlyStatement],
  ['plan', Plan],
  ['people', Members],
  ['audit', Audit],
  ['settings', AccountSettings],
]);

export function Section({ path }: { readonly path: string }) {
  if (match('/account', path) !== undefined) return <Home />;
  if (match('/account/start', path) !== undefined) return <Start />;
  const inner = match('/account/:accountId/:page', path);
  const accountId = inner?.accountId ?? match('/account/:accountId', path)?.accountId;
  const Shown = pages.get(inner?.page ?? '');
  if (accountId === undefined || Shown === undefined) return <UnknownPage />;
  return <OfAccount key={accountId} accountId={accountId} Shown={Shown} />;
}

/** Whoever has an account is led to it: to the one that a link names, else to the one looked at last. */
function Home() {
  const asked = useAsk('GET /portal/accounts', {});
  // As it was when the reader came: on the way onward the query is gone before this page is.
  const [wanted] = useState(() => new URLSearchParams(location.search).get('account'));
  return (
    <Waiting title="Dashboard">
      <Answered of={asked} lines={8}>
        {({ accounts }) => <Onward path={homeOf(accounts, wanted)} />}
      </Answered>
    </Waiting>
  );
}

function homeOf(accounts: readonly OwnAccount[], wanted: string | null): string {
  if (wanted !== null && wanted !== '') return accountPath(wanted);
  const last = localStorage.getItem(lastLookedAt);
  const own = accounts.find(({ accountId }) => accountId === last) ?? accounts[0];
  return own === undefined ? '/account/start' : accountPath(own.accountId);
}

/** An id, no secret: which account opens first in this browser. */
const lastLookedAt = 'domesday-account';

function Onward({ path }: { readonly path: string }) {
  useEffect(() => navigate(path, { as: 'replace' }), [path]);
  return <Loading lines={8} />;
}

function Waiting({ title, children }: { readonly title: string; readonly children: ComponentChildren }) {
  return <Page title={title}>{children}</Page>;
}

type OfAccountWish = {
  readonly accountId: string;
  readonly Shown: ComponentType<{ readonly here: Here }>;
};

/** Asked once for all pages of the account; each page may have it asked again. */
function OfAccount({ accountId, Shown }: OfAccountWish) {
  const overview = useAsk('GET /portal/accounts/:accountId', { in: { accountId } });
  const own = useAsk('GET /portal/accounts', {});
  const isOwn = own.kind === 'told' && own.told.accounts.some((each) => each.accountId === accountId);
  useEffect(() => {
    if (isOwn) localStorage.setItem(lastLookedAt, accountId);
  }, [isOwn, accountId]);
  if (overview.kind === 'told' && own.kind === 'told') {
    const here: Here = {
      ...overview.told,
      accountId,
      accounts: own.told.accounts,
      again: overview.again,
    };
    return <Shown here={here} />;
  }
  const isUnknown = overview.kind === 'refused' && overview.code === 'NOT_FOUND';
  return (
    <Waiting title="Account">
      {isUnknown ? (
        <p class="lead">
          <a href="/account/start">Your own accounts</a>
        </p>
      ) : null}
      <Answered of={overview} lines={8}>
        {() => (
          <Answered of={own} lines={8}>
            {() => null}
          </Answered>
        )}
      </Answered>
    </Waiting>
  );
}
