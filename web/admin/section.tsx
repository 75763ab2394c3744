// The operator's pages. Whoever is signed in and no operator is told so; the service itself refuses them everything behind it.

import type { ComponentType } from 'preact';
import { useEffect } from 'preact/hooks';
import { ask } from '../ask.ts';
import { LinkButton } from '../components/button.tsx';
import { Changes } from '../components/changes.tsx';
import { Answered, Loading } from '../components/notice.tsx';
import { Page } from '../components/page.tsx';
import { Code } from '../components/parts.tsx';
import { UnknownPage } from '../components/unknown-page.tsx';
import { shellText } from '../formats.ts';
import { match } from '../match.ts';
import { useMe } from '../me.ts';
import { goAndSignIn } from '../router.ts';
import { useAsk } from '../use-ask.ts';
import { AccountPage } from './account/account-page.tsx';
import { AccountsPage } from './accounts-page.tsx';
import { DataPage } from './data-page.tsx';
import { HealthPage } from './health-page.tsx';
import { OperatorPage } from './operator-page.tsx';
import { OverviewPage } from './overview-page.tsx';
import { PeoplePage } from './people-page.tsx';
import { PlanRequestsPage } from './plan-requests-page.tsx';
import { RefusalsPage } from './refusals-page.tsx';
import { TotalsPage } from './totals-page.tsx';
import { WaitingRequests } from './waiting-requests.tsx';

export function Section({ path }: { readonly path: string }) {
  const me = useMe();
  if (me.kind !== 'told')
    return (
      <Page title="Operator">
        <Answered of={me} lines={8}>
          {() => null}
        </Answered>
      </Page>
    );
  const { person } = me.told;
  if (person === null) return <ToSignIn />;
  if (person.standing !== 'operator') return <NotOperator email={person.email} />;
  return (
    <WaitingRequests path={path}>
      <Shown path={path} />
    </WaitingRequests>
  );
}

function ToSignIn() {
  useEffect(goAndSignIn, []);
  return (
    <Page title="Operator">
      <Loading lines={8} />
    </Page>
  );
}

// Changes that concern no account: operators, invitations to sign up, and people who belong to none.
function AuditPage() {
  const asked = useAsk('GET /portal/admin/audit', {});
  return (
    <OperatorPage
      title="Audit log"
      lead="Changes outside accounts, newest first: operators, invitations to sign up, and people without an account. Each account has its own log on its page."
    >
      <Answered of={asked} lines={12}>
        {(newest) => (
          <Changes
            newest={newest}
            askOlder={(before) => ask('GET /portal/admin/audit', { takes: { before } })}
          />
        )}
      </Answered>
    </OperatorPage>
  );
}

const pages: ReadonlyMap<string, ComponentType> = new Map([
  ['', AccountsPage],
  ['requests', PlanRequestsPage],
  ['people', PeoplePage],
  ['audit', AuditPage],
  ['refusals', RefusalsPage],
  ['totals', TotalsPage],
  ['overview', OverviewPage],
  ['data', DataPage],
  ['health', HealthPage],
]);

function Shown({ path }: { readonly path: string }) {
  const account = match('/admin/accounts/:accountId', path);
  if (account !== undefined) return <AccountPage key={account.accountId} accountId={account.accountId} />;
  const name = match('/admin', path) === undefined ? match('/admin/:page', path)?.page : '';
  const Known = (name === undefined ? undefined : pages.get(name)) ?? UnknownPage;
  return <Known />;
}

function NotOperator({ email }: { readonly email: string }) {
  return (
    <Page
      title="For operators only"
      lead={<>You are signed in as {email}, who is not an operator of this service.</>}
      width="narrow"
    >
      <div class="stack">
        <p>
          <LinkButton href="/account" look="primary">
            Go to your dashboard
          </LinkButton>
        </p>
        <p>Whoever runs the service can make you an operator, on its machine:</p>
        <Code
          text={`npx domesday people operator ${shellText(email)}`}
          label="Command that makes an operator"
          copy="the command"
        />
      </div>
    </Page>
  );
}
