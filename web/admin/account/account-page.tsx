// One account, with everything that the operator may do to it.

import { useState } from 'preact/hooks';
import type { Overview } from '../../../src/portal/views.ts';
import { AccountChanges } from '../../account/account-changes.tsx';
import { roleText } from '../../account/roles.ts';
import { LinkButton } from '../../components/button.tsx';
import { Answered, Notice } from '../../components/notice.tsx';
import { Badge, Code, Figures, Meter, Part } from '../../components/parts.tsx';
import { Table } from '../../components/table.tsx';
import { countText, dateText, hourText, momentText, numberText, planText } from '../../formats.ts';
import { useAsk } from '../../use-ask.ts';
import { OperatorPage } from '../operator-page.tsx';
import { Doings } from './doings.tsx';

type InAccount = { readonly accountId: string };

export function AccountPage({ accountId }: InAccount) {
  const asked = useAsk('GET /portal/accounts/:accountId', { in: { accountId } });
  // Every change asks for all of it again.
  const [changes, setChanges] = useState<readonly string[]>([]);
  const name = asked.kind === 'told' ? asked.told.account.name : 'Account';
  const said = changes.at(-1);
  const asCustomer = (
    <LinkButton href={`/account?account=${encodeURIComponent(accountId)}`}>View as the customer</LinkButton>
  );
  return (
    <OperatorPage
      title={name}
      lead={
        <>
          <a href="/admin">All accounts</a> · <code>{accountId}</code>
        </>
      }
      actions={asked.kind === 'told' ? asCustomer : undefined}
    >
      {said === undefined ? null : <Notice tone="good" title={said} />}
      <Answered of={asked} lines={10}>
        {(overview) => (
          <>
            <State overview={overview} />
            <Today key={changes.length} overview={overview} />
            <Doings
              account={overview.account}
              onChanged={async (words) => {
                await asked.again();
                setChanges([...changes, words]);
              }}
            />
            <Windows overview={overview} />
            <Members accountId={accountId} />
            <Part title="Changes" lead="Newest first. Its owners can read this too.">
              <AccountChanges key={changes.length} accountId={accountId} atFirst={10} />
            </Part>
          </>
        )}
      </Answered>
    </OperatorPage>
  );
}

function State({ overview: { account, planRequest } }: { readonly overview: Overview }) {
  const { suspended, closedAtMs } = account;
  return (
    <>
      {closedAtMs === null ? null : (
        <Notice tone="warning" title={`Closed on ${dateText(closedAtMs)}`}>
          <p>Its keys get 401. Journal and usage stay; nothing can be changed.</p>
        </Notice>
      )}
      {suspended === null || closedAtMs !== null ? null : (
        <Notice tone="warning" title={`Suspended since ${momentText(suspended.atMs)}`}>
          <p>Why: {suspended.reason}</p>
        </Notice>
      )}
      {planRequest === null ? null : (
        <Notice tone="info" title={`The customer asked for ${planText(planRequest.to)}`}>
          <p>
            On {dateText(planRequest.askedAtMs)}. <a href="/admin/requests">Answer the request</a>
          </p>
        </Notice>
      )}
    </>
  );
}

/** Where it stands, and what was called today, which only the list of accounts tells. */
function Today({ overview: { account, forecast } }: { readonly overview: Overview }) {
  const { accountId, plan, balance, lasting, allowance, refreshAtMs, createdAtMs } = account;
  const asked = useAsk('GET /portal/admin/accounts', { takes: { q: accountId } });
  return (
    <Part title="Standing">
      <Answered of={asked} lines={3}>
        {({ accounts }) => {
          const row = accounts.find((each) => each.accountId === accountId);
          return (
            <Figures
              figures={[
                {
                  label: 'Credits left',
                  value: numberText(balance),
                  note:
                    forecast === null
                      ? `${numberText(lasting)} of them lasting`
                      : `${numberText(lasting)} of them lasting, ${numberText(Math.round(forecast.creditsPerDay))} a day used`,
                },
                {
                  label: 'Plan',
                  value: planText(plan),
                  note:
                    refreshAtMs === null
                      ? `${numberText(allowance)} credits once`
                      : `${numberText(allowance)} credits on ${dateText(refreshAtMs)}`,
                },
                ...(row === undefined
                  ? []
                  : [
                      {
                        label: 'Calls today',
                        value: numberText(row.callsToday),
                        note: countText(row.errorsToday, 'error'),
                      },
                      {
                        label: 'Last call',
                        value: row.lastCallHourMs === null ? 'never' : hourText(row.lastCallHourMs),
                        note: `account since ${dateText(createdAtMs)}`,
                      },
                    ]),
              ]}
            />
          );
        }}
      </Answered>
    </Part>
  );
}

const windowNames = { minute: 'This minute', day: 'Today', month: 'This month' } as const;

function Windows({ overview: { windows } }: { readonly overview: Overview }) {
  return (
    <Part title="Limits" lead="Calls with live keys. Calls above a limit get 429.">
      <div class="stack">
        {windows.map(({ window, used, limit }) =>
          limit === null ? (
            <p key={window}>
              {windowNames[window]}: {countText(used, 'call')}, no limit
            </p>
          ) : (
            <Meter
              key={window}
              label={windowNames[window]}
              used={used}
              most={limit}
              words={`${numberText(used)} of ${numberText(limit)}`}
            />
          ),
        )}
      </div>
    </Part>
  );
}

function Members({ accountId }: InAccount) {
  const asked = useAsk('GET /portal/accounts/:accountId/members', { in: { accountId } });
  return (
    <Part title="People" lead="Owners invite others from their own page.">
      <Answered of={asked}>
        {({ members, invites }) => (
          <div class="stack">
            {members.some(({ role }) => role === 'owner') ||
            invites.some(({ role }) => role === 'owner') ? null : (
              <Notice tone="warning" title="Nobody owns this account">
                <p>Nobody can sign in to it. Invite an owner on the machine of the service:</p>
                <Code
                  text={`npx domesday people invite ADDRESS --account ${accountId} --role owner`}
                  label="Command that invites an owner"
                  copy="the command"
                />
              </Notice>
            )}
            {members.length + invites.length === 0 ? null : (
              <Table
                caption="People in this account"
                narrow="lines"
                rows={[
                  ...members.map(({ email, name, role, sinceMs }) => ({
                    email,
                    name,
                    role,
                    atMs: sinceMs,
                    is: 'member',
                  })),
                  ...invites.map(({ email, role, sentAtMs }) => ({
                    email,
                    name: null,
                    role,
                    atMs: sentAtMs,
                    is: 'invited',
                  })),
                ]}
                keyOf={({ email, is }) => `${email} ${is}`}
                columns={[
                  {
                    title: 'Person',
                    kind: 'name',
                    cell: ({ email, name }) => (
                      <>
                        {name ?? email}
                        {name === null ? null : <span class="under">{email}</span>}
                      </>
                    ),
                  },
                  { title: 'Role', inLines: 'beside the name', cell: ({ role }) => roleText(role) },
                  {
                    title: 'Since',
                    wordInLines: 'since',
                    cell: ({ atMs, is }) => (
                      <>
                        <span class="time">{dateText(atMs)}</span>{' '}
                        {is === 'invited' ? <Badge tone="warning">invited</Badge> : null}
                      </>
                    ),
                  },
                ]}
              />
            )}
          </div>
        )}
      </Answered>
    </Part>
  );
}
