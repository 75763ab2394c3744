// Replicas behind a proxy are killed and paused, and their database is restarted, while customers call and people change what is theirs.

import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import { ToldChanges } from '../people/changes.ts';
import { Fleet, type FleetTools } from '../replicas/fleet.ts';
import { assertEachPaidOnce, SteadyLoad } from '../replicas/steady-load.ts';
import { fleetTools } from '../requirements.ts';
import { type Fault, type Scale, Unfinished } from './fault.ts';
import { PageChanges, pagesEnv } from './page-changes.ts';

const callers = 16;
const pauseMs = 10_000;
/** Longer than a charge is tried for, so that some stay in doubt. */
const longOutageMs = 7_000;

type Event = 'kill' | 'restart' | 'pause';

/** What is left then is not done, and the run does not count. */
const minutesMost: Readonly<Record<Scale, number>> = { short: 10, long: 60 };

const eventsOf: Record<Scale, Readonly<Record<Event, number>>> = {
  short: { kill: 30, restart: 2, pause: 1 },
  long: { kill: 300, restart: 20, pause: 10 },
};

/** The same moments in every run. */
function random(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((state / 2_147_483_648) * below);
  };
}

function shuffled(
  counts: Readonly<Record<Event, number>>,
  below: (most: number) => number,
): readonly Event[] {
  const events = (['kill', 'restart', 'pause'] as const).flatMap((event) =>
    Array.from({ length: counts[event] }, () => event),
  );
  return events
    .map((event) => ({ event, place: below(1_000_000) }))
    .toSorted((a, b) => a.place - b.place)
    .map(({ event }) => event);
}

async function disturb(tools: FleetTools, scale: Scale): Promise<string> {
  await using fleet = await Fleet.open(tools, 3, pagesEnv);
  const customer = await fleet.customer('--credits', '100000000');
  const below = random(4_711);
  await using load = new SteadyLoad(fleet, customer, callers, 'until answered');
  const changes = new ToldChanges();
  let isOver = false;
  const changing = Promise.all(
    fleet.replicas.map(({ home, address }, number) =>
      new PageChanges({ DOMESDAY_HOME: home, DATABASE_URL: fleet.databaseUrl }, number).makeOn(
        `http://${address}`,
        changes,
        () => !isOver,
      ),
    ),
  );
  await using _ = {
    [Symbol.asyncDispose]: async () => {
      isOver = true;
      await Promise.allSettled([changing]);
    },
  };
  const done = { kill: 0, restart: 0, pause: 0 };
  const events = shuffled(eventsOf[scale], below);
  const endMs = performance.now() + minutesMost[scale] * 60_000;
  for (const event of events) {
    if (performance.now() > endMs) break;
    await load.answers(1 + below(120));
    done[event] += 1;
    const replica = fleet.replicas[below(fleet.replicas.length)] ?? assert.fail();
    if (event === 'restart') {
      await fleet.server.stop(below(2) === 0 ? 'fast' : 'immediate');
      if (done.restart % 2 === 0) await pause(longOutageMs);
      await fleet.server.start();
      continue;
    }
    await replica.started;
    if (event === 'kill') {
      await replica.stop('SIGKILL');
      replica.supervise().catch(() => undefined); // whoever waits for it is told
    } else {
      replica.running.child.kill('SIGSTOP');
      await pause(pauseMs);
      replica.running.child.kill('SIGCONT');
    }
  }
  for (const { started } of fleet.replicas) await started;
  await fleet.allUp();
  await load.answers(100);
  await load.stop();
  isOver = true;
  await changing;
  assert.deepEqual(load.odd, []);
  await changes.assertThere(fleet.replicas[0]?.home ?? assert.fail(), fleet.databaseUrl);
  const { reversals } = await assertEachPaidOnce(fleet, customer, load);
  const { kill, restart, pause: pauses } = done;
  const failed = [...load.failed].map(([status, count]) => `${status || 'broken'} × ${count}`).join(', ');
  const seen = [
    `${kill} kills, ${restart} restarts of PostgreSQL, ${pauses} pauses of ${pauseMs / 1000} s`,
    `${load.answered.size} calls, each in the journal once (${load.charged} reported as charged, ${load.replayed} as repeated)`,
    `${changes.acknowledged} changes of people, 0 lost, ${changes.refused} refused or not answered`,
    `tries refused meanwhile: ${failed || 'none'}`,
    `${reversals} charges in doubt given back`,
  ].join('; ');
  const left = events.length - kill - restart - pauses;
  if (left === 0) return seen;
  throw new Unfinished(
    `${left} of ${events.length} events found no time within ${minutesMost[scale]} minutes; ${seen}`,
  );
}

const needs = fleetTools();

export const disturbedReplicas: Fault = {
  name: 'replicas killed and paused, their database restarted',
  promise:
    'every call that was answered is in the journal exactly once, every acknowledged change of people is there, none is refused for want of credits or answered for nothing, and all recover by themselves',
  needs,
  run: (scale) => (needs.kind === 'there' ? disturb(needs.value, scale) : assert.fail('listed as not run')),
};
