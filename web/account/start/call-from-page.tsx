// A call of the API made from the page: what it costs is said before it is made, and the answer is shown whole.

import { useState } from 'preact/hooks';
import { curlText } from '../../api/call-text.ts';
import { accountKey, callWithKey } from '../../api/key.ts';
import type { ApiRefusal } from '../../api/refusal.ts';
import { type WholeReply, wholeReplyOf } from '../../api/whole-reply.ts';
import { Button } from '../../components/button.tsx';
import { Choice, Choices, Field } from '../../components/form.tsx';
import { ErrorPanel } from '../../components/notice.tsx';
import { Badge, Code } from '../../components/parts.tsx';
import { creditsText, millisecondsText } from '../../formats.ts';
import { type CallName, pathOf, sorts } from './calls.ts';

type Outcome = WholeReply | ApiRefusal;

type CallWish = {
  readonly accountId: string;
  /** Undefined where the page knows none: then only live calls can be made. */
  readonly testKey: string | undefined;
  /** Shows the same as a command. */
  readonly command?: 'shown';
  readonly onCalled: () => Promise<void>;
};

/** Of the made-up town that test keys are answered from: everything answers there. */
const testPostcode = 'ZZ1 1AA';

export function CallFromPage({ accountId, testKey, command, onCalled }: CallWish) {
  const [how, setHow] = useState<'test' | 'live'>(testKey === undefined ? 'live' : 'test');
  const [name, setName] = useState<CallName>('bank-rates');
  const [typed, setTyped] = useState('');
  const [outcome, setOutcome] = useState<Outcome | undefined>(undefined);
  const sort = sorts.find((each) => each.name === name);
  if (sort === undefined) return null;
  const postcode = how === 'test' && typed.trim() === '' ? testPostcode : typed.trim();
  const path = pathOf(sort, postcode);
  const lacksPostcode = sort.takes === 'a postcode' && postcode === '';
  const make = async () => {
    setOutcome(
      how === 'test' && testKey !== undefined
        ? await wholeReplyOf(path, testKey)
        : await callLive(path, accountId),
    );
    await onCalled();
  };
  return (
    <div class="stack call">
      <How how={how} onHow={setHow} testKey={testKey} />
      <div class="form-row">
        <Choice
          label="What to ask for"
          value={name}
          options={sorts.map((each) => ({ value: each.name, label: each.label }))}
          onValue={setName}
        />
        {sort.takes === 'nothing' ? null : (
          <Field
            label="Postcode"
            placeholder={how === 'test' ? testPostcode : 'SW1A 1AA'}
            maxLength={10}
            value={typed}
            onValue={setTyped}
          />
        )}
      </div>
      {command === undefined ? null : (
        <Code text={curlText(path, undefined)} label="The same with curl" copy="the command" />
      )}
      <div class="actions">
        <Button look="primary" disabled={lacksPostcode} onPress={make}>
          {how === 'test' ? 'Make the call for free' : 'Make the call for 1 credit'}
        </Button>
      </div>
      <div aria-live="polite">
        {outcome === undefined ? null : <OutcomeShown outcome={outcome} again={make} />}
      </div>
    </div>
  );
}

const callLive = (path: string, accountId: string): Promise<Outcome> =>
  callWithKey<Outcome>(
    accountKey(accountId),
    (key) => wholeReplyOf(path, key),
    (outcome) => outcome.kind === 'answered' && outcome.status === 401,
  );

function How({
  how,
  onHow,
  testKey,
}: {
  readonly how: 'test' | 'live';
  readonly onHow: (how: 'test' | 'live') => void;
  readonly testKey: string | undefined;
}) {
  const live = {
    value: 'live',
    label: 'Live: 1 credit',
    hint: 'Real data. A call that is refused costs nothing. The page uses a key that lasts 15 minutes and stays in its memory.',
  } as const;
  const test = {
    value: 'test',
    label: 'Test: free',
    hint: 'A made-up town, with the same shapes and errors as the real data.',
  } as const;
  return (
    <Choices
      legend="With which key"
      value={how}
      options={testKey === undefined ? [live] : [test, live]}
      onValue={onHow}
    />
  );
}

function OutcomeShown({
  outcome,
  again,
}: {
  readonly outcome: Outcome;
  readonly again: () => Promise<void>;
}) {
  if (outcome.kind === 'refused') return <ErrorPanel refusal={outcome} again={again} />;
  const { status, milliseconds, charged, remaining, requestId, body } = outcome;
  // What is free says nothing of the balance.
  const isFree = charged === undefined || charged === 0;
  const cost = isFree ? 'nothing charged' : `${creditsText(charged)} charged`;
  const left = isFree || remaining === undefined ? '' : `, ${creditsText(remaining)} left`;
  return (
    <div class="stack">
      <p>
        <Badge tone={status < 400 ? 'good' : 'bad'}>{status}</Badge> in {millisecondsText(milliseconds)},{' '}
        {cost}
        {left}
        {requestId === null ? null : (
          <span class="soft">
            {' '}
            · request <code>{requestId}</code>
          </span>
        )}
      </p>
      <Code text={body} label="The answer" />
    </div>
  );
}
