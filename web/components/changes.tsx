// Lines of an audit log, with the way to older ones.

import { useState } from 'preact/hooks';
import type { AuditLine } from '../../src/portal/contract.ts';
import type { Refusal } from '../ask.ts';
import { changeText, momentText } from '../formats.ts';
import { Button } from './button.tsx';
import { ErrorPanel } from './notice.tsx';
import { Table } from './table.tsx';

type Page = { readonly lines: readonly AuditLine[]; readonly before: string | null };

type ChangesWish = {
  readonly newest: Page;
  readonly askOlder: (before: string) => Promise<{ readonly kind: 'told'; readonly told: Page } | Refusal>;
};

export function Changes({ newest, askOlder }: ChangesWish) {
  const [older, setOlder] = useState<Page>({ lines: [], before: newest.before });
  const [refusal, setRefusal] = useState<Refusal | undefined>(undefined);
  const more = async () => {
    if (older.before === null) return;
    const answer = await askOlder(older.before);
    if (answer.kind === 'refused') return setRefusal(answer);
    setRefusal(undefined);
    setOlder({ lines: [...older.lines, ...answer.told.lines], before: answer.told.before });
  };
  return (
    <>
      <Table
        caption="Changes, newest first"
        narrow="lines"
        rows={[...newest.lines, ...older.lines]}
        keyOf={({ auditId }) => auditId}
        page={Number.POSITIVE_INFINITY}
        columns={[
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
          { title: 'When', cell: ({ atMs }) => <span class="time">{momentText(atMs)}</span> },
          { title: 'Concerns', cell: ({ subject }) => subject },
          {
            title: 'Who, from where',
            cell: ({ who, address }) => (
              <>
                <span class="if-narrow">by </span>
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
