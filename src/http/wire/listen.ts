// What listens for requests: Node's server with bounds on how long and how much a caller may make it wait.

import type { RequestListener, Server } from 'node:http';
import { minuteMs } from '../../time.ts';
import { headerBytesMax } from './broken-requests.ts';
import { answerHalfClosed } from './half-closed.ts';
import { Pipelines } from './pipelines.ts';
import { cutStalledReaders } from './stalled-readers.ts';
import type { InFlightBounds } from './stream.ts';
import { inTurns } from './turns.ts';

/** Time-outs and bounds of connections; tests have shorter ones. */
export type Patience = InFlightBounds & {
  /** From the first byte of a request, or the opening of its connection, to the end of its headers. */
  readonly headersMs: number;
  /** To the end of its body. */
  readonly requestMs: number;
  /** How often both are looked at, and so how late they may be. */
  readonly lookEveryMs: number;
  /** A connection without a request. */
  readonly idleMs: number;
  /** A caller who takes nothing of its replies. */
  readonly unreadMs: number;
  readonly connectionsMax: number;
};

export const servicePatience: Patience = {
  headersMs: 10_000,
  requestMs: 15_000,
  lookEveryMs: 500,
  idleMs: 72_000,
  unreadMs: 60_000,
  fileBytesMost: 32 * 2 ** 20,
  crowdedLookMs: 5_000,
  connectionsMax: 3_000,
};

/** Of replies that wait to be taken, on all connections together. */
const unreadBytesMax = 256 * 2 ** 20;
const unreadLookMs = 5_000;
/** After a caller sent many requests ahead. */
const guardMs = minuteMs;

type Listening = { readonly server: Server; readonly pipelines: Pipelines };

export function listen(
  answerRequest: RequestListener,
  patience: Patience,
  elapsedMs: () => number,
): Listening {
  // Not imported: see status-names.ts.
  const server = process.getBuiltinModule('node:http').createServer(
    {
      maxHeaderSize: headerBytesMax,
      requireHostHeader: false,
      headersTimeout: patience.headersMs,
      requestTimeout: patience.requestMs,
      connectionsCheckingInterval: patience.lookEveryMs,
      keepAliveTimeout: patience.idleMs,
      // A GET has no body: no stream need come to its end for it.
      optimizeEmptyRequests: true,
    },
    inTurns(answerRequest, () => pipelines, elapsedMs),
  );
  const pipelines = new Pipelines(server, { guardMs, connectionsMax: patience.connectionsMax });
  const lookEveryMs = Math.min(unreadLookMs, patience.unreadMs);
  const looks = Math.ceil(patience.unreadMs / lookEveryMs);
  cutStalledReaders(server, { lookEveryMs, looks, bytesMax: unreadBytesMax });
  return { server: answerHalfClosed(server), pipelines };
}
