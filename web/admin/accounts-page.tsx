// Every account, searched and paged by the service, all that were found as a file, and the way to open one.

import type { AccountView, AdminAccountRow } from '../../src/portal/views.ts';
import { Button, LinkButton } from '../components/button.tsx';
import { DialogButton } from '../components/dialog.tsx';
import { Answered, EmptyState } from '../components/notice.tsx';
import { Badge } from '../components/parts.tsx';
import { type Column, Table } from '../components/table.tsx';
import { countText, hourText, numberText, planText } from '../formats.ts';
import { setQuery, useQuery } from '../router.ts';
import { useAsk } from '../use-ask.ts';
import { OpenAccount } from './open-account.tsx';
import { OperatorPage } from './operator-page.tsx';
import { SearchForm } from './search-form.tsx';

export function AccountsPage() {
  const query = useQuery();
  const words = query.get('q') ?? '';
  const after = query.get('after');
  const asked = useAsk('GET /portal/admin/accounts', {
    takes: { q: words, ...(after === null ? {} : { after }) },
  });
  const actions = (
    <>
      <DialogButton look="primary" words="Open an account">
        {(close) => <OpenAccount onClose={close} />}
      </DialogButton>
      <LinkButton href={`/portal/admin/accounts.csv${queryOf({ q: words })}`} file="accounts.csv">
        Save as CSV
      </LinkButton>
    </>
  );
  return (
    <OperatorPage title="Accounts" actions={actions}>
      <div class="stack">
        <SearchForm
          key={words}
          label="Find an account"
          hint="Name, account id or plan, or name or address of somebody who belongs to it."
          words={words}
          onSearch={(q) => setQuery({ q, after: undefined })}
        />
        <Answered of={asked} lines={10}>
          {({ accounts, after: next }) =>
            accounts.length === 0 ? (
              <NoAccounts words={words} />
            ) : (
              <>
                <Table
                  caption="Accounts"
                  narrow="lines"
                  columns={columns}
                  rows={accounts}
                  keyOf={({ accountId }) => accountId}
                />
                <Pages
                  words={words}
                  place={after === null ? 'first' : 'later'}
                  shown={accounts.length}
                  next={next}
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
  { title: 'Plan', inLines: 'beside the name', cell: ({ plan }) => planText(plan) },
  {
    title: 'Credits left',
    kind: 'number',
    cell: ({ balance }) => (balance === 0 ? <Badge tone="warning">0</Badge> : numberText(balance)),
  },
  {
    title: 'Last call',
    cell: ({ lastCallHourMs }) =>
      lastCallHourMs === null ? (
        <span class="soft">
          never<span class="if-narrow"> called</span>
        </span>
      ) : (
        <span class="time">
          <span class="if-narrow">called </span>
          {hourText(lastCallHourMs)}
        </span>
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
      action={<Button onPress={() => setQuery({ q: undefined, after: undefined })}>Show all accounts</Button>}
    >
      <p>No account has “{words}” in its name, id or plan, and nobody with it belongs to one.</p>
    </EmptyState>
  );
}

type PagesWish = {
  readonly words: string;
  readonly place: 'first' | 'later';
  readonly shown: number;
  /** Where the next page begins; null on the last. */
  readonly next: string | null;
};

function Pages({ words, place, shown, next }: PagesWish) {
  return (
    <nav class="pages" aria-label="Pages of accounts">
      <span class="soft">{countShown(place, shown, next)}</span>
      <span class="actions">
        {place === 'first' ? null : (
          <LinkButton href={`/admin${queryOf({ q: words })}`}>To the first page</LinkButton>
        )}
        {next === null ? null : (
          <LinkButton href={`/admin${queryOf({ q: words, after: next })}`}>Next</LinkButton>
        )}
      </span>
    </nav>
  );
}

function countShown(place: PagesWish['place'], shown: number, next: string | null): string {
  if (place === 'first') return next === null ? countText(shown, 'account') : `The first ${shown} accounts`;
  return next === null ? `The last ${countText(shown, 'account')}` : `${shown} more accounts`;
}

/** What is empty is left out. */
function queryOf(parts: Readonly<Record<string, string>>): string {
  const query = new URLSearchParams(Object.entries(parts).filter(([, value]) => value !== '')).toString();
  return query === '' ? '' : `?${query}`;
}

/** Nothing of one that works. */
function AccountState({ account }: { readonly account: Pick<AccountView, 'suspended' | 'closedAtMs'> }) {
  if (account.closedAtMs !== null) return <Badge>closed</Badge>;
  return account.suspended === null ? null : <Badge tone="bad">suspended</Badge>;
}
