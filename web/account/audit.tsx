// Every change in the account: who, when, what, from which address.

import { ask } from '../ask.ts';
import { LinkButton } from '../components/button.tsx';
import { Changes } from '../components/changes.tsx';
import { Answered, EmptyState } from '../components/notice.tsx';
import { useAsk } from '../use-ask.ts';
import { AccountPage } from './account-page.tsx';
import { filePath, type Here } from './here.ts';

export function Audit({ here }: { readonly here: Here }) {
  const { accountId } = here;
  const asked = useAsk('GET /portal/accounts/:accountId/audit', { in: { accountId } });
  return (
    <AccountPage
      here={here}
      title="Audit log"
      lead="Every change in this account, newest first. Calls are under Requests."
      actions={
        <LinkButton href={filePath(accountId, 'audit.csv')} file={`audit-${accountId}.csv`}>
          CSV
        </LinkButton>
      }
    >
      <Answered of={asked} lines={12}>
        {(newest) =>
          newest.lines.length === 0 ? (
            <EmptyState title="No changes yet" />
          ) : (
            <Changes
              newest={newest}
              askOlder={(before) =>
                ask('GET /portal/accounts/:accountId/audit', { in: { accountId }, takes: { before } })
              }
            />
          )
        }
      </Answered>
    </AccountPage>
  );
}
