// What an operator looks at first: calls a day, whose credits end, the last backup, and which data needs somebody.

import type { OperatorOverview } from '../../src/portal/views.ts';
import { Chart } from '../components/chart.tsx';
import { Answered, EmptyState, Notice } from '../components/notice.tsx';
import { Badge, Figures, Part } from '../components/parts.tsx';
import { Table } from '../components/table.tsx';
import { countText, dateText, dayText, momentText, numberText, percentText, planText } from '../formats.ts';
import { useAsk } from '../use-ask.ts';
import { OperatorPage } from './operator-page.tsx';

export function OverviewPage() {
  const asked = useAsk('GET /portal/admin/overview', {});
  return (
    <OperatorPage title="Overview" lead="The last 30 days, by UTC, of all accounts together.">
      <Answered of={asked} lines={14}>
        {(overview) => (
          <>
            <Needs overview={overview} />
            <Calls days={overview.days} />
            <Lowest lowest={overview.lowest} accounts={overview.accounts} />
          </>
        )}
      </Answered>
    </OperatorPage>
  );
}

function Needs({ overview: { backup, data, days } }: { readonly overview: OperatorOverview }) {
  const { sample, failing, old, datasets } = data;
  const calls = days.reduce((sum, day) => sum + day.calls, 0);
  return (
    <div class="stack">
      {sample.length === 0 ? null : (
        <Notice
          tone="warning"
          title={`Still the bundled sample: ${sample.length} of ${countText(datasets, 'dataset')}`}
        >
          <p>
            {sample.join(', ')}. <a href="/admin/data">Load the country under Data</a>
          </p>
        </Notice>
      )}
      {failing.length === 0 ? null : (
        <Notice tone="warning" title={`${countText(failing.length, 'dataset')} cannot be updated`}>
          <p>
            {failing.join(', ')}. <a href="/admin/data">See why under Data</a>
          </p>
        </Notice>
      )}
      {old.length === 0 ? null : (
        <Notice tone="info" title={`Old: ${countText(old.length, 'dataset')}`}>
          <p>
            {old.join(', ')}. <a href="/admin/data">Update them under Data</a>
          </p>
        </Notice>
      )}
      <Figures
        figures={[
          { label: 'Calls', value: numberText(calls), note: 'in 30 days' },
          {
            label: 'Last backup',
            value: backup.lastAtMs === null ? 'None' : dateText(backup.lastAtMs),
            note:
              backup.unsavedSinceMs === null
                ? 'no charge is missing in it'
                : `without charges since ${momentText(backup.unsavedSinceMs)}`,
          },
        ]}
      />
    </div>
  );
}

function Calls({ days }: { readonly days: OperatorOverview['days'] }) {
  if (days.every(({ calls }) => calls === 0))
    return (
      <Part title="Calls a day">
        <EmptyState title="No calls in the last 30 days" />
      </Part>
    );
  return (
    <Part title="Calls a day">
      <Chart
        title="Calls a day"
        labelTitle="Day"
        labels={days.map(({ day }) => dayText(day))}
        series={[{ name: 'Calls', values: days.map(({ calls }) => calls) }]}
      />
    </Part>
  );
}

type LowestWish = Pick<OperatorOverview, 'lowest' | 'accounts'>;

function Lowest({ lowest, accounts }: LowestWish) {
  if (lowest.length === 0) return null;
  return (
    <Part
      title="Credits left"
      lead={
        lowest.length < accounts
          ? `The ${lowest.length} of ${numberText(accounts)} open accounts that have the least left of their allowance.`
          : undefined
      }
    >
      <Table
        caption="Credits left by account"
        narrow="lines"
        rows={lowest}
        keyOf={({ accountId }) => accountId}
        columns={[
          {
            title: 'Account',
            kind: 'name',
            cell: ({ accountId, name }) => (
              <a href={`/admin/accounts/${encodeURIComponent(accountId)}`}>{name}</a>
            ),
          },
          { title: 'Plan', inLines: 'beside the name', cell: ({ plan }) => planText(plan) },
          {
            title: 'Credits left',
            kind: 'number',
            cell: ({ balance }) => (balance === 0 ? <Badge tone="warning">0</Badge> : numberText(balance)),
          },
          {
            title: 'Of the allowance',
            kind: 'number',
            cell: ({ balance, allowance }) =>
              allowance === 0 ? <span class="soft">none</span> : percentText(balance / allowance),
          },
        ]}
      />
    </Part>
  );
}
