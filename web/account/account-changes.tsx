// The audit log of one account, with its keys by their names: on the customer's page and on the operator's.

import { ask } from '../ask.ts';
import { Changes } from '../components/changes.tsx';
import { Answered } from '../components/notice.tsx';
import { useAsk } from '../use-ask.ts';
import { nameOfKey } from './request-table.tsx';

type ChangesWish = {
  readonly accountId: string;
  /** Lines shown until somebody wants older ones. */
  readonly atFirst?: number;
};

export function AccountChanges({ accountId, atFirst }: ChangesWish) {
  const asked = useAsk('GET /portal/accounts/:accountId/audit', { in: { accountId } });
  const keys = useAsk('GET /portal/accounts/:accountId/keys', { in: { accountId } });
  return (
    <Answered of={asked} lines={12}>
      {(newest) => (
        <Answered of={keys} lines={12}>
          {({ keys: known }) => (
            <Changes
              newest={newest}
              askOlder={(before) =>
                ask('GET /portal/accounts/:accountId/audit', { in: { accountId }, takes: { before } })
              }
              nameOfKey={(keyId) => {
                const key = known.find((each) => each.keyId === keyId);
                return key === undefined ? undefined : nameOfKey(key);
              }}
              {...(atFirst === undefined ? {} : { atFirst })}
            />
          )}
        </Answered>
      )}
    </Answered>
  );
}
