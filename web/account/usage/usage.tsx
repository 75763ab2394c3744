// What the account called and spent: over days, by endpoint, key and status, with how fast it was answered.

import type { KeyView, UsageRowView } from '../../../src/portal/views.ts';
import type { Told } from '../../ask.ts';
import { LinkButton } from '../../components/button.tsx';
import { Choice } from '../../components/form.tsx';
import { Answered, EmptyState } from '../../components/notice.tsx';
import { Figures, Part } from '../../components/parts.tsx';
import { numberColumn, Table } from '../../components/table.tsx';
import { countText, dayText, millisecondsText, numberText, paceText, percentText } from '../../formats.ts';
import { setQuery, useQuery } from '../../router.ts';
import { useAsk } from '../../use-ask.ts';
import { AccountPage } from '../account-page.tsx';
import { filePath, type Here } from '../here.ts';
import { NoRequests, namesOfKeys } from '../request-table.tsx';
import { AskedBreakdown, Breakdown } from './breakdown.tsx';
import { OverDays } from './over-days.tsx';
import { daysUntilToday, perDay, sumsOf } from './sums.ts';
import { useUsage } from './use-usage.ts';

const periods = [
  { value: '7', label: '7 days' },
  { value: '30', label: '30 days' },
  { value: '90', label: '90 days' },
  { value: '365', label: 'A year' },
] as const;
type Period = (typeof periods)[number]['value'];

export function Usage({ here }: { readonly here: Here }) {
  const { accountId } = here;
  const wanted = useQuery().get('days');
  const period: Period = periods.find(({ value }) => value === wanted)?.value ?? '30';
  const span = daysUntilToday(Number(period));
  const takes = { from: span.from, to: span.to };
  const all = 'day,endpoint,key,status';
  return (
    <AccountPage
      here={here}
      title="Usage"
      lead="All keys together, including test keys. Days follow UTC."
      actions={
        <LinkButton
          href={filePath(accountId, 'usage.csv', { ...takes, by: all })}
          file={`usage-${accountId}-${span.from}-${span.to}.csv`}
        >
          Save as CSV
        </LinkButton>
      }
    >
      <div class="stack">
        <div class="filters">
          <Choice
            label="Period"
            value={period}
            options={periods}
            onValue={(days) => setQuery({ days: days === '30' ? undefined : days })}
          />
        </div>
        <Sums here={here} days={span.days} />
      </div>
      <Latency accountId={accountId} />
    </AccountPage>
  );
}

function Sums({ here, days }: { readonly here: Here; readonly days: readonly string[] }) {
  const { accountId } = here;
  const [from = '', to = ''] = [days[0], days.at(-1)];
  const keys = useAsk('GET /portal/accounts/:accountId/keys', { in: { accountId } });
  const byDay = useUsage({ accountId, days, by: 'day,status' });
  return (
    <Answered of={keys} lines={10}>
      {({ keys: known }) => (
        <Answered of={byDay} lines={10}>
          {({ rows, total }) =>
            total.calls === 0 ? (
              <NoRequests here={here} title="No calls in this period">
                {`From ${dayText(from)} to ${dayText(to)} nobody used a key of this account.`}
              </NoRequests>
            ) : (
              <Charts accountId={accountId} days={days} keys={known} rows={rows} total={total} />
            )
          }
        </Answered>
      )}
    </Answered>
  );
}

type ChartsWish = {
  readonly accountId: string;
  readonly days: readonly string[];
  readonly keys: readonly KeyView[];
  /** By day and status. */
  readonly rows: readonly UsageRowView[];
  readonly total: { readonly calls: number; readonly credits: number };
};

function Charts({ accountId, days, keys, rows, total }: ChartsWish) {
  const nameOfKey = namesOfKeys(keys);
  return (
    <>
      <Figures figures={figuresOf(rows, days, total)} />
      <OverDays accountId={accountId} days={days} rows={rows} nameOfKey={nameOfKey} />
      <AskedBreakdown accountId={accountId} days={days} part="endpoint" nameOf={(path) => path} />
      <AskedBreakdown accountId={accountId} days={days} part="key" nameOf={nameOfKey} />
      <Breakdown accountId={accountId} days={days} part="status" nameOf={(status) => status} rows={rows} />
    </>
  );
}

function figuresOf(rows: readonly UsageRowView[], days: readonly string[], total: ChartsWish['total']) {
  const statuses = sumsOf(rows, 'status');
  const errors = statuses.filter(({ name }) => Number(name) >= 400);
  const failed = errors.reduce((sum, { calls }) => sum + calls, 0);
  const ours = errors.filter(({ name }) => Number(name) >= 500).reduce((sum, { calls }) => sum + calls, 0);
  const calls = perDay(rows, days, 'calls');
  const busiest = calls.indexOf(Math.max(...calls));
  return [
    {
      label: 'Calls',
      value: numberText(total.calls),
      note: paceText(total.calls, days.length),
    },
    {
      label: 'Credits',
      value: numberText(total.credits),
      note: paceText(total.credits, days.length),
    },
    {
      label: 'Error rate',
      value: percentText(failed / total.calls),
      note:
        failed === 0
          ? 'every call was answered'
          : `${countText(failed, 'call')}, most often ${errors[0]?.name}; ${numberText(ours)} caused by the service (5xx)`,
    },
    {
      label: 'Busiest day',
      value: dayText(days[busiest] ?? ''),
      note: countText(calls[busiest] ?? 0, 'call'),
    },
  ];
}

/** By endpoint. */
type Speed = Told<'GET /portal/accounts/:accountId/requests'>['latency'][number];

function Latency({ accountId }: { readonly accountId: string }) {
  const asked = useAsk('GET /portal/accounts/:accountId/requests', { in: { accountId } });
  return (
    <Part
      title="Latency"
      lead="Measured by the server over the last 1,000 requests of the account. Time in the network comes on top."
    >
      <Answered of={asked} lines={4}>
        {({ latency }) =>
          latency.length === 0 ? (
            <EmptyState title="No requests yet" />
          ) : (
            <Table
              caption="Latency by endpoint"
              narrow="lines"
              rows={latency}
              keyOf={({ path }) => path}
              columns={[
                {
                  title: 'Endpoint',
                  kind: 'name',
                  by: ({ path }) => path,
                  cell: ({ path }) => <code>{path}</code>,
                },
                numberColumn('Requests', ({ requests }: Speed) => requests),
                numberColumn('Half within', ({ p50 }: Speed) => p50, millisecondsText),
                numberColumn('95% within', ({ p95 }: Speed) => p95, millisecondsText),
                numberColumn('99% within', ({ p99 }: Speed) => p99, millisecondsText),
              ]}
            />
          )
        }
      </Answered>
    </Part>
  );
}
