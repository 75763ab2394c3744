// What arrives in one turn of the event loop is answered together. Each step then runs many times in a row, while the
// processor still has its code at hand: with 64 connections that is a seventh of what a request costs.
// A turn is short, so that new callers are heard; questions of health come before all others.

import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Pipelines } from './pipelines.ts';

/** Enough for 64 calls. A new connection is taken once a turn, so a crowd of them waits for as many turns. A request that
 *  was begun is finished, so a turn may last longer by one. */
const turnMs = 2;

type Arrived = { readonly request: IncomingMessage; readonly response: ServerResponse };

export function inTurns(
  listener: RequestListener,
  pipelines: () => Pipelines,
  elapsedMs: () => number,
): RequestListener {
  let urgent: Arrived[] = [];
  let arrived: Arrived[] = [];
  let isDue = false;
  const answer = ({ request, response }: Arrived) => {
    // Whoever has gone meanwhile is not answered, and so not charged.
    if (!request.socket.destroyed) listener(request, response);
  };
  const takeTurn = () => {
    const first = urgent;
    const turn = arrived;
    urgent = [];
    arrived = [];
    for (const each of first) answer(each);
    const endMs = elapsedMs() + turnMs;
    let taken = 0;
    for (const each of turn) {
      answer(each);
      taken += 1;
      if (elapsedMs() >= endMs) break;
    }
    if (taken < turn.length) arrived = [...turn.slice(taken), ...arrived];
    isDue = arrived.length + urgent.length > 0;
    if (isDue) setImmediate(takeTurn);
  };
  const begin = (each: Arrived) => {
    (each.request.url?.startsWith('/health/') ? urgent : arrived).push(each);
    if (!isDue) setImmediate(takeTurn);
    isDue = true;
  };
  return (request, response) => {
    const arrival = { request, response };
    if (pipelines().arrive(response) === 'first') begin(arrival);
    else response.once('socket', () => begin(arrival));
  };
}
