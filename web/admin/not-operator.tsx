// For somebody who is signed in and no operator.

import { LinkButton } from '../components/button.tsx';
import { Page } from '../components/page.tsx';
import { Code } from '../components/parts.tsx';

export function NotOperator({ email }: { readonly email: string }) {
  return (
    <Page
      title="For operators only"
      lead={<>You are signed in as {email}, who is not an operator of this service.</>}
      width="narrow"
    >
      <div class="stack">
        <p>
          <LinkButton href="/account" look="primary">
            Go to your dashboard
          </LinkButton>
        </p>
        <p>Whoever runs the service can make you an operator, on its machine:</p>
        <Code
          text={`npx domesday people operator ${email}`}
          label="Command that makes an operator"
          copy="the command"
        />
      </div>
    </Page>
  );
}
