// What happens in an account while somebody watches, as server-sent events: at most one a second (LivePace), for as long as
// the session and the role last.

import { refuse } from '../../people/outcome.ts';
import type { PortalDesk } from '../desk.ts';
import type { ByMember, Streamed } from '../route.ts';
import type { Live, RequestView } from '../views.ts';

/** Proxies close a connection that is silent for a minute. */
const heartbeatMs = 15_000;
/** Of the minute for which a place is held. */
const stayEveryMs = 20_000;
/** More in a second is not looked at one by one. */
const requestsOfEvent = 100;

const eventStream = (chunks: Streamed['chunks']): Streamed => ({
  kind: 'streamed',
  type: 'text/event-stream; charset=utf-8',
  fileName: undefined,
  chunks,
});

async function* noEvents() {}

export async function live(desk: PortalDesk, asked: ByMember) {
  if (asked.wants === 'headers') return eventStream(noEvents);
  const place = desk.streams.isFull ? undefined : await desk.people.watching.enter(asked.actor.personId);
  if (place === undefined) {
    return refuse(
      'TOO_MANY',
      'Too many pages are watching at once; close one, or load the page again later.',
      {
        retryAfterSeconds: 30,
      },
    );
  }
  const watch: Watch = {
    accountId: asked.account.accountId,
    place,
    isStillAllowed: async () => (await asked.admitAgain()).kind === 'admitted',
  };
  return eventStream((gone) => events(desk, watch, gone));
}

type Watch = {
  readonly accountId: string;
  /** Among those of its person. */
  readonly place: string;
  readonly isStillAllowed: () => Promise<boolean>;
};

async function* events(desk: PortalDesk, watch: Watch, gone: AbortSignal): AsyncIterable<string> {
  const { everyMs, lookAgainMs } = desk.livePace;
  const stream = desk.streams.enter();
  const over = AbortSignal.any([gone, stream.signal]);
  let fresh: readonly RequestView[] = [];
  const unwatch = desk.requests.watch(watch.accountId, (requests) => {
    fresh = [...requests, ...fresh].slice(0, requestsOfEvent);
  });
  try {
    let balance: number | undefined;
    let lookedMs = performance.now();
    let spokeMs = lookedMs;
    let stayedMs = lookedMs;
    while (!over.aborted) {
      if (performance.now() - lookedMs >= lookAgainMs) {
        if (!(await watch.isStillAllowed())) return;
        lookedMs = performance.now();
        if (lookedMs - stayedMs >= stayEveryMs) {
          await desk.people.watching.stay(watch.place);
          stayedMs = lookedMs;
        }
      }
      const account = await desk.accounts.findAccount(watch.accountId, desk.now());
      if (account === undefined) return;
      if (account.balance !== balance || fresh.length > 0) {
        const event: Live = { balance: account.balance, requests: fresh };
        balance = account.balance;
        fresh = [];
        spokeMs = performance.now();
        yield `data: ${JSON.stringify(event)}\n\n`;
      } else if (performance.now() - spokeMs >= heartbeatMs) {
        spokeMs = performance.now();
        yield ': still here\n\n';
      }
      await pause(everyMs, over);
    }
  } finally {
    unwatch();
    desk.streams.leave(stream);
    await desk.people.watching.leave(watch.place);
  }
}

/** Ends at once when nobody waits any more. */
function pause(ms: number, over: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      over.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    over.addEventListener('abort', end);
    if (over.aborted) end();
  });
}
