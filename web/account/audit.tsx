// Every change in the account: who, when, what, from which address.

import { useState } from 'preact/hooks';
import type { AuditLine } from '../../src/portal/contract.ts';
import { ask, type Refusal } from '../ask.ts';
import { Button, LinkButton } from '../components/button.tsx';
import { Answered, EmptyState, ErrorPanel } from '../components/notice.tsx';
import { Table } from '../components/table.tsx';
import { changeText, momentText } from '../formats.ts';
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
        {({ lines, before }) =>
          lines.length === 0 ? (
            <EmptyState title="Nothing was changed so far" />
          ) : (
            <Lines accountId={accountId} first={lines} before={before} />
          )
        }
      </Answered>
    </AccountPage>
  );
}

type LinesWish = {
  readonly accountId: string;
  readonly first: readonly AuditLine[];
  readonly before: string | null;
};

function Lines({ accountId, first, before }: LinesWish) {
  const [older, setOlder] = useState<Pick<LinesWish, 'before'> & { readonly lines: readonly AuditLine[] }>({
    lines: [],
    before,
  });
  const [refusal, setRefusal] = useState<Refusal | undefined>(undefined);
  const more = async () => {
    if (older.before === null) return;
    const answer = await ask('GET /portal/accounts/:accountId/audit', {
      in: { accountId },
      takes: { before: older.before },
    });
    if (answer.kind === 'refused') return setRefusal(answer);
    setRefusal(undefined);
    setOlder({ lines: [...older.lines, ...answer.told.lines], before: answer.told.before });
  };
  const lines = [...first, ...older.lines];
  return (
    <>
      <Table
        caption="Changes, newest first"
        rows={lines}
        keyOf={({ auditId }) => auditId}
        page={Number.POSITIVE_INFINITY}
        columns={[
          { title: 'When', cell: ({ atMs }) => <span class="time">{momentText(atMs)}</span> },
          {
            title: 'What',
            kind: 'name',
            cell: ({ what, detail }) => (
              <>
                {changeText(what)}
                {detail === null ? null : <span class="under note">{detail}</span>}
              </>
            ),
          },
          { title: 'Concerns', cell: ({ subject }) => subject },
          {
            title: 'Who, from where',
            cell: ({ who, address }) => (
              <>
                {who}
                {address === null ? null : <span class="under">{address}</span>}
              </>
            ),
          },
        ]}
      />
      {refusal === undefined ? null : <ErrorPanel refusal={refusal} again={more} />}
      {older.before === null ? null : (
        <p class="more">
          <Button onPress={more}>Show older ones</Button>
        </p>
      )}
    </>
  );
}
