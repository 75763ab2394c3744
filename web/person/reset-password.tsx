// A forgotten password: asks for the link, and is its end.

import { useState } from 'preact/hooks';
import { ask } from '../ask.ts';
import { LinkButton } from '../components/button.tsx';
import { EmailField, Form } from '../components/form.tsx';
import { Answered, Notice } from '../components/notice.tsx';
import { Page } from '../components/page.tsx';
import { type Me, useMe } from '../me.ts';
import { LinkCommand } from './link-command.tsx';
import { useLinkToken } from './link-token.ts';
import { NewPasswordField } from './proof-fields.tsx';
import { SignInRefused } from './sign-in-refused.tsx';

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
  const [sentTo, setSentTo] = useState<string | undefined>(undefined);
  if (sentTo !== undefined)
    return (
      <>
        <Notice tone="good" title="Your request has been received">
          {mail === 'sent' ? (
            <p>
              If <strong>{sentTo}</strong> has an account here, we have sent a link to it. The link works for
              an hour.
            </p>
          ) : (
            <>
              <p>
                This service sends no e-mail. If <strong>{sentTo}</strong> has an account here, its operator
                can give you the link. It works for an hour.
              </p>
              <LinkCommand email={sentTo} />
            </>
          )}
        </Notice>
        <BackToSignIn />
      </>
    );
  return (
    <>
      <Form
        submit={mail === 'sent' ? 'Send the link' : 'Make the link'}
        first={{ email: '' }}
        onSend={({ email }) => ask('POST /portal/reset-request', { takes: { email } })}
        onDone={(_, { email }) => setSentTo(email)}
      >
        {(field) => <EmailField whose="own" hint="The one that you sign in with." {...field('email')} />}
      </Form>
      <BackToSignIn />
    </>
  );
}

function BackToSignIn() {
  return (
    <p class="after-form">
      <a href="/account/sign-in">Back to sign-in</a>
    </p>
  );
}

function NewPassword({ token }: { readonly token: string }) {
  const [state, setState] = useState<'typing' | 'done'>('typing');
  if (state === 'done')
    return (
      <Notice tone="good" title="Your password has changed">
        <p>All your sessions have ended. Sign in with the new password.</p>
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
      first={{ password: '' }}
      onSend={({ password }) => ask('POST /portal/reset', { takes: { token, password } })}
      onDone={() => setState('done')}
    >
      {(field) => <NewPasswordField label="New password" {...field('password')} />}
    </Form>
  );
}
