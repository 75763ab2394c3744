// The end of an invitation to an account: whoever is signed in joins, whoever is not signs in or up first.

import { useState } from 'preact/hooks';
import { ask } from '../ask.ts';
import { Button, LinkButton } from '../components/button.tsx';
import { Form } from '../components/form.tsx';
import { Answered } from '../components/notice.tsx';
import { Page } from '../components/page.tsx';
import { useMe } from '../me.ts';
import { navigate } from '../router.ts';
import { useLinkToken } from './link-token.ts';
import { NoToken } from './no-token.tsx';

export function AcceptInvite() {
  const me = useMe();
  const token = useLinkToken();
  return (
    <Page title="Join an account" width="narrow">
      {token === '' ? (
        <NoToken />
      ) : (
        <Answered of={me}>
          {({ person }) =>
            person === null ? <FirstSignIn token={token} /> : <Accept token={token} email={person.email} />
          }
        </Answered>
      )}
    </Page>
  );
}

/** The token goes along in the part of the address that is sent to nobody. */
function FirstSignIn({ token }: { readonly token: string }) {
  const [back] = useState(() => `/account/invite#${token}`);
  return (
    <>
      <p>You are invited to an account. Sign in to join it, or sign up if you are new here.</p>
      <div class="form-end after-form">
        <Button look="primary" onPress={() => navigate('/account/sign-in', { as: 'replace', back })}>
          Sign in
        </Button>
        <LinkButton href={`/account/sign-up#${token}`}>Sign up</LinkButton>
      </div>
    </>
  );
}

function Accept({ token, email }: { readonly token: string; readonly email: string }) {
  return (
    <Form
      submit="Join the account"
      first={{}}
      onSend={() => ask('POST /portal/invites/accept', { takes: { token } })}
      onDone={(told) => {
        const { accountId } = told;
        navigate(accountId === null ? '/account' : `/account/${encodeURIComponent(accountId)}`, {
          as: 'replace',
        });
      }}
    >
      {() => (
        <p>
          You join as <strong>{email}</strong>, with the role that the owner of the account chose for you.
        </p>
      )}
    </Form>
  );
}
