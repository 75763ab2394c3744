// Lines of an audit log, with the way to older ones.

import { useState } from 'preact/hooks';
import type { AuditLine } from '../../src/people/people.ts';
import type { Refusal } from '../ask.ts';
import { changeText, momentText } from '../formats.ts';
import { Button } from './button.tsx';
import { EmptyState, ErrorPanel } from './notice.tsx';
import { Table } from './table.tsx';

type Page = { readonly lines: readonly AuditLine[]; readonly before: string | null };

type ChangesWish = {
  readonly newest: Page;
  readonly askOlder: (before: string) => Promise<{ readonly kind: 'told'; readonly told: Page } | Refusal>;
  /** Lines shown until somebody wants older ones. */
  readonly atFirst?: number;
  /** What readers call a key; the log knows its id alone. */
  readonly nameOfKey?: (keyId: string) => string | undefined;
};

export function Changes({ newest, askOlder, atFirst, nameOfKey }: ChangesWish) {
  const [older, setOlder] = useState<Page>({ lines: [], before: newest.before });
  const [most, setMost] = useState(atFirst ?? Number.POSITIVE_INFINITY);
  const [refusal, setRefusal] = useState<Refusal | undefined>(undefined);
  if (newest.lines.length === 0) return <EmptyState title="No changes yet" />;
  const known = [...newest.lines, ...older.lines];
  const more = async () => {
    setMost(Number.POSITIVE_INFINITY);
    if (most < known.length || older.before === null) return;
    const answer = await askOlder(older.before);
    if (answer.kind === 'refused') return setRefusal(answer);
    setRefusal(undefined);
    setOlder({ lines: [...older.lines, ...answer.told.lines], before: answer.told.before });
  };
  const named = (text: string) => text.replace(/\bkey_\w+/g, (keyId) => nameOfKey?.(keyId) ?? keyId);
  return (
    <>
      <Table
        caption="Changes, newest first"
        narrow="lines"
        rows={placed(known).slice(0, most)}
        keyOf={({ auditId }) => auditId}
        page={Number.POSITIVE_INFINITY}
        columns={[
          { title: 'What', kind: 'name', cell: ({ what }) => changeText(what) },
          {
            title: 'When',
            inLines: 'beside the name',
            cell: ({ atMs }) => <span class="time">{momentText(atMs)}</span>,
          },
          { title: 'Concerns', cell: (line) => <Concerns line={line} named={named} /> },
          {
            title: 'Who, from where',
            wordInLines: 'by',
            cell: ({ who, address, from }) => (
              <>
                {who}
                {address === null ? null : (
                  <span class={from === 'same' ? 'under if-wide' : 'under'}>{address}</span>
                )}
              </>
            ),
          },
        ]}
      />
      {refusal === undefined ? null : <ErrorPanel refusal={refusal} again={more} />}
      {known.length <= most && older.before === null ? null : (
        <p class="more">
          <Button onPress={more}>Show older ones</Button>
        </p>
      )}
    </>
  );
}

/** Where somebody is again where their next change came from: a phone has no room to repeat it. */
function placed(newestFirst: readonly AuditLine[]) {
  const lastOf = new Map<string, string | null>();
  return newestFirst.map((line) => {
    const from = lastOf.get(line.who) === line.address ? ('same' as const) : ('another' as const);
    lastOf.set(line.who, line.address);
    return { ...line, from };
  });
}

type ConcernsWish = { readonly line: AuditLine; readonly named: (text: string) => string };

function Concerns({ line: { what, who, subject, detail }, named }: ConcernsWish) {
  // Whose log it is, or who did it, is said beside it.
  const isSaid = subject === who || what.startsWith('account.');
  if (isSaid) return detail === null ? null : <span>{named(detail)}</span>;
  return (
    <>
      {named(subject)}
      {detail === null ? null : <span class="under note">{named(detail)}</span>}
    </>
  );
}
