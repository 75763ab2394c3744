// The end of the link that confirms an address, where its owner chooses the password: anybody may have typed the address into the sign-up.

import { useState } from 'preact/hooks';
import { ask } from '../ask.ts';
import { LinkButton } from '../components/button.tsx';
import { Form } from '../components/form.tsx';
import { Notice } from '../components/notice.tsx';
import { Page } from '../components/page.tsx';
import { useMe } from '../me.ts';
import { useLinkToken } from './link-token.ts';
import { NoToken } from './no-token.tsx';
import { NewPasswordField } from './proof-fields.tsx';

export function ConfirmAddress() {
  const token = useLinkToken();
  const me = useMe();
  const [confirmed, setConfirmed] = useState<string | undefined>(undefined);
  return (
    <Page title="Confirm your address" width="narrow">
      {token === '' ? (
        <NoToken />
      ) : confirmed === undefined ? (
        <>
          <Form
            submit="Confirm"
            first={{ password: '' }}
            onSend={({ password }) => ask('POST /portal/confirm', { takes: { token, password } })}
            onDone={(told) => setConfirmed(told.email)}
          >
            {(field) => (
              <>
                <p>
                  Choose your password here to confirm that the address is yours.
                  {me.kind === 'told' && me.told.mail === 'sent'
                    ? ' Only you can do this, because only you can read what is sent to it.'
                    : null}
                  {me.kind === 'told' && me.told.mail === 'by the operator'
                    ? ' Whoever has this link can do it: if anybody but the operator and you had it, ask for another one.'
                    : null}
                </p>
                <NewPasswordField label="Password" {...field('password')} />
              </>
            )}
          </Form>
          <p class="after-form">
            Has the link expired? <a href="/account/sign-up">Sign up again</a> for a new one.
          </p>
        </>
      ) : (
        <Notice tone="good" title="Your address is confirmed">
          <p>
            Sign in as <strong>{confirmed}</strong> and start your trial.
          </p>
          <p>
            <LinkButton href="/account/sign-in" look="primary">
              Sign in
            </LinkButton>
          </p>
        </Notice>
      )}
    </Page>
  );
}
