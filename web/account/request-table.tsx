// Requests as rows: newest first, with what each was, how it ended, how long it took and what it cost.

import type { KeyView, RequestView } from '../../src/portal/views.ts';
import { LinkButton } from '../components/button.tsx';
import { EmptyState } from '../components/notice.tsx';
import { Badge } from '../components/parts.tsx';
import { type Column, Table } from '../components/table.tsx';
import { clockText, millisecondsText, momentText, numberText } from '../formats.ts';
import { accountPath, type Here, mayKeepKeys } from './here.ts';

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
      title: 'Time',
      inLines: 'beside the name',
      cell: ({ atMs }) => <Time atMs={atMs} />,
    },
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
    {
      title: detail === 'full' ? 'Key and request id' : 'Key',
      cell: ({ keyId, requestId }) => (
        <>
          {nameOfKey(keyId)}
          {detail === 'full' ? <code class="under">{requestId}</code> : null}
        </>
      ),
    },
  ];
  return (
    <Table
      caption={caption}
      narrow="lines"
      rows={requests}
      keyOf={({ requestId }) => requestId}
      columns={columns}
    />
  );
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
      {code === null ? null : (
        <a class="code-word" href={`/docs/errors/${code}`}>
          {code}
        </a>
      )}
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

type NoRequestsWish = {
  readonly here: Here;
  readonly title?: string;
  readonly children?: string;
};

/** Whoever may make a call is led there. */
export function NoRequests({
  here,
  title = 'No requests yet',
  children = 'Each call with a key of this account appears here within a second.',
}: NoRequestsWish) {
  const action = <LinkButton href={accountPath(here.accountId, 'try')}>Try a call</LinkButton>;
  return (
    <EmptyState title={title} action={mayKeepKeys(here) ? action : undefined}>
      {children}
    </EmptyState>
  );
}
