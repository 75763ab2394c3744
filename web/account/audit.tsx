// Every change in the account: who, when, what, from which address.

import { LinkButton } from '../components/button.tsx';
import { AccountChanges } from './account-changes.tsx';
import { AccountPage } from './account-page.tsx';
import { filePath, type Here } from './here.ts';

export function Audit({ here }: { readonly here: Here }) {
  const { accountId } = here;
  return (
    <AccountPage
      here={here}
      title="Audit log"
      lead="Every change in this account, newest first. Calls are under Requests."
      actions={
        <LinkButton href={filePath(accountId, 'audit.csv')} file={`audit-${accountId}.csv`}>
          Save as CSV
        </LinkButton>
      }
    >
      <AccountChanges accountId={accountId} />
    </AccountPage>
  );
}
