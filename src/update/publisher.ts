// The publishers as an update asks them: over the web or a mirror, at the addresses that sources name or that the operator
// gave instead.

import type { Listed, Offer } from '../ingest/publication.ts';
import { londonToday } from '../uk/calendar.ts';
import { type Ask, fileNameOf } from './find/ask.ts';
import { findOffers } from './find/index.ts';
import type { Publisher } from './look.ts';
import type { Web } from './web/web.ts';

/** Index pages have some 100 kB; a search of ArcGIS 300 kB. */
const mostIndexBytes = 16_000_000;

type Means = {
  readonly web: Web;
  /** By name of the publication: where its file is, whatever its source says. */
  readonly addresses: ReadonlyMap<string, string>;
  readonly nowMs: number;
  readonly signal: AbortSignal;
};

/** An address that the operator gave is trusted with its own host. */
export const hostsOf = (
  { name, hosts }: Listed,
  { addresses }: Pick<Means, 'addresses'>,
): readonly string[] => {
  const given = URL.parse(addresses.get(name) ?? '')?.hostname;
  return given === undefined ? hosts : [given, ...hosts];
};

export function openPublisher(means: Means): Publisher {
  const { web, addresses, nowMs, signal } = means;
  return {
    find: async (publication): Promise<readonly Offer[]> => {
      const given = addresses.get(publication.name);
      if (given !== undefined) return [{ address: given, fileName: fileNameOf(given) }];
      return findOffers(publication.find, askOf(publication, means), londonToday(nowMs));
    },
    peek: (publication, address, known) =>
      web.peek(address, {
        hosts: hostsOf(publication, means),
        known: known && {
          ...(known.etag === undefined ? {} : { etag: known.etag }),
          ...(known.lastModified === undefined ? {} : { lastModified: known.lastModified }),
        },
        signal,
      }),
  };
}

function askOf({ hosts }: Listed, { web, signal }: Means): Ask {
  const bounds = { hosts, mostBytes: mostIndexBytes, signal };
  return {
    json: async (address) => (await web.readDocument(address, { ...bounds, expects: 'json' })).value,
    page: (address) => web.readDocument(address, { ...bounds, expects: 'html' }),
    isThere: (address) => web.isThere(address, { hosts, signal }),
  };
}
