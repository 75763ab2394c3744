// What all accounts used in a month, for whoever writes the bills.

import type { MonthTotalRow } from '../../src/portal/views.ts';
import { LinkButton } from '../components/button.tsx';
import { Choice } from '../components/form.tsx';
import { Answered, EmptyState } from '../components/notice.tsx';
import { Figures } from '../components/parts.tsx';
import { type Column, numberColumn, Table } from '../components/table.tsx';
import { countText, monthText, numberText, planText } from '../formats.ts';
import { setQuery, useQuery } from '../router.ts';
import { useAsk } from '../use-ask.ts';
import { OperatorPage } from './operator-page.tsx';

const thisMonth = (): string => new Date().toISOString().slice(0, 7);

export function TotalsPage() {
  const month = useQuery().get('month') ?? thisMonth();
  const asked = useAsk('GET /portal/admin/totals', { takes: { month } });
  const file = (
    <LinkButton
      href={`/portal/admin/totals.csv?${new URLSearchParams({ month })}`}
      file={`totals-${month}.csv`}
    >
      Save as CSV
    </LinkButton>
  );
  return (
    <OperatorPage
      title="Month totals"
      lead="Months follow UTC. Allowance and lasting credits together are what a statement says was added."
      actions={file}
    >
      <Answered of={asked} lines={10}>
        {({ rows, months }) => (
          <div class="stack">
            <div class="filters">
              <Choice
                label="Month"
                value={month}
                // A month from the address bar may be none of them.
                options={[...new Set([month, ...months])]
                  .toSorted()
                  .toReversed()
                  .map((value) => ({ value, label: monthText(value) }))}
                onValue={(value) => setQuery({ month: value === thisMonth() ? undefined : value })}
              />
            </div>
            <Totals rows={rows} month={month} />
          </div>
        )}
      </Answered>
    </OperatorPage>
  );
}

function Totals({ rows, month }: { readonly rows: readonly MonthTotalRow[]; readonly month: string }) {
  if (rows.length === 0)
    return (
      <EmptyState title={`Nothing in ${monthText(month)}`}>
        <p>No account made a call or was given credits.</p>
      </EmptyState>
    );
  const sum = (value: (row: MonthTotalRow) => number) =>
    numberText(rows.reduce((all, row) => all + value(row), 0));
  return (
    <>
      <Figures
        figures={[
          { label: 'Calls', value: sum(({ calls }) => calls) },
          { label: 'Credits spent', value: sum(({ credits }) => credits) },
          {
            label: 'Allowance added',
            value: sum(({ allowanceAdded }) => allowanceAdded),
            note: 'by plans, less corrections',
          },
          {
            label: 'Lasting credits added',
            value: sum(({ lastingAdded }) => lastingAdded),
            note: 'by operators, less corrections',
          },
          { label: 'Accounts', value: numberText(rows.length), note: 'with a call or credits added' },
        ]}
      />
      <Table
        caption={`Totals of ${monthText(month)}, ${countText(rows.length, 'account')}`}
        narrow="lines"
        columns={columns}
        rows={rows}
        keyOf={({ accountId }) => accountId}
        sorted={{ column: 'Credits spent', order: 'descending' }}
      />
    </>
  );
}

const columns: readonly Column<MonthTotalRow>[] = [
  {
    title: 'Account',
    kind: 'name',
    by: ({ name }) => name,
    cell: ({ accountId, name }) => <a href={`/admin/accounts/${encodeURIComponent(accountId)}`}>{name}</a>,
  },
  { title: 'Plan', inLines: 'beside the name', by: ({ plan }) => plan, cell: ({ plan }) => planText(plan) },
  numberColumn('Calls', ({ calls }) => calls),
  numberColumn('Credits spent', ({ credits }) => credits),
  numberColumn('Allowance added', ({ allowanceAdded }) => allowanceAdded),
  numberColumn('Lasting credits added', ({ lastingAdded }) => lastingAdded),
];
