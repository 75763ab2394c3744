// One call from its key to its reply: takes one stage after another until the call is settled, then writes the reply.

import { OutOfRange } from '../columns/out-of-range.ts';
import { whenThere } from '../contract/when-there.ts';
import { errors } from '../errors.ts';
import type { Caller } from '../ledger/ledger.ts';
import { type Release, ReleaseDamaged } from '../release/reader.ts';
import type { Ahead, Call, Settled, Step } from './call.ts';
import {
  type Bill,
  billingHeaders,
  csvType,
  dataHeaders,
  type Headers,
  jsonType,
  type Reply,
  rateHeaders,
  refusalReply,
  requestHeaders,
  successBody,
} from './envelope.ts';
import { cacheHeaders } from './negotiate.ts';
import { ourFault } from './refusals.ts';
import { takeStage } from './stages.ts';

export type Answered = Reply & { readonly caller: Caller | undefined; readonly creditsCharged: number };

/** A promise only where a stage has to wait, as the charge does. */
export function answer(call: Call, step: Step = { next: 'key' }): Answered | Promise<Answered> {
  if (step.next === 'reply') return compose(call, step);
  const goOn = (following: Step) => {
    call.laps.end(step.next);
    return answer(call, following);
  };
  const fail = (fault: unknown) => goOn(failed(call, step, fault));
  let following: Step | Promise<Step>;
  try {
    following = takeStage(call, step);
  } catch (fault) {
    return fail(fault);
  }
  return whenThere<Step, Answered>(following, goOn, fail);
}

function failed({ questions, requestId, desk }: Call, step: Ahead, fault: unknown): Settled {
  const release = 'release' in step ? step.release : undefined;
  const cause = inRelease(fault, release);
  desk.reportFault(cause, requestId);
  const outcome = ourFault(questions.endpoint, cause);
  const admission = 'admission' in step ? step.admission : undefined;
  return { next: 'reply', admission, release, outcome, etag: '', bill: undefined };
}

/** An index outside its column means that the release is not what was written. */
function inRelease(fault: unknown, release: Release | undefined): unknown {
  if (!(fault instanceof OutOfRange) || release === undefined) return fault;
  const damage = new ReleaseDamaged(release.id, undefined, fault.message);
  damage.cause = fault;
  return damage;
}

/** The reply as the contract writes it. The call's usage is counted here unless the charge did. */
function compose(call: Call, settled: Settled): Answered {
  const { questions, requestId, atMs, desk } = call;
  const { admission, release, outcome } = settled;
  const { endpoint } = questions;
  const bill = settled.bill ?? uncharged(admission);
  const status = statusOf(outcome);
  const paid = { caller: admission?.caller, creditsCharged: bill?.creditsCharged ?? 0 };
  if (admission !== undefined && settled.bill === undefined) {
    desk.ledger.record({ caller: admission.caller, endpoint: endpoint.path, atMs, status });
  }
  const cites = outcome.kind === 'unchanged' ? endpoint.cites : (outcome.cites ?? endpoint.cites);
  const headers: Headers = [
    ...(release === undefined ? [] : dataHeaders(release, cites)),
    // A 401 says nothing of an account; with a known key only the sandbox rehearses one.
    ...(admission === undefined || status === 401 ? [] : rateHeaders(admission, atMs)),
    ...(bill === undefined || status === 401 ? [] : billingHeaders(bill)),
  ];
  if (outcome.kind === 'refused') return { ...refusalReply(outcome, requestId, headers), ...paid };
  const told = [...requestHeaders(requestId), ...headers, ...cacheHeaders(endpoint, settled.etag)];
  if (outcome.kind === 'unchanged' || bill === undefined) return { status, headers: told, body: '', ...paid };
  return outcome.kind === 'tabulated'
    ? { status, headers: [...told, 'content-type', csvType], body: outcome.csv, ...paid }
    : {
        status,
        headers: [...told, 'content-type', jsonType],
        body: successBody(endpoint, outcome.json, bill),
        ...paid,
      };
}

function statusOf(outcome: Settled['outcome']): number {
  if (outcome.kind === 'refused') return errors[outcome.code].status;
  return outcome.kind === 'unchanged' ? 304 : 200;
}

function uncharged(admission: Settled['admission']): Bill | undefined {
  if (admission === undefined) return undefined;
  const { caller, standing } = admission;
  const { creditsRemaining, refreshAtMs } = standing;
  return { mode: caller.mode, creditsCharged: 0, creditsRemaining, refreshAtMs };
}
