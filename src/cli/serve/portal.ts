// Puts together what the pages' interface works with. Called by the first who asks for a page: until then none of it is loaded,
// and no table of people opened.

import type { Settings } from '../../config.ts';
import type { Updates } from '../../contract/updates.ts';
import { endpoints } from '../../endpoints/index.ts';
import type { Log } from '../../http/observe/log.ts';
import type { Portal } from '../../http/portal-door.ts';
import type { OpenLedger } from '../../ledger/ledger.ts';
import { openPeople } from '../../people/open.ts';
import { openPortal } from '../../portal/portal.ts';
import type { ReleaseRow } from '../../portal/views.ts';
import type { Release } from '../../release/reader.ts';
import { openHome } from '../../release/store.ts';
import type { RequestLog } from '../../requests/request-log.ts';
import type { Database } from '../../storage/sql.ts';
import { layouts } from '../../tables/index.ts';
import { peopleWish } from '../people/open-people.ts';
import { publications } from '../publications.ts';
import { version } from '../version.ts';
import { isLoopback, withholdsSample } from './reach.ts';
import { openLoading } from './updater.ts';

type PortalParts = {
  /** With the port that the service was given. */
  readonly settings: Settings;
  readonly books: Pick<OpenLedger, 'ledger' | 'accounts'>;
  readonly database: Database;
  readonly requests: RequestLog;
  readonly live: () => Release | undefined;
  readonly updates: () => Updates;
  readonly log: Log;
  readonly now: () => number;
};

export function openServicePortal(parts: PortalParts): Portal {
  const { settings, books, database, requests, log, now } = parts;
  const { releases } = openHome(settings.home, layouts);
  const loading = openLoading(settings, now);
  const portal = openPortal({
    settings,
    demoPays: demoPays(settings),
    sampleForLiveKeys: withholdsSample(settings) ? 'withheld' : 'served',
    ...books,
    people: openPeople({
      database,
      ...peopleWish(settings),
      now,
      tell: ({ level, message, fault }) =>
        fault === undefined ? log[level](message) : log.fault(message, fault),
    }),
    requests,
    endpoints,
    releases: {
      live: parts.live,
      list: () =>
        releases.list().map(
          (entry): ReleaseRow => ({
            id: entry.id,
            madeAt: entry.kind === 'usable' ? entry.manifest.createdAt : null,
            isCurrent: entry.isCurrent,
          }),
        ),
    },
    updates: parts.updates,
    loading,
    publications,
    version,
    now,
    reportFault: (message, fault, requestId) => log.fault(message, fault, requestId),
  });
  return {
    ...portal,
    close: async () => {
      loading.stop();
      await portal.close();
    },
  };
}

/** Behind a proxy everybody seems to be on this machine. */
const demoPays = ({ host, demoAccount, trustProxy }: Settings): 'on this machine' | 'never' =>
  isLoopback(host) && demoAccount !== 'off' && trustProxy === 0 ? 'on this machine' : 'never';
