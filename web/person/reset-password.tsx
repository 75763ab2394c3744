// A forgotten password: asks for the link, and is its end.

import { useState } from 'preact/hooks';
import { ask } from '../ask.ts';
import { LinkButton } from '../components/button.tsx';
import { Field, Form, PasswordField } from '../components/form.tsx';
import { Answered, Notice } from '../components/notice.tsx';
import { Page } from '../components/page.tsx';
import { type Me, useMe } from '../me.ts';
import { useLinkToken } from './link-token.ts';
import { SignInRefused } from './sign-in-refused.tsx';
import { passwordHint } from './sign-up.tsx';

export function ResetPassword() {
  const me = useMe();
  const token = useLinkToken();
  return (
    <Page title={token === '' ? 'Reset your password' : 'Choose a new password'} width="narrow">
      <Answered of={me}>
        {(told) =>
          told.signInRefused !== null ? (
            <SignInRefused because={told.signInRefused} />
          ) : token === '' ? (
            <AskForLink mail={told.mail} />
          ) : (
            <NewPassword token={token} />
          )
        }
      </Answered>
    </Page>
  );
}

function AskForLink({ mail }: { readonly mail: Me['mail'] }) {
  const [email, setEmail] = useState('');
  const [state, setState] = useState<'typing' | 'sent'>('typing');
  if (state === 'sent')
    return (
      <Notice tone="good" title="If there is such an account">
        {mail === 'sent' ? (
          <p>
            A mail with a link is on its way to <strong>{email}</strong>. The link works for an hour.
          </p>
        ) : (
          <p>
            This service sends no mail. Ask whoever runs it for the link for <strong>{email}</strong>; it
            works for an hour.
          </p>
        )}
      </Notice>
    );
  return (
    <>
      <Form
        submit={mail === 'sent' ? 'Send the link' : 'Make the link'}
        fields={['email']}
        onSend={async () => {
          const answer = await ask('POST /portal/reset-request', { takes: { email } });
          if (answer.kind === 'refused') return answer;
          setState('sent');
          return undefined;
        }}
      >
        {(refused) => (
          <Field
            label="E-mail address"
            hint="The one that you sign in with."
            type="email"
            autocomplete="username"
            required
            value={email}
            onValue={setEmail}
            error={refused('email')}
          />
        )}
      </Form>
      <p class="after-form">
        <a href="/account/sign-in">Back to the sign-in</a>
      </p>
    </>
  );
}

function NewPassword({ token }: { readonly token: string }) {
  const [password, setPassword] = useState('');
  const [state, setState] = useState<'typing' | 'done'>('typing');
  if (state === 'done')
    return (
      <Notice tone="good" title="Your password is changed">
        <p>Every session there was has ended. Sign in with the new password.</p>
        <p>
          <LinkButton href="/account/sign-in" look="primary">
            Sign in
          </LinkButton>
        </p>
      </Notice>
    );
  return (
    <Form
      submit="Change the password"
      fields={['password']}
      onSend={async () => {
        const answer = await ask('POST /portal/reset', { takes: { token, password } });
        if (answer.kind === 'refused') return answer;
        setState('done');
        return undefined;
      }}
    >
      {(refused) => (
        <PasswordField
          label="New password"
          hint={passwordHint}
          autocomplete="new-password"
          value={password}
          onValue={setPassword}
          error={refused('password')}
        />
      )}
    </Form>
  );
}
