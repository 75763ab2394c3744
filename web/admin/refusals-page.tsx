// What was refused in the last day, and why: each case, or summed by account, path or code.

import type { RefusalRow } from '../../src/portal/views.ts';
import { Choice, Field } from '../components/form.tsx';
import { Answered, EmptyState } from '../components/notice.tsx';
import { Figures } from '../components/parts.tsx';
import { type Column, numberColumn, Table } from '../components/table.tsx';
import { hourText, numberText } from '../formats.ts';
import { setQuery, useQuery } from '../router.ts';
import { useAsk } from '../use-ask.ts';
import { OperatorPage } from './operator-page.tsx';

export function RefusalsPage() {
  const asked = useAsk('GET /portal/admin/refusals', {});
  return (
    <OperatorPage
      title="Refused calls"
      lead={
        <>
          Calls of the last 24 hours that were answered with an error.{' '}
          <a href="/docs/errors">What each code means</a>
        </>
      }
    >
      <Answered of={asked} lines={10}>
        {({ refusals }) =>
          refusals.length === 0 ? (
            <EmptyState title="Nothing was refused">
              <p>Every call of the last 24 hours was answered.</p>
            </EmptyState>
          ) : (
            <Refusals refusals={refusals} />
          )
        }
      </Answered>
    </OperatorPage>
  );
}

const groupings = [
  { value: 'case', label: 'Nothing: each case' },
  { value: 'account', label: 'Account' },
  { value: 'path', label: 'Path' },
  { value: 'code', label: 'Code' },
] as const;
type Grouping = (typeof groupings)[number]['value'];

function Refusals({ refusals }: { readonly refusals: readonly RefusalRow[] }) {
  const query = useQuery();
  const words = query.get('q') ?? '';
  const by = groupings.find(({ value }) => value === query.get('by'))?.value ?? 'case';
  const found = refusals.filter((refusal) => hasWords(refusal, words));
  const rows = grouped(found, by);
  return (
    <div class="stack">
      <Figures
        figures={[
          { label: 'Refused calls', value: numberText(sum(found)) },
          {
            label: 'Accounts',
            value: numberText(new Set(found.flatMap(({ accountId }) => accountId ?? [])).size),
          },
          {
            label: 'Without an account',
            value: numberText(sum(found.filter(({ accountId }) => accountId === null))),
            note: 'no key, or an unknown one',
          },
        ]}
      />
      <div class="filters">
        <Field
          type="search"
          label="Show only"
          placeholder="account, path or code"
          value={words}
          onValue={(q) => setQuery({ q })}
        />
        <Choice
          label="Add up by"
          value={by}
          options={groupings}
          onValue={(value) => setQuery({ by: value === 'case' ? undefined : value })}
        />
      </div>
      {rows.length === 0 ? (
        <EmptyState title="Nothing found">
          <p>No refused call has “{words}” in its account, path, code or status.</p>
        </EmptyState>
      ) : (
        <Table
          key={by}
          caption="Refused calls of the last 24 hours"
          narrow="lines"
          columns={columnsBy[by]}
          rows={rows}
          keyOf={(row) => keyOf(row, by)}
          sorted={{ column: 'Calls', order: 'descending' }}
        />
      )}
    </div>
  );
}

const sum = (refusals: readonly RefusalRow[]): number => refusals.reduce((all, { calls }) => all + calls, 0);

const nobody = 'no account';
const accountText = ({ accountName, accountId }: RefusalRow): string => accountName ?? accountId ?? nobody;

const hasWords = (refusal: RefusalRow, words: string): boolean =>
  [accountText(refusal), refusal.accountId ?? '', refusal.path, refusal.code, String(refusal.status)].some(
    (text) => text.toLowerCase().includes(words.trim().toLowerCase()),
  );

function keyOf({ accountId, path, status, code }: RefusalRow, by: Grouping): string {
  switch (by) {
    case 'case':
      return JSON.stringify([accountId, path, status, code]);
    case 'account':
      return accountId ?? '';
    case 'path':
      return path;
    case 'code':
      return `${status} ${code}`;
  }
}

/** One row stands for all that have the same key. */
function grouped(refusals: readonly RefusalRow[], by: Grouping): readonly RefusalRow[] {
  const rows = new Map<string, RefusalRow>();
  for (const refusal of refusals) {
    const key = keyOf(refusal, by);
    const known = rows.get(key);
    const calls = refusal.calls + (known?.calls ?? 0);
    const lastHourMs = Math.max(refusal.lastHourMs, known?.lastHourMs ?? refusal.lastHourMs);
    rows.set(key, { ...refusal, calls, lastHourMs });
  }
  return [...rows.values()];
}

const account: Column<RefusalRow> = {
  title: 'Account',
  kind: 'name',
  by: accountText,
  cell: (refusal) =>
    refusal.accountId === null ? (
      <span class="soft">{nobody}</span>
    ) : (
      <a href={`/admin/accounts/${encodeURIComponent(refusal.accountId)}`}>{accountText(refusal)}</a>
    ),
};
const path: Column<RefusalRow> = {
  title: 'Path',
  by: (row) => row.path,
  cell: (row) => <code>{row.path}</code>,
};
const code: Column<RefusalRow> = {
  title: 'Code',
  by: (row) => `${row.status} ${row.code}`,
  cell: (row) => (
    <>
      {row.status}{' '}
      <a href={`/docs/errors/${row.code}`}>
        <code>{row.code}</code>
      </a>
    </>
  ),
};
const counts: readonly Column<RefusalRow>[] = [
  numberColumn('Calls', ({ calls }) => calls),
  {
    title: 'Last',
    inLines: 'beside the name',
    by: ({ lastHourMs }) => lastHourMs,
    cell: ({ lastHourMs }) => <span class="time">{hourText(lastHourMs)}</span>,
  },
];

const columnsBy: Readonly<Record<Grouping, readonly Column<RefusalRow>[]>> = {
  case: [account, path, code, ...counts],
  account: [account, ...counts],
  path: [{ ...path, kind: 'name' }, ...counts],
  code: [{ ...code, kind: 'name' }, ...counts],
};
