// Asks a place which release is the newest, with what is known of the last answer: where nothing changed, that is one small
// exchange. A pointer that is not whole, or not signed as it must be, is refused here.

import type { KeyObject } from 'node:crypto';
import { EarlyFormat, FieldFault } from '../release/fields.ts';
import type { Clock } from '../update/web/clock.ts';
import { readBytes } from '../update/web/document.ts';
import { conditionsOf } from '../update/web/download.ts';
import { type Answer, byStatus, Exchange } from '../update/web/exchange.ts';
import { Manners } from '../update/web/manners.ts';
import type { Validators } from '../update/web/part.ts';
import { DepotFault, earlyDepot } from './fault.ts';
import { mostPointerBytes, type PublishedPointer, parsePointer, pointerName } from './format.ts';
import { depotFault, type Place } from './place.ts';
import { isSignedBy } from './signature.ts';

/** From question to last byte, of what is small. */
const smallMs = 120_000;

export type Asker = {
  readonly place: Place;
  readonly exchange: Exchange;
  readonly clock: Clock;
  readonly signal: AbortSignal;
};

type AskerOptions = Omit<Asker, 'exchange'> & { readonly stallMs?: number };

/** Four transfers at a time, without gaps: the place is the operator's own. */
export function openAsker({ place, clock, signal, stallMs = 60_000 }: AskerOptions): Asker {
  const limits = { transfersPerHost: 4, transfersInAll: 4, gapMs: 0, fewerFor: {} };
  const manners = new Manners(limits, clock, new Map(), signal);
  return { place, clock, signal, exchange: new Exchange(place.wire, manners, clock, stallMs) };
}

/** What `read` makes of an answer of status 200. Asked once: whoever follows asks again soon. Throws DepotFault. */
export async function askSmall<T>(
  { place, exchange, signal }: Asker,
  key: string,
  read: (answer: Answer) => Promise<T>,
  headers: Readonly<Record<string, string>> = {},
): Promise<T | 'unchanged'> {
  try {
    const address = place.addressOf(key);
    const answer = await exchange.ask({ address, hosts: [], headers, signal, withinMs: smallMs });
    try {
      if (answer.status === 304 && Object.keys(headers).length > 0) return 'unchanged';
      if (answer.status !== 200) throw byStatus(answer.status, answer.address);
      return await read(answer);
    } finally {
      answer.discard();
    }
  } catch (error) {
    throw depotFault(error, place, key);
  }
}

export type Asked = PublishedPointer & { readonly validators: Validators };

/** Any of the keys will do; without one no signature is asked for. Throws DepotFault. */
export async function askPointer(
  asker: Asker,
  keys: readonly KeyObject[],
  known: Validators | undefined,
): Promise<Asked | 'unchanged'> {
  const read = async (answer: Answer) => {
    const [etag, lastModified] = [answer.header('etag'), answer.header('last-modified')];
    return {
      text: Buffer.from(await readBytes(answer, mostPointerBytes)).toString('utf8'),
      validators: {
        ...(etag === undefined ? {} : { etag }),
        ...(lastModified === undefined ? {} : { lastModified }),
      },
    };
  };
  const found = await askSmall(asker, pointerName, read, conditionsOf(known));
  if (found === 'unchanged') return found;
  const published = parsed(found.text, asker.place);
  const { line, signature } = published;
  if (keys.length > 0 && (signature === undefined || !isSignedBy(line, signature, keys)))
    throw new DepotFault(
      'unsigned',
      `The release at ${asker.place.shown} is not signed with the key in DOMESDAY_RELEASE_PUBLIC_KEY; check that key, and that releases are published with DOMESDAY_SIGNING_KEY.`,
    );
  return { ...published, validators: found.validators };
}

function parsed(text: string, { shown }: Place): PublishedPointer {
  try {
    return parsePointer(text);
  } catch (error) {
    if (error instanceof EarlyFormat) throw earlyDepot(shown);
    if (!(error instanceof FieldFault)) throw error;
    throw new DepotFault('invalid', `The file "${pointerName}" at ${shown} ${error.message}.`);
  }
}
