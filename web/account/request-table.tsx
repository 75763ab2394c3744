// Requests as rows: newest first, with what each was, how it ended, how long it took and what it cost.

import type { KeyView, RequestView } from '../../src/portal/contract.ts';
import { Badge } from '../components/parts.tsx';
import { type Column, Table } from '../components/table.tsx';
import { clockText, millisecondsText, momentText, numberText } from '../formats.ts';

type TableWish = {
  readonly caption: string;
  readonly requests: readonly RequestView[];
  readonly nameOfKey: (keyId: string) => string;
  /** `short`: for a glance. */
  readonly detail: 'short' | 'full';
};

export function RequestTable({ caption, requests, nameOfKey, detail }: TableWish) {
  const columns: readonly Column<RequestView>[] = [
    {
      title: detail === 'full' ? 'Time and id' : 'Time',
      cell: ({ atMs, requestId }) => (
        <>
          <Time atMs={atMs} />
          {detail === 'full' ? <code class="under">{requestId}</code> : null}
        </>
      ),
    },
    // Before the path, which can be long: on a phone both are seen at once.
    { title: 'Status', cell: (request) => <Status {...request} /> },
    {
      title: 'Path',
      kind: 'name',
      cell: ({ path, parameters }) => (
        <>
          <code>{path}</code>
          {parameters === null ? null : <code class="parameters">{parameters}</code>}
        </>
      ),
    },
    { title: 'Took', kind: 'number', cell: ({ milliseconds }) => millisecondsText(milliseconds) },
    { title: 'Credits', kind: 'number', cell: ({ credits }) => numberText(credits) },
    { title: 'Key', cell: ({ keyId }) => nameOfKey(keyId) },
  ];
  return <Table caption={caption} rows={requests} keyOf={({ requestId }) => requestId} columns={columns} />;
}

const dayMs = 86_400_000;

function Time({ atMs }: { readonly atMs: number }) {
  return (
    <time class="time" dateTime={new Date(atMs).toISOString()} title={momentText(atMs)}>
      {Date.now() - atMs < dayMs / 2 ? clockText(atMs) : momentText(atMs)}
    </time>
  );
}

const toneOf = (status: number): 'good' | 'warning' | 'bad' =>
  status < 400 ? 'good' : status < 500 ? 'warning' : 'bad';

function Status({ status, code }: RequestView) {
  return (
    <>
      <Badge tone={toneOf(status)}>{status}</Badge>
      {code === null ? null : <span class="code-word">{code}</span>}
    </>
  );
}

/** Keys of these pages are not among those of the account. */
export const namesOfKeys =
  (keys: readonly KeyView[]) =>
  (keyId: string): string => {
    const key = keys.find((each) => each.keyId === keyId);
    return key === undefined ? 'This dashboard' : nameOfKey(key);
  };

export const nameOfKey = ({ name, kind, lastFour }: Pick<KeyView, 'name' | 'kind' | 'lastFour'>): string =>
  name ?? `${kind} …${lastFour}`;
