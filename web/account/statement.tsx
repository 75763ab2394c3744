// The journal of a month as a statement: what was there, what came, what was spent, what is left. Made to be printed too.

import type { Statement, StatementLine } from '../../src/portal/views.ts';
import { Button, LinkButton } from '../components/button.tsx';
import { Choice } from '../components/form.tsx';
import { Answered, EmptyState } from '../components/notice.tsx';
import { Figures, Part } from '../components/parts.tsx';
import { numberColumn, Table } from '../components/table.tsx';
import { countText, creditsText, dateText, dayText, momentText, monthText, numberText } from '../formats.ts';
import { setQuery, useQuery } from '../router.ts';
import { useAsk } from '../use-ask.ts';
import { AccountPage } from './account-page.tsx';
import { filePath, type Here } from './here.ts';

const thisMonth = (): string => new Date().toISOString().slice(0, 7);

export function MonthlyStatement({ here }: { readonly here: Here }) {
  const { accountId, account } = here;
  const month = useQuery().get('month') ?? thisMonth();
  const asked = useAsk('GET /portal/accounts/:accountId/statement', { in: { accountId }, takes: { month } });
  const isMonth = /^\d{4}-(?:0[1-9]|1[0-2])$/.test(month);
  return (
    <AccountPage
      here={here}
      title={isMonth ? `Statement of ${monthText(month)}` : 'Statement'}
      lead={`${account.name} (${accountId}). Days and months follow UTC.`}
      actions={
        <>
          <LinkButton
            href={filePath(accountId, 'statement.csv', { month })}
            file={`statement-${accountId}-${month}.csv`}
          >
            Save every entry as CSV
          </LinkButton>
          <Button onPress={() => window.print()}>Print</Button>
        </>
      }
    >
      <Answered of={asked} lines={12}>
        {(statement) => <Shown statement={statement} />}
      </Answered>
      {asked.kind === 'refused' && month !== thisMonth() ? (
        <p class="after-form">
          <Button onPress={() => setQuery({ month: undefined })}>Show this month</Button>
        </p>
      ) : null}
    </AccountPage>
  );
}

function Shown({ statement }: { readonly statement: Statement }) {
  const { month, months, openingBalance, closingBalance, days, movements } = statement;
  const charged = days.reduce((sum, { credits }) => sum + credits, 0);
  const added = movements.reduce((sum, { credits }) => sum + credits, 0);
  const isGoingOn = month === thisMonth();
  const known = months.includes(month) ? months : [...months, month].toSorted();
  return (
    <>
      <div class="filters">
        <Choice
          label="Month"
          value={month}
          options={known.toReversed().map((each) => ({ value: each, label: monthText(each) }))}
          onValue={(chosen) => setQuery({ month: chosen })}
        />
      </div>
      <Figures
        figures={[
          { label: 'At the beginning', value: numberText(openingBalance) },
          { label: added < 0 ? 'Taken away' : 'Added', value: signed(added) },
          { label: 'Spent on calls', value: signed(-charged) },
          {
            label: isGoingOn ? 'So far' : 'At the end',
            value: numberText(closingBalance),
            note: isGoingOn ? `${dateText(Date.now())}, the month is not over` : 'credits',
          },
        ]}
      />
      <Movements movements={movements} />
      <Charges days={days} />
    </>
  );
}

const signed = (credits: number): string =>
  credits > 0 ? `+${numberText(credits)}` : credits < 0 ? `−${numberText(-credits)}` : '0';

const kindTexts: Readonly<Record<Exclude<StatementLine['kind'], 'grant'>, string>> = {
  refresh: 'Renewal of the plan',
  charge: 'Call',
  correction: 'Correction',
  purchase: 'Credits bought',
  reversal: 'Given back',
  closing: 'Brought forward',
};

/** The words of the operator's totals: a plan gives allowance, an operator grants what lasts. */
function whatText({ kind, lasting }: StatementLine): string {
  if (kind !== 'grant') return kindTexts[kind];
  return lasting === 0 ? 'Allowance of the plan' : 'Lasting credits granted';
}

function Movements({ movements }: { readonly movements: readonly StatementLine[] }) {
  return (
    <Part title="Movements" lead="Everything but calls.">
      {movements.length === 0 ? (
        <EmptyState title="None this month" />
      ) : (
        <Table
          caption="Movements"
          narrow="lines"
          rows={movements}
          keyOf={({ seq }) => String(seq)}
          page={1_000}
          columns={[
            { title: 'When', cell: ({ atMs }) => <span class="time">{momentText(atMs)}</span> },
            { title: 'What', kind: 'name', cell: whatText },
            { title: 'Note', cell: ({ note }) => (note === null ? null : <span class="note">{note}</span>) },
            {
              title: 'Credits',
              kind: 'number',
              inLines: 'beside the name',
              cell: ({ credits }) => signed(credits),
            },
            { title: 'Balance after', kind: 'number', cell: ({ balanceAfter }) => numberText(balanceAfter) },
          ]}
        />
      )}
    </Part>
  );
}

type Day = Statement['days'][number];

function Charges({ days }: { readonly days: Statement['days'] }) {
  const calls = days.reduce((sum, day) => sum + day.calls, 0);
  const credits = days.reduce((sum, day) => sum + day.credits, 0);
  return (
    <Part
      title="Charged calls"
      lead={
        days.length === 0
          ? undefined
          : `${countText(calls, 'call')}, ${creditsText(credits)}, by day and endpoint.`
      }
    >
      {days.length === 0 ? (
        <EmptyState title="None this month" />
      ) : (
        <Table
          caption="Charged calls, by day and endpoint"
          narrow="lines"
          rows={days}
          keyOf={({ day, endpoint }) => `${day} ${endpoint}`}
          page={2_000}
          columns={[
            {
              title: 'Day',
              inLines: 'beside the name',
              by: ({ day }) => day,
              cell: ({ day }) => <span class="time">{dayText(day)}</span>,
            },
            {
              title: 'Endpoint',
              kind: 'name',
              by: ({ endpoint }) => endpoint,
              cell: ({ endpoint }) => <code>{endpoint}</code>,
            },
            numberColumn('Calls', (day: Day) => day.calls),
            numberColumn('Credits', (day: Day) => day.credits),
          ]}
        />
      )}
    </Part>
  );
}
