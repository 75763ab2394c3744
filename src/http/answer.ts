// One call from its key to its reply: takes one stage after another until the call is settled, then writes the reply.

import type { Answer, Endpoint, Grounds, Outcome } from '../contract/endpoint.ts';
import { isThere } from '../contract/when-there.ts';
import type { DatasetName } from '../datasets.ts';
import { errors } from '../errors.ts';
import type { Caller } from '../ledger/ledger.ts';
import { OutOfRange } from '../out-of-range.ts';
import { type Release, ReleaseDamaged } from '../release/reader.ts';
import type { Ahead, Call, Settled, Step, Unchanged } from './call.ts';
import { type DataTold, nothingTold, tellData } from './data-told.ts';
import {
  type CallFacts,
  callRefusalReply,
  type Headers,
  type Reply,
  type Result,
  refusalResult,
  successReply,
  successResult,
  unchargedBill,
  unheardReply,
  unheardResult,
} from './envelope.ts';
import { liveAnswerHeaders } from './negotiate.ts';
import { readersOf } from './pages.ts';
import { ourFault } from './refusals.ts';
import { takeStage } from './stages.ts';

export type Answered = Reply & { readonly caller: Caller | undefined; readonly creditsCharged: number };

const first: Ahead = { next: 'key' };

/** A promise only where a stage has to wait, as the charge does. */
export function answer(call: Call, from: Step = first): Answered | Promise<Answered> {
  const settled = advance(call, from, 'reply');
  return isThere(settled) ? compose(call, settled) : settled.then((there) => compose(call, there));
}

/** Takes the stages before `stop`; a call that is settled earlier goes no further. */
export function advance<Stop extends Step['next']>(
  call: Call,
  from: Step,
  stop: Stop,
): StepAt<Stop> | Promise<StepAt<Stop>> {
  let step = from;
  while (!isAt(step, stop)) {
    const following = take(call, step);
    if (!isThere(following)) return advanceLater(call, step, following, stop);
    call.laps.take(step.next);
    step = following;
  }
  return step;
}

type StepAt<Stop extends Step['next']> = Extract<Step, { readonly next: Stop }> | Settled;

function isAt<Stop extends Step['next']>(step: Step, stop: Stop): step is StepAt<Stop> {
  return step.next === 'reply' || step.next === stop;
}

function take(call: Call, step: Ahead): Step | Promise<Step> {
  try {
    return takeStage(call, step);
  } catch (fault) {
    return failed(call, step, fault);
  }
}

function advanceLater<Stop extends Step['next']>(
  call: Call,
  step: Ahead,
  following: Promise<Step>,
  stop: Stop,
): Promise<StepAt<Stop>> {
  const goOn = (there: Step) => {
    call.laps.end(step.next);
    return advance(call, there, stop);
  };
  return following.then(goOn, (fault) => goOn(failed(call, step, fault)));
}

export function failed({ questions, requestId, desk }: Call, step: Ahead, fault: unknown): Settled {
  const release = 'release' in step ? step.release : undefined;
  const cause = inRelease(fault, release);
  desk.reportFault(cause, requestId);
  const outcome = ourFault(questions.endpoint, cause);
  const admission = 'admission' in step ? step.admission : undefined;
  return { next: 'reply', admission, release, outcome, asked: undefined, bill: undefined };
}

/** An index outside its column means that the release is not what was written. */
function inRelease(fault: unknown, release: Release | undefined): unknown {
  if (!(fault instanceof OutOfRange) || release === undefined) return fault;
  const damage = new ReleaseDamaged(release.id, undefined, fault.message);
  damage.cause = fault;
  return damage;
}

/** The reply as the contract writes it. The call's usage is counted here unless the charge did. */
export function compose(call: Call, settled: Settled): Answered {
  const { endpoint } = call.questions;
  const { admission, outcome } = settled;
  const facts = factsOf(call, settled);
  const reply =
    outcome.kind === 'refused'
      ? callRefusalReply(outcome, facts)
      : outcome.kind === 'unheard'
        ? unheardReply
        : successReply(endpoint, outcome, cachingOf(endpoint, outcome, settled.asked), facts);
  countUsage(call, settled, reply.status);
  return { ...reply, caller: admission?.caller, creditsCharged: settled.bill?.creditsCharged ?? 0 };
}

/** As `compose`, for a call of a batch. */
export function composeResult(call: Call, settled: Settled): Result {
  const result = resultOf(call, settled);
  countUsage(call, settled, result.status);
  return result;
}

function resultOf(call: Call, settled: Settled): Result {
  const { outcome } = settled;
  switch (outcome.kind) {
    case 'answered':
      return successResult(call.questions.endpoint, outcome, factsOf(call, settled));
    case 'refused':
      return refusalResult(outcome, factsOf(call, settled));
    case 'unheard':
      return unheardResult;
    default:
      throw new Error(`A call of a batch asks for JSON whole, and was answered "${outcome.kind}".`);
  }
}

function countUsage({ questions, atMs, desk }: Call, { admission, bill }: Settled, status: number): void {
  if (admission === undefined || bill !== undefined) return;
  desk.ledger.record({ caller: admission.caller, endpoint: questions.endpoint.path, atMs, status });
}

function factsOf({ questions, requestId, atMs, desk, page }: Call, settled: Settled): CallFacts {
  const { admission, release, outcome } = settled;
  const { endpoint } = questions;
  const bill = settled.bill ?? (admission && unchargedBill(admission));
  // A 401 says nothing of an account; with a known key only the sandbox rehearses one.
  const isUnauthorised = outcome.kind === 'refused' && errors[outcome.code].status === 401;
  const account =
    isUnauthorised || bill === undefined || admission === undefined ? undefined : { admission, bill };
  const { publicUrl } = desk;
  const data = release === undefined ? nothingTold : dataOf(endpoint, settled, release, publicUrl);
  const replayed = settled.replayed ?? false;
  const readers = readersOf(page, admission?.caller);
  return { requestId, publicUrl, atMs, release, data, account, replayed, readers };
}

/**
 * The headers of a 304 replace those that its caller has kept. So it tells of the data what the 200 told, if that answer is still
 * at hand, and otherwise nothing: what the caller has kept stays right, since the release is the same.
 */
function dataOf(
  endpoint: Endpoint,
  { asked, outcome: told }: Settled,
  release: Release,
  publicUrl: string | undefined,
): DataTold {
  const outcome = told.kind === 'unchanged' ? told.answer : told;
  if (outcome === undefined) return nothingTold;
  const kept = asked?.answer === outcome ? asked : undefined;
  if (kept?.told !== undefined) return kept.told;
  const grounds = groundsOf(endpoint, outcome);
  const sampled = sampledIn(endpoint, outcome, grounds);
  const nextPage = 'nextPage' in outcome ? outcome.nextPage : undefined;
  const data = tellData(release, { grounds, sampled, nextPage, publicUrl });
  if (kept !== undefined) kept.told = data;
  return data;
}

/** An answer that rests on no dataset was told by a live service. */
function cachingOf(endpoint: Endpoint, outcome: Answer | Unchanged, asked: Settled['asked']): Headers {
  const answer = outcome.kind === 'unchanged' ? outcome.answer : outcome;
  const { datasets } = answer?.grounds ?? endpoint.grounds;
  return datasets.length === 0 ? liveAnswerHeaders : (asked?.caching ?? []);
}

type Told = Outcome | { readonly kind: 'unheard' };

function groundsOf({ grounds: usual }: Endpoint, outcome: Told): Grounds {
  return (outcome.kind === 'unheard' ? undefined : outcome.grounds) ?? usual;
}

/**
 * Datasets of which the reply tells when one is a sample: those it cites, and all that its endpoint needs, whichever of them
 * gave the figures. A refusal by the look-up may have found nothing because of one; earlier stages look at no data.
 */
function sampledIn(
  { datasets }: Endpoint,
  outcome: Told,
  { datasets: cited }: Grounds,
): readonly DatasetName[] {
  const isOfData = outcome.kind !== 'refused' || outcome.grounds !== undefined;
  const isLive = outcome.kind !== 'refused' && cited.length === 0;
  return isOfData && !isLive ? [...cited, ...datasets] : [];
}
