// Signing in, with the second factor where the person has one.

import { useEffect, useState } from 'preact/hooks';
import { ask } from '../ask.ts';
import { Field, Form, PasswordField } from '../components/form.tsx';
import { Answered } from '../components/notice.tsx';
import { Page } from '../components/page.tsx';
import { type Me, useMe } from '../me.ts';
import { navigate, placeAfterSignIn } from '../router.ts';
import { SignInRefused } from './sign-in-refused.tsx';

export function SignIn() {
  const me = useMe();
  return (
    <Page title="Sign in" width="narrow">
      <Answered of={me}>{(told) => <SignInForm me={told} again={me.again} />}</Answered>
    </Page>
  );
}

function SignInForm({ me, again }: { readonly me: Me; readonly again: () => Promise<void> }) {
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
  const [code, setCode] = useState('');
  const [step, setStep] = useState<'password' | 'second factor'>('password');
  const isSignedIn = me.person !== null;
  useEffect(() => {
    if (isSignedIn) navigate(placeAfterSignIn(), { as: 'replace' });
  }, [isSignedIn]);
  if (me.signInRefused !== null) return <SignInRefused because={me.signInRefused} />;
  const send = async () => {
    const takes = step === 'password' ? { email, password } : { email, password, code };
    const answer = await ask('POST /portal/sign-in', { takes });
    if (answer.kind === 'refused') return answer;
    if (answer.told.next === 'second factor') setStep('second factor');
    // Then this page leads on by itself.
    else await again();
    return undefined;
  };
  if (step === 'second factor')
    return (
      <Form key="code" submit="Sign in" fields={['code']} onSend={send}>
        {(refused) => (
          <Field
            label="Code of your authenticator"
            hint="Six digits from the app on your phone, or one of your recovery codes."
            autocomplete="one-time-code"
            required
            value={code}
            onValue={setCode}
            error={refused('code')}
          />
        )}
      </Form>
    );
  return (
    <>
      <Form key="password" submit="Sign in" fields={['email', 'password']} onSend={send}>
        {(refused) => (
          <>
            <Field
              label="E-mail address"
              type="email"
              autocomplete="username"
              required
              value={email}
              onValue={setEmail}
              error={refused('email')}
            />
            <PasswordField
              label="Password"
              autocomplete="current-password"
              value={password}
              onValue={setPassword}
              error={refused('password')}
            />
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
