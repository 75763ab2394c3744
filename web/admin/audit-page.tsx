// Changes that concern no account: operators, invitations to sign up, and people who belong to none.

import { ask } from '../ask.ts';
import { Changes } from '../components/changes.tsx';
import { Answered, EmptyState } from '../components/notice.tsx';
import { useAsk } from '../use-ask.ts';
import { OperatorPage } from './operator-page.tsx';

export function AuditPage() {
  const asked = useAsk('GET /portal/admin/audit', {});
  return (
    <OperatorPage
      title="Audit log"
      lead="Changes outside accounts, newest first: operators, invitations to sign up, and people without an account. Each account has its own log on its page."
    >
      <Answered of={asked} lines={12}>
        {(newest) =>
          newest.lines.length === 0 ? (
            <EmptyState title="No changes yet" />
          ) : (
            <Changes
              newest={newest}
              askOlder={(before) => ask('GET /portal/admin/audit', { takes: { before } })}
            />
          )
        }
      </Answered>
    </OperatorPage>
  );
}
