// The keys of the account: what each is, whether it works, when it was last used, and what can be done with it.

import { useState } from 'preact/hooks';
import type { KeyView } from '../../../src/portal/views.ts';
import { Button } from '../../components/button.tsx';
import { Answered, EmptyState, Notice } from '../../components/notice.tsx';
import { countText } from '../../formats.ts';
import { useAsk } from '../../use-ask.ts';
import { AccountPage } from '../account-page.tsx';
import { type Here, mayKeepKeys } from '../here.ts';
import { ChangeKey } from './change-key.tsx';
import { RevokeKey, RotateKey } from './end-key.tsx';
import { type Doing, KeyTable } from './key-table.tsx';
import { MakeKey } from './make-key.tsx';
import { type NewKey, NewKeyShown } from './new-key.tsx';

export function Keys({ here }: { readonly here: Here }) {
  const { accountId } = here;
  const asked = useAsk('GET /portal/accounts/:accountId/keys', { in: { accountId } });
  const [doing, setDoing] = useState<Doing | undefined>(undefined);
  const [made, setMade] = useState<NewKey | undefined>(undefined);
  const close = () => setDoing(undefined);
  const onMade = async (key: NewKey) => {
    setMade(key);
    setDoing(undefined);
    await asked.again();
  };
  const may = mayKeepKeys(here);
  const { suspended, closedAtMs } = here.account;
  const standing = closedAtMs !== null ? 'closed' : suspended !== null ? 'suspended' : 'open';
  const make = may ? (
    <Button look="primary" onPress={() => setDoing({ what: 'make' })}>
      Make a key
    </Button>
  ) : undefined;
  return (
    <AccountPage
      here={here}
      title="Keys"
      lead="Keys belong to the account, not to a person. Changes take effect at the next call."
      actions={make}
    >
      <Answered of={asked} lines={8}>
        {({ keys, endpoints }) => (
          <div class="stack">
            {made === undefined ? null : (
              <NewKeyShown key={made.key} made={made} onKept={() => setMade(undefined)} />
            )}
            {may ? <Unused keys={keys} /> : null}
            {keys.length === 0 ? (
              <EmptyState title="No keys yet" action={make}>
                A program sends its key with every call.
              </EmptyState>
            ) : (
              <KeyTable keys={keys} standing={standing} {...(may ? { onDo: setDoing } : {})} />
            )}
            <Doings
              doing={doing}
              here={here}
              endpoints={endpoints}
              again={asked.again}
              onMade={onMade}
              onClose={close}
            />
          </div>
        )}
      </Answered>
    </AccountPage>
  );
}

function Unused({ keys }: { readonly keys: readonly KeyView[] }) {
  const count = keys.filter(({ unused }) => unused === 'for 90 days').length;
  return count === 0 ? null : (
    <Notice tone="warning">
      <p>
        {count === 1
          ? 'Nobody has used one of the working keys for 90 days. Revoke it if nobody needs it.'
          : `Nobody has used ${countText(count, 'key')} for 90 days. Revoke those that nobody needs.`}
      </p>
    </Notice>
  );
}

type DoingsWish = {
  readonly doing: Doing | undefined;
  readonly here: Here;
  readonly endpoints: readonly string[];
  readonly again: () => Promise<void>;
  readonly onMade: (made: NewKey) => Promise<void>;
  readonly onClose: () => void;
};

function Doings({ doing, here: { accountId }, endpoints, again, onMade, onClose }: DoingsWish) {
  switch (doing?.what) {
    case undefined:
      return null;
    case 'make':
      return <MakeKey accountId={accountId} endpoints={endpoints} onMade={onMade} onClose={onClose} />;
    case 'change':
      return (
        <ChangeKey
          accountId={accountId}
          view={doing.view}
          endpoints={endpoints}
          onDone={again}
          onClose={onClose}
        />
      );
    case 'rotate':
      return (
        <RotateKey
          accountId={accountId}
          view={doing.view}
          kind={doing.kind}
          onMade={onMade}
          onClose={onClose}
        />
      );
    case 'revoke':
      return <RevokeKey accountId={accountId} view={doing.view} onDone={again} onClose={onClose} />;
  }
}
