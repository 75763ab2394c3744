// Changes of plan that customers asked for and that wait for an answer.

import { useState } from 'preact/hooks';
import type { PlanRequest } from '../../src/people/people.ts';
import { ask } from '../ask.ts';
import { Button } from '../components/button.tsx';
import { FormDialog } from '../components/dialog.tsx';
import { TextArea } from '../components/form.tsx';
import { Answered, EmptyState, Notice } from '../components/notice.tsx';
import { Card, Code, Part } from '../components/parts.tsx';
import { PricedPlans } from '../components/plan-prices.tsx';
import { momentText, oneLine, planText, sinceText } from '../formats.ts';
import { useMe } from '../me.ts';
import { useAsk } from '../use-ask.ts';
import { OperatorPage } from './operator-page.tsx';
import { CreditsPerMonth, creditsWish } from './plan-terms.tsx';
import { useWaitingRequests } from './waiting-requests.tsx';

type Decision = { readonly decision: 'approve' | 'decline'; readonly request: PlanRequest };

export function PlanRequestsPage() {
  const waiting = useWaitingRequests();
  const me = useMe();
  const [deciding, setDeciding] = useState<Decision | undefined>(undefined);
  const [said, setSaid] = useState<string | undefined>(undefined);
  const isSelfService = me.kind === 'told' && me.told.planChanges === 'self-service';
  return (
    <OperatorPage
      title="Plan requests"
      lead={
        isSelfService
          ? 'Customers change plans themselves. Only Enterprise needs your approval.'
          : 'Customers ask for another plan. It applies once you approve.'
      }
    >
      {deciding === undefined ? null : (
        <Decide
          {...deciding}
          onClose={() => setDeciding(undefined)}
          onDone={async (words) => {
            setSaid(words);
            setDeciding(undefined);
            await waiting.again();
          }}
        />
      )}
      <div class="stack">
        {said === undefined ? null : <Notice tone="good" title={said} />}
        <Answered of={waiting} lines={6}>
          {({ requests }) =>
            requests.length === 0 ? (
              <EmptyState title="No open requests">
                <p>A customer’s request shows up here and in the navigation.</p>
              </EmptyState>
            ) : (
              <ul class="stack">
                {requests.map((request) => (
                  <li key={request.planRequestId}>
                    <Request request={request} onDecide={(decision) => setDeciding({ decision, request })} />
                  </li>
                ))}
              </ul>
            )
          }
        </Answered>
        <Prices />
      </div>
    </OperatorPage>
  );
}

function Prices() {
  const asked = useAsk('GET /portal/plans', {});
  return (
    <Part
      title="What plans cost"
      lead="Customers see these words at their plan, on the front page and in the documentation. Nothing is shown where you have set nothing."
    >
      <Answered of={asked} lines={5}>
        {({ plans }) => <PricedPlans plans={plans} />}
      </Answered>
      <Code
        label="The command that sets a price"
        text={'npx domesday plans set standard --price "£49 a month" --link https://example.com/buy'}
        copy="the command"
      />
    </Part>
  );
}

function Request({
  request: { accountId, accountName, from, to, note, askedBy, askedAtMs },
  onDecide,
}: {
  readonly request: PlanRequest;
  readonly onDecide: (decision: Decision['decision']) => void;
}) {
  return (
    <Card>
      <div class="request">
        <div class="stack">
          <h2>
            <a href={`/admin/accounts/${encodeURIComponent(accountId)}`}>{accountName}</a>
          </h2>
          <p>
            {planText(from)} <span aria-hidden="true">→</span>
            <span class="unseen">to</span> <strong>{planText(to)}</strong>
          </p>
          {note === null ? null : <blockquote>{note}</blockquote>}
          <p class="soft">
            Asked by {askedBy}, <time title={momentText(askedAtMs)}>{sinceText(askedAtMs)}</time>
          </p>
        </div>
        <div class="actions">
          <Button
            look="primary"
            label={`Approve the request of ${accountName}`}
            onPress={() => onDecide('approve')}
          >
            Approve
          </Button>
          <Button label={`Decline the request of ${accountName}`} onPress={() => onDecide('decline')}>
            Decline
          </Button>
        </div>
      </div>
    </Card>
  );
}

function Decide({
  decision,
  request: { planRequestId, accountName, from, to },
  onClose,
  onDone,
}: Decision & { readonly onClose: () => void; readonly onDone: (words: string) => Promise<void> }) {
  const isApproved = decision === 'approve';
  return (
    <FormDialog
      title={isApproved ? `${planText(to)} for ${accountName}` : `Decline ${accountName}`}
      submit={isApproved ? 'Approve' : 'Decline'}
      look={isApproved ? 'primary' : 'danger'}
      first={{ answer: '', creditsPerMonth: '' }}
      onSend={({ answer, creditsPerMonth }) =>
        ask('POST /portal/admin/plan-requests/:planRequestId', {
          in: { planRequestId },
          takes: {
            decision,
            ...(oneLine(answer) === '' ? {} : { answer: oneLine(answer) }),
            ...(isApproved ? creditsWish(to, creditsPerMonth) : {}),
          },
        })
      }
      onDone={() =>
        onDone(
          isApproved
            ? `${accountName} is on ${planText(to)} now.`
            : `${accountName} stays on ${planText(from)}.`,
        )
      }
      onClose={onClose}
    >
      {(field) => (
        <>
          <p>
            {isApproved
              ? `The plan changes from ${planText(from)} to ${planText(to)} at the next call; its credits come at once.`
              : `The plan stays ${planText(from)}.`}
          </p>
          {isApproved ? <CreditsPerMonth plan={to} {...field('creditsPerMonth')} /> : null}
          <TextArea
            label={isApproved ? 'Answer to the customer (optional)' : 'Reason, for the customer'}
            required={!isApproved}
            maxLength={500}
            {...field('answer')}
          />
        </>
      )}
    </FormDialog>
  );
}
