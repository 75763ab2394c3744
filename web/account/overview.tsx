// Where the account stands: credits, pace, windows, the last days and the last requests, live.

import { useState } from 'preact/hooks';
import type { Forecast, RequestView } from '../../src/portal/views.ts';
import { LinkButton } from '../components/button.tsx';
import { Chart } from '../components/chart.tsx';
import { Answered, Notice } from '../components/notice.tsx';
import { Figures, Meter, Part } from '../components/parts.tsx';
import { creditsText, dateText, dayText, numberText, planText, sinceText } from '../formats.ts';
import { useAsk } from '../use-ask.ts';
import { AccountPage } from './account-page.tsx';
import { accountPath, type Here } from './here.ts';
import { useLive, withFresh } from './live.ts';
import { NoRequests, namesOfKeys, RequestTable } from './request-table.tsx';
import { daysUntilToday, perDay } from './usage/sums.ts';
import { useUsage } from './usage/use-usage.ts';

export function AccountOverview({ here }: { readonly here: Here }) {
  const { accountId, account } = here;
  const [balance, setBalance] = useState<number | undefined>(undefined);
  const [fresh, setFresh] = useState<readonly RequestView[]>([]);
  useLive({
    accountId,
    state: 'on',
    onEvent: (event) => {
      setBalance(event.balance);
      setFresh((known) => withFresh(known, event.requests));
    },
    onGap: () => void here.again(),
  });
  return (
    <AccountPage here={here} title="Overview">
      <Credits here={here} balance={balance ?? account.balance} />
      <Windows here={here} />
      <LastDays accountId={accountId} />
      <LastRequests here={here} fresh={fresh} />
    </AccountPage>
  );
}

function Credits({ here, balance }: { readonly here: Here; readonly balance: number }) {
  const { account, accountId, forecast, planRequest } = here;
  const { plan, lasting, allowance, refreshAtMs } = account;
  // What is spent comes from the allowance first.
  const lastingLeft = Math.min(lasting, balance);
  const renewal =
    refreshAtMs === null
      ? { label: 'Renewal', value: 'None', note: 'trial credits are given once' }
      : { label: 'Renewal', value: dateText(refreshAtMs), note: `back to ${creditsText(allowance)}` };
  return (
    <>
      {balance > 0 ? null : (
        <Notice tone="warning" title="No credits left">
          <p>
            Live calls are refused with <code>402 INSUFFICIENT_CREDITS</code>
            {refreshAtMs === null ? '' : ` until ${dateText(refreshAtMs)}`}. Test keys still answer.{' '}
            <a href={accountPath(accountId, 'plan')}>See the plans</a>
          </p>
        </Notice>
      )}
      <Figures
        figures={[
          {
            label: 'Credits left',
            value: numberText(balance),
            note: `${numberText(balance - lastingLeft)} of ${numberText(allowance)} from the plan, ${numberText(lastingLeft)} lasting`,
          },
          renewal,
          {
            label: 'Plan',
            value: planText(plan),
            note:
              planRequest === null ? (
                <a href={accountPath(accountId, 'plan')}>What each plan gives</a>
              ) : (
                <a
                  href={accountPath(accountId, 'plan')}
                >{`${planText(planRequest.to)} requested, not decided yet`}</a>
              ),
          },
        ]}
      />
      {balance > 0 ? <p class="forecast">{forecastWords(forecast, refreshAtMs)}</p> : null}
    </>
  );
}

function forecastWords(forecast: Forecast, refreshAtMs: number | null): string {
  if (forecast === null) return 'There is too little usage to say how long the credits will last.';
  const { creditsPerDay, days, emptyAtMs, leftAtRefresh } = forecast;
  const perDayText = creditsPerDay < 1 ? 'less than 1 credit' : creditsText(Math.round(creditsPerDay));
  const pace = `At the pace of the last ${days === 1 ? 'day' : `${days} days`} (${perDayText} a day),`;
  if (emptyAtMs !== null)
    return `${pace} the credits will run out ${sinceText(emptyAtMs)}, on ${dateText(emptyAtMs)}.`;
  return leftAtRefresh === null || refreshAtMs === null
    ? `${pace} the credits will not run out.`
    : `${pace} about ${creditsText(leftAtRefresh)} will be left at the renewal on ${dateText(refreshAtMs)}.`;
}

const windowNames = { minute: 'This minute', day: 'Today (UTC)', month: 'This month (UTC)' } as const;

function Windows({ here: { windows } }: { readonly here: Here }) {
  return (
    <Part
      title="Requests allowed"
      lead="For all live keys together. Calls beyond a limit get 429 and cost nothing."
    >
      <div class="meters">
        {windows.map(({ window, used, limit, resetAtMs }) => (
          <Meter
            key={window}
            label={windowNames[window]}
            used={used}
            most={limit ?? 0}
            words={
              limit === null
                ? `${numberText(used)}, no limit`
                : `${numberText(used)} of ${numberText(limit)}${window === 'minute' ? '' : `, starts again ${sinceText(resetAtMs)}`}`
            }
          />
        ))}
      </div>
    </Part>
  );
}

function LastDays({ accountId }: { readonly accountId: string }) {
  const span = daysUntilToday(30);
  const asked = useUsage({ accountId, days: span.days, by: 'day' });
  return (
    <Part
      title="Last 30 days"
      actions={
        <LinkButton size="small" href={accountPath(accountId, 'usage')}>
          All usage
        </LinkButton>
      }
    >
      <Answered of={asked} lines={8}>
        {({ rows, total }) =>
          total.calls === 0 ? (
            <p class="soft">No calls in the last 30 days.</p>
          ) : (
            <Chart
              title="Calls a day"
              labels={span.days.map(dayText)}
              series={[{ name: 'Calls', values: perDay(rows, span.days, 'calls') }]}
            />
          )
        }
      </Answered>
    </Part>
  );
}

const requestsShown = 8;

function LastRequests({ here, fresh }: { readonly here: Here; readonly fresh: readonly RequestView[] }) {
  const { accountId } = here;
  const asked = useAsk('GET /portal/accounts/:accountId/requests', { in: { accountId } });
  const keys = useAsk('GET /portal/accounts/:accountId/keys', { in: { accountId } });
  return (
    <Part
      title="Last requests"
      actions={
        <LinkButton size="small" href={accountPath(accountId, 'requests')}>
          All requests
        </LinkButton>
      }
    >
      <Answered of={asked} lines={6}>
        {({ requests }) => {
          const shown = withFresh(requests, fresh).slice(0, requestsShown);
          return shown.length === 0 ? (
            <NoRequests here={here} />
          ) : (
            <Answered of={keys} lines={6}>
              {({ keys: known }) => (
                <RequestTable
                  caption="Last requests"
                  requests={shown}
                  nameOfKey={namesOfKeys(known)}
                  detail="short"
                />
              )}
            </Answered>
          );
        }}
      </Answered>
    </Part>
  );
}
