// The last requests of the account, live while they are watched, and whether their parameters are kept.

import { useState } from 'preact/hooks';
import type { KeyView, RequestView } from '../../src/portal/views.ts';
import { ask } from '../ask.ts';
import { Button, LinkButton } from '../components/button.tsx';
import { Confirm, DialogButton } from '../components/dialog.tsx';
import { Choice, Field } from '../components/form.tsx';
import { Answered, EmptyState } from '../components/notice.tsx';
import { Part } from '../components/parts.tsx';
import { countText, numberText } from '../formats.ts';
import { setQuery, useQuery } from '../router.ts';
import { useAsk } from '../use-ask.ts';
import { AccountPage } from './account-page.tsx';
import { filePath, type Here, isOwner } from './here.ts';
import { useLive, type Watching, withFresh } from './live.ts';
import { NoRequests, namesOfKeys, RequestTable } from './request-table.tsx';

export function Requests({ here }: { readonly here: Here }) {
  const { accountId } = here;
  const asked = useAsk('GET /portal/accounts/:accountId/requests', { in: { accountId } });
  const keys = useAsk('GET /portal/accounts/:accountId/keys', { in: { accountId } });
  const [fresh, setFresh] = useState<readonly RequestView[]>([]);
  const [state, setState] = useState<'on' | 'paused'>('on');
  const watching = useLive({
    accountId,
    state,
    onEvent: ({ requests }) => setFresh((known) => withFresh(known, requests)),
    onGap: () => void asked.again(),
  });
  return (
    <AccountPage
      here={here}
      title="Requests"
      lead="The last 1,000 requests of all keys, as the server saw them."
      actions={
        <LinkButton href={filePath(accountId, 'requests.csv')} file={`requests-${accountId}.csv`}>
          Save as CSV
        </LinkButton>
      }
    >
      <Answered of={asked} lines={12}>
        {(told) => (
          <Answered of={keys} lines={12}>
            {({ keys: known }) => (
              <Filtered
                here={here}
                requests={withFresh(told.requests, fresh)}
                keys={known}
                watching={watching}
                onPause={() => {
                  setState(state === 'on' ? 'paused' : 'on');
                  if (state === 'paused') void asked.again();
                }}
              />
            )}
          </Answered>
        )}
      </Answered>
      <Parameters here={here} />
    </AccountPage>
  );
}

type FilteredWish = {
  readonly here: Here;
  readonly requests: readonly RequestView[];
  readonly keys: readonly KeyView[];
  readonly watching: Watching;
  readonly onPause: () => void;
};

function Filtered({ here, requests, keys, watching, onPause }: FilteredWish) {
  const query = useQuery();
  const filter = {
    status: query.get('status') ?? '',
    path: query.get('path') ?? '',
    key: query.get('key') ?? '',
    id: query.get('id') ?? '',
  };
  const nameOfKey = namesOfKeys(keys);
  const shown = requests.filter((request) => fits(request, filter));
  if (requests.length === 0) {
    return (
      <>
        <Watch watching={watching} onPause={onPause} />
        <NoRequests here={here} />
      </>
    );
  }
  return (
    <div class="stack">
      <Filters filter={filter} requests={requests} nameOfKey={nameOfKey} />
      <div class="above-table">
        <p class="soft" role="status">
          {shown.length === requests.length
            ? countText(requests.length, 'request')
            : `${numberText(shown.length)} of ${countText(requests.length, 'request')}`}
        </p>
        <Watch watching={watching} onPause={onPause} />
      </div>
      {shown.length === 0 ? (
        <EmptyState
          title="No request matches"
          action={
            <Button
              onPress={() => setQuery({ status: undefined, path: undefined, key: undefined, id: undefined })}
            >
              Show all
            </Button>
          }
        />
      ) : (
        <RequestTable caption="Requests, newest first" requests={shown} nameOfKey={nameOfKey} detail="full" />
      )}
    </div>
  );
}

type Filter = Readonly<Record<'status' | 'path' | 'key' | 'id', string>>;

function fits({ status, path, keyId, requestId, code }: RequestView, filter: Filter): boolean {
  const wanted = filter.id.trim().toLowerCase();
  return (
    (filter.status === '' ||
      filter.status === String(status) ||
      filter.status === `${Math.floor(status / 100)}xx`) &&
    (filter.path === '' || filter.path === path) &&
    (filter.key === '' || filter.key === keyId) &&
    (wanted === '' || requestId.toLowerCase().includes(wanted) || (code ?? '').toLowerCase().includes(wanted))
  );
}

type FiltersWish = {
  readonly filter: Filter;
  readonly requests: readonly RequestView[];
  readonly nameOfKey: (keyId: string) => string;
};

function Filters({ filter, requests, nameOfKey }: FiltersWish) {
  const all = { value: '', label: 'All' };
  const those = <T extends string | number>(values: readonly T[]) => [...new Set(values)].toSorted();
  const option = (value: string | number) => ({ value: String(value), label: String(value) });
  const classes = [
    { value: '2xx', label: 'Answered (2xx)' },
    { value: '4xx', label: 'Refused (4xx)' },
    { value: '5xx', label: 'Failed (5xx)' },
  ];
  return (
    <div class="filters">
      <Choice
        label="Status"
        value={filter.status}
        options={[all, ...classes, ...those(requests.map(({ status }) => status)).map(option)]}
        onValue={(status) => setQuery({ status })}
      />
      <Choice
        label="Path"
        value={filter.path}
        options={[all, ...those(requests.map(({ path }) => path)).map(option)]}
        onValue={(path) => setQuery({ path })}
      />
      <Choice
        label="Key"
        value={filter.key}
        options={[
          all,
          ...those(requests.map(({ keyId }) => keyId)).map((keyId) => ({
            value: keyId,
            label: nameOfKey(keyId),
          })),
        ]}
        onValue={(key) => setQuery({ key })}
      />
      <Field
        label="Request id or error code"
        type="search"
        value={filter.id}
        onValue={(id) => setQuery({ id })}
      />
    </div>
  );
}

const words: Readonly<Record<Watching, string>> = {
  live: 'Live',
  connecting: 'Connecting…',
  broken: 'Not live; trying again',
  paused: 'Paused',
};

function Watch({ watching, onPause }: { readonly watching: Watching; readonly onPause: () => void }) {
  return (
    <div class="watch">
      <span class={`dot ${watching}`} aria-hidden="true" />
      <span role="status">{words[watching]}</span>
      <Button size="small" onPress={onPause}>
        {watching === 'paused' ? 'Resume' : 'Pause'}
      </Button>
    </div>
  );
}

function Parameters({ here }: { readonly here: Here }) {
  const isKept = here.settings.parameters === 'kept';
  const change = () =>
    ask('PATCH /portal/accounts/:accountId', {
      in: { accountId: here.accountId },
      takes: { parameters: isKept ? 'not kept' : 'kept' },
    });
  return (
    <Part
      title="Parameters"
      lead={
        isKept
          ? 'Parameters, such as postcodes and addresses, are kept with each request for 7 days and then removed.'
          : 'Parameters, such as postcodes and addresses, are not kept. If you turn this on, new requests keep them for 7 days. This helps while you look for a fault.'
      }
    >
      {isOwner(here) ? (
        <DialogButton words={isKept ? 'Stop keeping them' : 'Keep them'}>
          {(close) => (
            <Confirm
              title={isKept ? 'Stop keeping parameters' : 'Keep parameters'}
              submit={isKept ? 'Stop and remove them' : 'Keep them'}
              look={isKept ? 'danger' : 'primary'}
              onSend={change}
              onDone={here.again}
              onClose={close}
            >
              <p>
                {isKept
                  ? 'The parameters kept so far are removed at once. The requests stay in the list.'
                  : 'Parameters can be personal data. Everybody in this account and the operator can read them here. They are removed after 7 days.'}
              </p>
            </Confirm>
          )}
        </DialogButton>
      ) : (
        <p class="soft">An owner of the account can change this.</p>
      )}
    </Part>
  );
}
