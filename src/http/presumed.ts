// Calls by keys that were good a moment ago are looked up before they are admitted, and admitted where they are charged: one way to
// the database instead of two. What such a call comes to is told only once it is admitted; one that comes to no charge begins
// anew in the usual order.

import { isThere } from '../contract/when-there.ts';
import type { Admitted, Charge, Confirmed } from '../ledger/ledger.ts';
import type { Call, Due, Step } from './call.ts';
import { takeStage } from './stages.ts';

type Presumed = {
  readonly admission: Admitted;
  readonly charge: (charge: Charge) => Promise<Confirmed>;
};

/** Undefined where the call has to be admitted first. */
export function presume(call: Call): Presumed | undefined {
  const { key, questions, desk, sent, ifNoneMatch, atMs } = call;
  const { presumptions } = desk.ledger;
  if (presumptions === undefined || key === undefined) return undefined;
  const mayBeFree = questions.endpoint.credits === 0 || ifNoneMatch !== undefined;
  // Nobody is asked in the name of an account that may be over its limits.
  const mayAskOthers = desk.liveService !== undefined;
  if (mayBeFree || mayAskOthers || typeof sent !== 'string') return undefined;
  const { hash } = key;
  const admission = presumptions.find(hash, atMs);
  return admission && { admission, charge: (charge) => presumptions.charge(hash, charge) };
}

/** What the call owes if it is admitted; undefined where it comes to anything but a charge. */
export function findDue(call: Call, admission: Admitted): Due | undefined | Promise<Due | undefined> {
  try {
    const due = goToCharge(call, { next: 'limit', admission });
    return isThere(due) ? due : due.catch(begunAnew);
  } catch {
    return begunAnew();
  }
}

/** A fault is met and told when the call is taken in the usual order. */
const begunAnew = (): undefined => undefined;

function goToCharge(call: Call, from: Step): Due | undefined | Promise<Due | undefined> {
  let step = from;
  while (step.next !== 'reply') {
    if (step.next === 'charge') return step;
    const { next } = step;
    const following = takeStage(call, step);
    if (!isThere(following)) {
      return following.then((there) => {
        call.laps.end(next);
        return goToCharge(call, there);
      });
    }
    call.laps.take(next);
    step = following;
  }
  return undefined;
}
