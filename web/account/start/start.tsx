// The beginning: a name for the account starts the trial, and its first keys are shown with a call that works.

import { useState } from 'preact/hooks';
import { ask, type Told } from '../../ask.ts';
import { LinkButton } from '../../components/button.tsx';
import { Field, Form } from '../../components/form.tsx';
import { Answered, EmptyState, Notice } from '../../components/notice.tsx';
import { Page } from '../../components/page.tsx';
import { Card } from '../../components/parts.tsx';
import { planText } from '../../formats.ts';
import { useAsk } from '../../use-ask.ts';
import { accountPath, type OwnAccount } from '../here.ts';
import { FirstKeys } from './first-keys.tsx';

type Standing = Told<'GET /portal/accounts'>;

export function Start() {
  const asked = useAsk('GET /portal/accounts', {});
  const [opened, setOpened] = useState<{ readonly accountId: string; readonly name: string } | undefined>(
    undefined,
  );
  const isFree = asked.kind === 'told' && asked.told.trial !== 'used';
  if (opened !== undefined) return <FirstKeys accountId={opened.accountId} name={opened.name} />;
  return (
    <Page
      title="Start"
      width="narrow"
      lead={`An account holds your keys and your credits.${isFree ? ' The trial is free: 100 credits to call live data with, and no card.' : ''}`}
    >
      <Answered of={asked} lines={6}>
        {(standing) => (
          <div class="stack">
            <OwnAccounts accounts={standing.accounts} />
            <Trial standing={standing} onOpened={(accountId, name) => setOpened({ accountId, name })} />
          </div>
        )}
      </Answered>
    </Page>
  );
}

function OwnAccounts({ accounts }: { readonly accounts: readonly OwnAccount[] }) {
  if (accounts.length === 0) return null;
  return (
    <ul class="own-accounts">
      {accounts.map(({ accountId, name, plan }) => (
        <li key={accountId}>
          <a href={accountPath(accountId)}>{name}</a> <span class="soft">{planText(plan)}</span>
        </li>
      ))}
    </ul>
  );
}

type TrialWish = {
  readonly standing: Standing;
  readonly onOpened: (accountId: string, name: string) => void;
};

function Trial({ standing: { trial, accounts }, onOpened }: TrialWish) {
  switch (trial) {
    case 'available':
      return <TrialForm onOpened={onOpened} />;
    case 'used':
      return accounts.length > 0 ? (
        <Notice tone="info">
          <p>Each address has one trial, and yours is used. For another account, ask the operator.</p>
        </Notice>
      ) : (
        <EmptyState
          title="You are not in any account"
          action={<LinkButton href="/docs">Read the documentation</LinkButton>}
        >
          Each address has one trial, and yours is used. Ask the owner of an account to invite you, or ask the
          operator for a new account.
        </EmptyState>
      );
  }
}

function TrialForm({ onOpened }: Pick<TrialWish, 'onOpened'>) {
  return (
    <Card>
      <Form
        submit="Start the trial"
        first={{ name: '' }}
        onSend={({ name }) => ask('POST /portal/accounts', { takes: { name } })}
        onDone={(told, { name }) => onOpened(told.accountId, name.trim())}
      >
        {(field) => (
          <Field
            label="Name of the account"
            hint="Your company or project. It appears on statements."
            autocomplete="organization"
            required
            maxLength={100}
            {...field('name')}
          />
        )}
      </Form>
    </Card>
  );
}
