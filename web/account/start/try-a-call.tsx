// A call whenever one is wanted, free or live.

import { EmptyState } from '../../components/notice.tsx';
import { sandboxKey } from '../../document-facts.ts';
import { AccountPage } from '../account-page.tsx';
import { type Here, mayKeepKeys } from '../here.ts';
import { CallFromPage } from './call-from-page.tsx';

export function TryACall({ here }: { readonly here: Here }) {
  return (
    <AccountPage
      here={here}
      title="Try a call"
      lead="Ask the API from this page and see its answer as your program would."
    >
      {mayKeepKeys(here) ? (
        <CallFromPage
          key={here.accountId}
          accountId={here.accountId}
          testKey={sandboxKey}
          command="shown"
          onCalled={here.again}
        />
      ) : (
        <EmptyState title="Your role cannot make calls here">
          Calls from this page spend credits, so they need an owner or a developer of the account.
        </EmptyState>
      )}
    </AccountPage>
  );
}
