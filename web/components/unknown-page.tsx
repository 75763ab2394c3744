// For an address of a section that leads nowhere.

import { Page } from './page.tsx';

export function UnknownPage() {
  return (
    <Page title="No such page" width="narrow">
      <p>
        Nothing is at this address. You can <a href="/explore">explore a place</a>, go to{' '}
        <a href="/account">your dashboard</a>, or read <a href="/docs">the documentation</a>.
      </p>
    </Page>
  );
}
