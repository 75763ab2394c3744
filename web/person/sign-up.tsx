// Signing up: an address, and with an invitation the password, which others choose when they confirm the address. The answer is the same whether or not the address is known here.

import { useState } from 'preact/hooks';
import { ask } from '../ask.ts';
import { Button, LinkButton } from '../components/button.tsx';
import { EmailField, Form } from '../components/form.tsx';
import { Answered, Notice } from '../components/notice.tsx';
import { Page } from '../components/page.tsx';
import { type Me, useMe } from '../me.ts';
import { LinkCommand } from './link-command.tsx';
import { useLinkToken } from './link-token.ts';
import { NewPasswordField } from './proof-fields.tsx';
import { SignInRefused } from './sign-in-refused.tsx';

export function SignUp() {
  const me = useMe();
  const invite = useLinkToken();
  const isOpen = me.kind === 'told' && me.told.signUp === 'open' && me.told.signInRefused === null;
  return (
    <Page
      title="Sign up"
      lead={isOpen ? 'The trial is free: 100 credits to call live data with, and no card.' : undefined}
      width="narrow"
    >
      <Answered of={me}>{(told) => <SignUpForm me={told} invite={invite} />}</Answered>
    </Page>
  );
}

type State =
  | { readonly kind: 'typing' }
  | { readonly kind: 'confirm'; readonly email: string }
  | { readonly kind: 'sign in' };

function SignUpForm({ me, invite }: { readonly me: Me; readonly invite: string }) {
  const [state, setState] = useState<State>({ kind: 'typing' });
  if (me.signInRefused !== null) return <SignInRefused because={me.signInRefused} />;
  if (me.person !== null && state.kind === 'typing') return <SignedIn email={me.person.email} />;
  if (me.signUp === 'closed' || (me.signUp === 'invited' && invite === ''))
    return <NotOpen signUp={me.signUp} />;
  if (state.kind === 'confirm')
    return <Sent email={state.email} mail={me.mail} onAgain={() => setState({ kind: 'typing' })} />;
  if (state.kind === 'sign in') return <Ready />;
  return (
    <>
      <Form
        submit="Sign up"
        first={{ email: '', password: '' }}
        onSend={({ email, password }) => {
          const takes = invite === '' ? { email } : { email, password, invite };
          return ask('POST /portal/sign-up', { takes });
        }}
        onDone={(told, { email }) => setState({ kind: told.next, email })}
      >
        {(field) => (
          <>
            <EmailField whose="own" {...field('email')} />
            {invite === '' ? (
              <p>
                {me.mail === 'sent'
                  ? 'You choose your password when you follow the link that we send to this address.'
                  : 'This service sends no e-mail: its operator gives you a link, and you choose your password there.'}
              </p>
            ) : (
              <NewPasswordField label="Password" {...field('password')} />
            )}
          </>
        )}
      </Form>
      <p class="after-form">
        Already have an account? <a href="/account/sign-in">Sign in</a>
      </p>
    </>
  );
}

type SentWish = { readonly email: string; readonly mail: Me['mail']; readonly onAgain: () => void };

function Sent({ email, mail, onAgain }: SentWish) {
  return (
    <div class="stack">
      <Notice tone="good" title="Confirm your address">
        {mail === 'sent' ? (
          <p>
            We have sent an e-mail to <strong>{email}</strong>. Open the link in it within 24 hours and choose
            your password.
          </p>
        ) : (
          <>
            <p>
              This service sends no e-mail. Its operator gives you the link that confirms{' '}
              <strong>{email}</strong>, and you choose your password there. It works for 24 hours.
            </p>
            <LinkCommand email={email} />
          </>
        )}
      </Notice>
      {mail === 'sent' ? (
        <p>Nothing there after a few minutes? Look among your unwanted mail, or check the address.</p>
      ) : null}
      <p>
        <Button onPress={onAgain}>Type the address again</Button>
      </p>
    </div>
  );
}

/** The invitation has proved the address. */
function Ready() {
  return (
    <Notice tone="good" title="You are signed up">
      <p>Your invitation has confirmed your address.</p>
      <p>
        <LinkButton look="primary" href="/account/sign-in">
          Sign in
        </LinkButton>
      </p>
    </Notice>
  );
}

function SignedIn({ email }: { readonly email: string }) {
  return (
    <Notice tone="info" title={`You are signed in as ${email}`}>
      <p>To sign up with another address, sign out first.</p>
      <p>
        <LinkButton look="primary" href="/account">
          Open the dashboard
        </LinkButton>
      </p>
    </Notice>
  );
}

function NotOpen({ signUp }: { readonly signUp: 'invited' | 'closed' }) {
  return (
    <Notice tone="info" title={signUp === 'invited' ? 'By invitation' : 'Sign-up is closed'}>
      <p>
        {signUp === 'invited'
          ? 'Open the link in your invitation to sign up. If you have none, ask whoever runs this service.'
          : 'Whoever runs this service makes the accounts. Ask them for one.'}
      </p>
      <p>
        <a href="/account/sign-in">Sign in</a> · <a href="/docs">Documentation</a>
      </p>
    </Notice>
  );
}
