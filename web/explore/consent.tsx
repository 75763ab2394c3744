// Whoever signs in is told what a place costs before anything is spent, and can see at any time who pays.

import { useState } from 'preact/hooks';
import { Button, LinkButton } from '../components/button.tsx';
import { Choice } from '../components/form.tsx';
import { Answered, Notice } from '../components/notice.tsx';
import { Page } from '../components/page.tsx';
import { creditsText, numberText } from '../formats.ts';
import { useAsk } from '../use-ask.ts';
import type { OwnAccount, Paying } from './paying.ts';

/** What all panels of a place ask at once. */
const placeCredits = 8;

type Choose = (
  choice: { readonly of: 'account'; readonly accountId: string } | { readonly of: 'strangers' } | undefined,
) => void;

export function Consent({
  title,
  paying,
  choose,
}: {
  readonly title: string;
  readonly paying: Extract<Paying, { kind: 'to be asked' }>;
  readonly choose: Choose;
}) {
  const [account, setAccount] = useState<OwnAccount>(paying.accounts[0]);
  return (
    <Page title={title} width="narrow" lead="Real places cost credits, like the same calls from a program.">
      <div class="stack">
        {paying.accounts.length === 1 ? null : (
          <Choice
            label="Account that pays"
            value={account.accountId}
            options={paying.accounts.map(({ accountId, name }) => ({ value: accountId, label: name }))}
            onValue={(accountId) =>
              setAccount(paying.accounts.find((each) => each.accountId === accountId) ?? account)
            }
          />
        )}
        <Balance key={account.accountId} account={account} />
        <p class="actions">
          <Button look="primary" onPress={() => choose({ of: 'account', accountId: account.accountId })}>
            Show the place
          </Button>
          {paying.strangers === undefined ? null : (
            <Button onPress={() => choose({ of: 'strangers' })}>
              {paying.strangers.kind === 'demo' ? 'Use the demo account' : 'Continue as a visitor'}
            </Button>
          )}
          <LinkButton href="/explore/ZZ1-1AA">See the made-up town for free</LinkButton>
        </p>
        <p class="soft">
          You are asked once for this tab. What was shown once costs nothing while the page is open.
        </p>
      </div>
    </Page>
  );
}

function Balance({ account }: { readonly account: OwnAccount }) {
  const asked = useAsk('GET /portal/accounts/:accountId', { in: { accountId: account.accountId } });
  return (
    <Answered of={asked} lines={2}>
      {({ account: { balance } }) => (
        <Notice tone={balance < placeCredits ? 'warning' : 'info'}>
          <p>
            A place costs up to {creditsText(placeCredits)} of {account.name}; {numberText(balance)} left.
          </p>
        </Notice>
      )}
    </Answered>
  );
}

/** One line that says on whose account the page is. */
export function PaidBy({ paying, choose }: { readonly paying: Paying; readonly choose: Choose }) {
  return <p class="paid-by">{words(paying, choose)}</p>;
}

function words(paying: Paying, choose: Choose) {
  switch (paying.kind) {
    case 'finding':
      // Words that others take the place of would move.
      return null;
    case 'to be asked':
      return 'Real places cost credits of your account. We ask you first.';
    case 'nobody':
      return (
        <>
          {paying.message} {paying.reader === 'signed out' ? <a href="/account/sign-in">Sign in</a> : null}
        </>
      );
    case 'payer':
      switch (paying.payer.kind) {
        case 'sandbox':
          return 'The made-up town is free.';
        case 'demo':
          return 'The demo account of this machine pays for these calls.';
        case 'visitors':
          return (
            <>
              This service pays for a few places a day. <a href="/account/sign-in">Sign in</a> to see more.
            </>
          );
        case 'account':
          return (
            <>
              {paying.payer.name} pays for these calls.{' '}
              <button type="button" class="text-button" onClick={() => choose(undefined)}>
                Change
              </button>
            </>
          );
      }
  }
}
