// Signing in, with the second factor where the person has one.

import { useEffect, useState } from 'preact/hooks';
import { ask } from '../ask.ts';
import { EmailField, Form, PasswordField } from '../components/form.tsx';
import { Answered } from '../components/notice.tsx';
import { Page } from '../components/page.tsx';
import { type Me, useMe } from '../me.ts';
import { navigate, placeAfterSignIn } from '../router.ts';
import { CodeField } from './proof-fields.tsx';
import { SignInRefused } from './sign-in-refused.tsx';

export function SignIn() {
  const me = useMe();
  return (
    <Page title="Sign in" width="narrow">
      <Answered of={me}>{(told) => <SignInForm me={told} again={me.again} />}</Answered>
    </Page>
  );
}

type Credentials = { readonly email: string; readonly password: string };

function SignInForm({ me, again }: { readonly me: Me; readonly again: () => Promise<void> }) {
  /** What was right, and needs the code of a second factor. */
  const [proved, setProved] = useState<Credentials | undefined>(undefined);
  const isSignedIn = me.person !== null;
  useEffect(() => {
    if (isSignedIn) navigate(placeAfterSignIn(), { as: 'replace' });
  }, [isSignedIn]);
  if (me.signInRefused !== null) return <SignInRefused because={me.signInRefused} />;
  const send = (takes: Credentials & { readonly code?: string }) => ask('POST /portal/sign-in', { takes });
  if (proved !== undefined)
    return (
      <Form
        key="code"
        submit="Sign in"
        first={{ code: '' }}
        onSend={({ code }) => send({ ...proved, code })}
        onDone={again}
      >
        {(field) => (
          <CodeField
            hint="Six digits from the app on your phone, or one of your recovery codes."
            {...field('code')}
          />
        )}
      </Form>
    );
  return (
    <>
      <Form
        key="password"
        submit="Sign in"
        first={{ email: '', password: '' }}
        onSend={send}
        // Signed in, this page leads on by itself.
        onDone={({ next }, typed) => (next === 'second factor' ? setProved(typed) : again())}
      >
        {(field) => (
          <>
            <EmailField whose="own" {...field('email')} />
            <PasswordField label="Password" autocomplete="current-password" {...field('password')} />
          </>
        )}
      </Form>
      <p class="after-form">
        <a href="/account/reset">Forgotten your password?</a>
        {me.signUp === 'open' ? (
          <>
            {' '}
            · <a href="/account/sign-up">Sign up</a>
          </>
        ) : null}
      </p>
    </>
  );
}
