// Keys as rows, those that ended apart.

import { useState } from 'preact/hooks';
import type { KeyView } from '../../../src/portal/views.ts';
import { Button } from '../../components/button.tsx';
import { Badge } from '../../components/parts.tsx';
import { type Column, numberColumn, Table } from '../../components/table.tsx';
import { countText, dateText, hourText } from '../../formats.ts';
import { nameOfKey } from '../request-table.tsx';
import { kindText, type MadeKind } from './kinds.ts';

export type Doing =
  | { readonly what: 'make' }
  | { readonly what: 'change' | 'revoke'; readonly view: KeyView }
  | { readonly what: 'rotate'; readonly view: KeyView; readonly kind: MadeKind };

type KeyTableWish = {
  readonly keys: readonly KeyView[];
  /** No key of a suspended or closed account works. */
  readonly standing: 'open' | 'suspended' | 'closed';
  /** Absent for whoever may only look. */
  readonly onDo?: (doing: Doing) => void;
};

const isOver = ({ state }: KeyView): boolean => state === 'expired' || state === 'revoked';

export function KeyTable({ keys, standing, onDo }: KeyTableWish) {
  const [ended, setEnded] = useState<'hidden' | 'shown'>('hidden');
  const over = keys.filter(isOver);
  // A key that nobody can use any more is looked up, not looked at; without any other they are all there is.
  const hides = ended === 'hidden' && over.length < keys.length;
  const shown = keys.filter((key) => !hides || !isOver(key)).toReversed();
  const columns: readonly Column<KeyView>[] = [
    { title: 'Key', kind: 'name', by: nameOfKey, cell: (key) => <Which view={key} /> },
    { title: 'State', by: ({ state }) => state, cell: (key) => <State view={key} standing={standing} /> },
    { title: 'Bound to', cell: (key) => <Bounds view={key} /> },
    {
      title: 'Last used',
      by: ({ lastUsedHourMs }) => lastUsedHourMs ?? 0,
      cell: ({ lastUsedHourMs }) => (lastUsedHourMs === null ? 'never' : hourText(lastUsedHourMs)),
    },
    numberColumn('Calls', ({ calls }) => calls),
  ];
  const actions: Column<KeyView> = {
    title: 'Actions',
    kind: 'actions',
    cell: (view) => (isOver(view) || onDo === undefined ? null : <Actions view={view} onDo={onDo} />),
  };
  return (
    <>
      <Table
        caption="Keys, newest first"
        narrow="cards"
        rows={shown}
        keyOf={({ keyId }) => keyId}
        columns={onDo === undefined ? columns : [...columns, actions]}
      />
      {over.length === 0 || over.length === keys.length ? null : (
        <p>
          <Button size="small" onPress={() => setEnded(ended === 'hidden' ? 'shown' : 'hidden')}>
            {ended === 'hidden' ? `Show ${countText(over.length, 'ended key')}` : 'Hide ended keys'}
          </Button>
        </p>
      )}
    </>
  );
}

function Which({ view }: { readonly view: KeyView }) {
  const prefix = {
    live: 'dd_live',
    test: 'dd_test',
    publishable: 'dd_pub',
    web: 'dd_web',
    admin: 'dd_admin',
  };
  return (
    <>
      {view.name === null ? null : <span class="key-name">{view.name}</span>}
      <span class="key-id">
        <Badge>{kindText(view.kind)}</Badge> <code>{`${prefix[view.kind]}_…${view.lastFour}`}</code>
      </span>
      <span class="under">made {dateText(view.createdAtMs)}</span>
    </>
  );
}

function State({ view, standing }: { readonly view: KeyView } & Pick<KeyTableWish, 'standing'>) {
  if (standing !== 'open' && !isOver(view)) return <Badge tone="warning">{`Account ${standing}`}</Badge>;
  const { tone, text, under, atMs } = stateOf(view);
  return (
    <>
      <Badge tone={tone}>{text}</Badge>
      {atMs === null ? null : <span class="under">{`${under} ${dateText(atMs)}`.trim()}</span>}
    </>
  );
}

function stateOf({ state, unused, expiresAtMs, revokedAtMs, replacedBy }: KeyView) {
  switch (state) {
    case 'works':
      return unused === 'no'
        ? ({ tone: 'good', text: 'Works', under: 'until', atMs: expiresAtMs } as const)
        : ({ tone: 'warning', text: 'Unused for 90 days', under: 'until', atMs: expiresAtMs } as const);
    case 'ends': {
      const text = replacedBy === null ? 'Ends' : 'Replaced';
      return { tone: 'warning', text, under: 'works until', atMs: revokedAtMs ?? expiresAtMs } as const;
    }
    case 'expired':
      return { tone: 'plain', text: 'Expired', under: '', atMs: expiresAtMs } as const;
    case 'revoked':
      return { tone: 'bad', text: 'Revoked', under: '', atMs: revokedAtMs } as const;
  }
}

function Bounds({ view: { binding } }: { readonly view: KeyView }) {
  const words = [
    ...(binding === null || binding.origins === null || binding.origins === 'own' ? [] : binding.origins),
    ...(binding?.addresses ?? []),
    ...(binding === null || binding.endpoints === null ? [] : [boundEndpoints(binding.endpoints)]),
  ];
  if (words.length === 0) return <span class="soft">nothing</span>;
  return (
    <ul class="bounds">
      {words.map((word) => (
        <li key={word}>{word}</li>
      ))}
    </ul>
  );
}

const boundEndpoints = (paths: readonly string[]): string =>
  paths.length <= 2 ? paths.join(', ') : countText(paths.length, 'endpoint');

function Actions({ view, onDo }: { readonly view: KeyView; readonly onDo: (doing: Doing) => void }) {
  const name = nameOfKey(view);
  const { kind } = view;
  const isMade = kind === 'live' || kind === 'test' || kind === 'publishable';
  return (
    <span class="row-actions">
      <Button size="small" label={`Change ${name}`} onPress={() => onDo({ what: 'change', view })}>
        Change
      </Button>
      {isMade && view.state === 'works' ? (
        <Button size="small" label={`Rotate ${name}`} onPress={() => onDo({ what: 'rotate', view, kind })}>
          Rotate
        </Button>
      ) : null}
      <Button
        size="small"
        look="danger"
        label={`Revoke ${name}`}
        onPress={() => onDo({ what: 'revoke', view })}
      >
        Revoke
      </Button>
    </span>
  );
}
