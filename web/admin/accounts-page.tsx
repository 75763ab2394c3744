// Every account, searched and paged by the service, and the way to open one.

import { useState } from 'preact/hooks';
import type { AdminAccountRow } from '../../src/portal/contract.ts';
import { Button, LinkButton } from '../components/button.tsx';
import { Answered, EmptyState } from '../components/notice.tsx';
import { Badge } from '../components/parts.tsx';
import { type Column, Table } from '../components/table.tsx';
import { countText, numberText, planText } from '../formats.ts';
import { setQuery, useQuery } from '../router.ts';
import { useAsk } from '../use-ask.ts';
import { AccountState } from './account/account-state.tsx';
import { hourText } from './hour-text.ts';
import { OpenAccount } from './open-account.tsx';
import { OperatorPage } from './operator-page.tsx';
import { SearchForm } from './search-form.tsx';

export function AccountsPage() {
  const query = useQuery();
  const words = query.get('q') ?? '';
  const offset = query.get('from') ?? '0';
  const asked = useAsk('GET /portal/admin/accounts', { takes: { q: words, offset } });
  const [opening, setOpening] = useState<'open' | 'closed'>('closed');
  const open = (
    <Button look="primary" onPress={() => setOpening('open')}>
      Open an account
    </Button>
  );
  return (
    <OperatorPage title="Accounts" actions={open}>
      {opening === 'open' ? <OpenAccount onClose={() => setOpening('closed')} /> : null}
      <div class="stack">
        <SearchForm
          key={words}
          label="Find an account"
          hint="Name, account id, plan or the address of an owner."
          words={words}
          onSearch={(q) => setQuery({ q, from: undefined })}
        />
        <Answered of={asked} lines={10}>
          {({ accounts, total, pageSize }) =>
            accounts.length === 0 ? (
              <NoAccounts words={words} />
            ) : (
              <>
                <Table
                  caption="Accounts"
                  narrow="cards"
                  columns={columns}
                  rows={accounts}
                  keyOf={({ accountId }) => accountId}
                />
                <Pages
                  words={words}
                  from={Number(offset)}
                  shown={accounts.length}
                  total={total}
                  pageSize={pageSize}
                />
              </>
            )
          }
        </Answered>
      </div>
    </OperatorPage>
  );
}

const columns: readonly Column<AdminAccountRow>[] = [
  {
    title: 'Account',
    kind: 'name',
    cell: (account) => (
      <>
        <a href={`/admin/accounts/${encodeURIComponent(account.accountId)}`}>{account.name}</a>{' '}
        <AccountState account={account} />
        <span class="under">{account.owners.length === 0 ? 'no owner' : account.owners.join(', ')}</span>
      </>
    ),
  },
  { title: 'Plan', cell: ({ plan }) => planText(plan) },
  {
    title: 'Credits left',
    kind: 'number',
    cell: ({ balance }) => (balance === 0 ? <Badge tone="warning">0</Badge> : numberText(balance)),
  },
  {
    title: 'Last call',
    cell: ({ lastCallHourMs }) =>
      lastCallHourMs === null ? (
        <span class="soft">never</span>
      ) : (
        <span class="time">{hourText(lastCallHourMs)}</span>
      ),
  },
  { title: 'Calls today', kind: 'number', cell: ({ callsToday }) => numberText(callsToday) },
  {
    title: 'Errors today',
    kind: 'number',
    cell: ({ errorsToday }) =>
      errorsToday === 0 ? (
        <span class="soft">0</span>
      ) : (
        <span class="bad-text">{numberText(errorsToday)}</span>
      ),
  },
];

function NoAccounts({ words }: { readonly words: string }) {
  return words === '' ? (
    <EmptyState title="No account yet">
      <p>A customer opens one by starting a trial, or you open one for them.</p>
    </EmptyState>
  ) : (
    <EmptyState
      title="Nothing found"
      action={<Button onPress={() => setQuery({ q: undefined, from: undefined })}>Show all accounts</Button>}
    >
      <p>No account has “{words}” in its name, id, plan or in the address of an owner.</p>
    </EmptyState>
  );
}

function Pages({
  words,
  from,
  shown,
  total,
  pageSize,
}: {
  readonly words: string;
  readonly from: number;
  readonly shown: number;
  readonly total: number;
  readonly pageSize: number;
}) {
  const address = (offset: number) =>
    `/admin?${new URLSearchParams({ ...(words === '' ? {} : { q: words }), ...(offset > 0 ? { from: String(offset) } : {}) })}`;
  return (
    <nav class="pages" aria-label="Pages of accounts">
      <span class="soft">
        {shown === total
          ? countText(total, 'account')
          : `${numberText(from + 1)} to ${numberText(from + shown)} of ${numberText(total)}`}
      </span>
      <span class="actions">
        {from === 0 ? null : <LinkButton href={address(Math.max(0, from - pageSize))}>Previous</LinkButton>}
        {from + shown >= total ? null : <LinkButton href={address(from + shown)}>Next</LinkButton>}
      </span>
    </nav>
  );
}
