// What each plan gives, which one the account is on, and how it comes to another.

import { useState } from 'preact/hooks';
import type { PlanRequest } from '../../src/people/people.ts';
import type { PlanView } from '../../src/portal/views.ts';
import { ask } from '../ask.ts';
import { Button } from '../components/button.tsx';
import { Confirm, DialogButton, FormDialog } from '../components/dialog.tsx';
import { TextArea } from '../components/form.tsx';
import { Answered, Notice } from '../components/notice.tsx';
import { Badge, Part } from '../components/parts.tsx';
import { PlanPrice } from '../components/plan-prices.tsx';
import { Table } from '../components/table.tsx';
import { dateText, momentText, numberText, oneLine, planText } from '../formats.ts';
import { useMe } from '../me.ts';
import { useAsk } from '../use-ask.ts';
import { AccountPage } from './account-page.tsx';
import { type Here, maySettlePlan } from './here.ts';

export function Plan({ here }: { readonly here: Here }) {
  const { accountId, account } = here;
  const asked = useAsk('GET /portal/accounts/:accountId/plans', { in: { accountId } });
  const [wanted, setWanted] = useState<PlanView | undefined>(undefined);
  const [changed, setChanged] = useState<string | undefined>(undefined);
  const again = async () => {
    await Promise.all([asked.again(), here.again()]);
  };
  return (
    <AccountPage here={here} title="Plan" lead={`${account.name} is on ${planText(account.plan)}.`}>
      <Answered of={asked} lines={10}>
        {({ plans, requests }) => {
          const waiting = requests.find(({ state }) => state === 'waiting');
          return (
            <>
              {changed === undefined ? null : (
                <Notice tone="good" title={`The account is on ${changed} now`} />
              )}
              {waiting === undefined ? null : <Waiting here={here} request={waiting} again={again} />}
              <ul class="plans">
                {plans.map((plan) => (
                  <PlanCard
                    key={plan.plan}
                    plan={plan}
                    here={here}
                    {...(waiting === undefined && maySettlePlan(here) ? { onWanted: setWanted } : {})}
                  />
                ))}
              </ul>
              <Lasting here={here} />
              <History requests={requests} />
              {wanted === undefined ? null : (
                <AskForPlan
                  here={here}
                  plan={wanted}
                  onClose={() => setWanted(undefined)}
                  onDone={async (state) => {
                    setWanted(undefined);
                    setChanged(state === 'changed' ? planText(wanted.plan) : undefined);
                    await again();
                  }}
                />
              )}
            </>
          );
        }}
      </Answered>
    </AccountPage>
  );
}

type PlanCardWish = {
  readonly plan: PlanView;
  readonly here: Here;
  readonly onWanted?: (plan: PlanView) => void;
};

function PlanCard({ plan: view, here: { account }, onWanted }: PlanCardWish) {
  const { plan, creditsOnce, creditsPerMonth, limits } = view;
  const isPresent = plan === account.plan;
  const isAgreed = creditsPerMonth === null;
  // What was agreed with this account counts, not what the plan says by itself.
  const { minute, day, month } = isPresent ? account.limits : limits;
  const credits = isPresent ? account.allowance : (creditsPerMonth ?? creditsOnce);
  const limit = (most: number | null) => (most === null ? 'no limit' : numberText(most));
  return (
    <li class={isPresent ? 'plan present' : 'plan'}>
      <h2>{planText(plan)}</h2>
      <p class="plan-credits">
        {credits === null ? (
          <span class="figure">As agreed</span>
        ) : (
          <>
            <span class="figure">{numberText(credits)}</span> credits{' '}
            {creditsOnce === null ? 'a month' : 'once'}
          </>
        )}
      </p>
      {view.price === null ? null : (
        <p class="plan-price">
          <PlanPrice plan={view} />
        </p>
      )}
      <p class="plan-caption">Calls at most</p>
      <dl class="plan-limits">
        <div>
          <dt>a minute</dt>
          <dd>{limit(minute)}</dd>
        </div>
        <div>
          <dt>a day</dt>
          <dd>{limit(day)}</dd>
        </div>
        <div>
          <dt>a month</dt>
          <dd>{limit(month)}</dd>
        </div>
      </dl>
      {isPresent ? (
        <p class="plan-present">
          <Badge tone="good">Your plan</Badge>
        </p>
      ) : null}
      {isPresent || onWanted === undefined || plan === 'trial' ? null : (
        <Button
          label={isAgreed ? `Ask for ${planText(plan)}` : `Choose ${planText(plan)}`}
          onPress={() => onWanted(view)}
        >
          {isAgreed ? 'Ask' : 'Choose'}
        </Button>
      )}
    </li>
  );
}

type AskWish = {
  readonly here: Here;
  readonly plan: PlanView;
  readonly onDone: (state: 'waiting' | 'changed') => Promise<void>;
  readonly onClose: () => void;
};

function AskForPlan({ here: { accountId, account }, plan: view, onDone, onClose }: AskWish) {
  const me = useMe();
  const isOwnChoice =
    me.kind === 'told' && me.told.planChanges === 'self-service' && view.creditsPerMonth !== null;
  const title = planText(view.plan);
  const isMore = (view.creditsPerMonth ?? Number.POSITIVE_INFINITY) > account.allowance;
  return (
    <FormDialog
      title={isOwnChoice ? `Change to ${title}` : `Ask for ${title}`}
      submit={isOwnChoice ? 'Change now' : 'Ask the operator'}
      first={{ note: '' }}
      onSend={({ note }) =>
        ask('POST /portal/accounts/:accountId/plan', {
          in: { accountId },
          takes: { plan: view.plan, ...(oneLine(note) === '' ? {} : { note: oneLine(note) }) },
        })
      }
      onDone={(told) => onDone(told.state)}
      onClose={onClose}
    >
      {(field) => (
        <>
          <p>
            {isOwnChoice
              ? 'The limits change at once.'
              : 'The operator decides. Until then, everything stays as it is. The limits change with the approval.'}{' '}
            {account.plan === 'trial'
              ? 'The month of the plan starts then, with all its credits.'
              : isMore
                ? 'You get the additional credits then, once in this period.'
                : isOwnChoice
                  ? 'What is left of the credits that only the larger plan gives is taken back. It returns if you move up again in this period.'
                  : 'You keep the credits of this period. The lower allowance starts at the next renewal.'}
          </p>
          {isOwnChoice ? null : (
            <TextArea
              label="Note to the operator"
              hint="Optional: what for, from when, billing address."
              maxLength={500}
              {...field('note')}
            />
          )}
        </>
      )}
    </FormDialog>
  );
}

type WaitingWish = {
  readonly here: Here;
  readonly request: PlanRequest;
  readonly again: () => Promise<void>;
};

function Waiting({ here, request, again }: WaitingWish) {
  return (
    <Notice tone="info" title={`${planText(request.to)} is requested; the operator has not decided yet`}>
      <p>
        Asked by {request.askedBy} on {dateText(request.askedAtMs)}
        {request.note === null ? '' : `: “${request.note}”`}
      </p>
      {maySettlePlan(here) ? (
        <div>
          <DialogButton size="small" words="Withdraw">
            {(close) => (
              <Confirm
                title="Withdraw the request"
                submit="Withdraw it"
                look="primary"
                onSend={() =>
                  ask('DELETE /portal/accounts/:accountId/plan', { in: { accountId: here.accountId } })
                }
                onDone={again}
                onClose={close}
              >
                <p>The account stays on {planText(here.account.plan)}. You can ask again at any time.</p>
              </Confirm>
            )}
          </DialogButton>
        </div>
      ) : null}
    </Notice>
  );
}

function Lasting({ here: { account } }: { readonly here: Here }) {
  return (
    <Part
      title="Lasting credits"
      lead="The operator grants them on top of a plan. They are spent after the credits of the plan, and no renewal takes them away."
    >
      <p>{`${account.name} has ${numberText(Math.min(account.lasting, account.balance))}. For more, ask the operator.`}</p>
    </Part>
  );
}

const stateBadges = {
  waiting: { tone: 'plain', text: 'Waiting' },
  approved: { tone: 'good', text: 'Approved' },
  declined: { tone: 'bad', text: 'Declined' },
  withdrawn: { tone: 'plain', text: 'Withdrawn' },
} as const;

function History({ requests }: { readonly requests: readonly PlanRequest[] }) {
  if (requests.length === 0) return null;
  return (
    <Part title="Requested changes">
      <Table
        caption="Requested changes of plan"
        narrow="lines"
        rows={requests}
        keyOf={({ planRequestId }) => planRequestId}
        columns={[
          {
            title: 'Asked',
            inLines: 'beside the name',
            cell: ({ askedAtMs }) => <span class="time">{momentText(askedAtMs)}</span>,
          },
          {
            title: 'Change',
            kind: 'name',
            cell: ({ from, to }) => <span class="time">{`${planText(from)} → ${planText(to)}`}</span>,
          },
          {
            title: 'By',
            wordInLines: 'by',
            cell: ({ askedBy }) => askedBy,
          },
          {
            title: 'State',
            cell: ({ state, decidedAtMs }) => (
              <>
                <Badge tone={stateBadges[state].tone}>{stateBadges[state].text}</Badge>
                {decidedAtMs === null ? null : <span class="under">{dateText(decidedAtMs)}</span>}
              </>
            ),
          },
          {
            title: 'Answer',
            cell: ({ answer }) => (answer === null ? null : <span class="note">{answer}</span>),
          },
        ]}
      />
    </Part>
  );
}
