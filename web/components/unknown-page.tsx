// For an address of a section that leads nowhere.

import { Page } from './page.tsx';

export function UnknownPage() {
  return (
    <Page title="No such page" width="narrow">
      <p>
        Nothing is at this address. <a href="/account">Your dashboard</a> and{' '}
        <a href="/docs">the documentation</a> are where they were.
      </p>
    </Page>
  );
}
