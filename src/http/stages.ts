// The stages of a call in the contract's order: key, rate limit, parameters, balance, lookup, charge. Each takes what is
// known so far and returns what is known then; a promise only where it has to wait.

import { batchEndpoint } from '../contract/batch.ts';
import type { Answer } from '../contract/endpoint.ts';
import type { Refusal } from '../contract/refusal.ts';
import { whenThere } from '../contract/when-there.ts';
import { boundOrigin, isWithin } from '../ledger/binding.ts';
import type { Admission, Binding, Caller, Charge, ChargeResult, Recollection } from '../ledger/ledger.ts';
import { repeatable } from '../ledger/repeats.ts';
import { isGuest } from '../ledger/visitors/guests.ts';
import type { Release } from '../release/reader.ts';
import { londonToday } from '../uk/calendar.ts';
import type { Affordable, Ahead, Call, Due, Known, Payment, Settled, Step } from './call.ts';
import type { Bill } from './envelope.ts';
import { formOf, isAnyUnchanged, isUnchanged } from './negotiate.ts';
import { ownAccount } from './own-account.ts';
import type { Asked } from './questions.ts';
import {
  accountNotAllowed,
  accountSuspended,
  addressNotAllowed,
  endpointNotAllowed,
  isVisibleKey,
  keyOfAnotherCall,
  noReleaseYet,
  notLoaded,
  noValidKey,
  oddIdempotencyKey,
  onlyOwnPages,
  onlySample,
  originNotAllowed,
  rateLimited,
  rehearsed,
  tooFewCredits,
} from './refusals.ts';

export function takeStage(call: Call, ahead: Ahead): Step | Promise<Step> {
  switch (ahead.next) {
    case 'key':
      return checkKey(call);
    case 'limit':
      return checkLimit(call, ahead.admission);
    case 'parameters':
      return readParameters(call, ahead);
    case 'balance':
      return checkBalance(call, ahead);
    case 'lookup':
      return lookUp(call, ahead);
    case 'charge':
      return charge(call, ahead);
  }
}

function checkKey(call: Call): Step | Promise<Step> {
  const { key, address, fetchSite, atMs, desk } = call;
  if (key === undefined) return unknownKey(call);
  return whenThere<Admission, Step>(desk.gate.admit({ key, address, fetchSite, atMs }), (admission) =>
    admission.kind === 'unknown' ? unknownKey(call) : { next: 'limit', admission },
  );
}

export function unknownKey(call: Call): Settled {
  const release = call.desk.releases.live();
  const outcome = noValidKey(call);
  return { next: 'reply', admission: undefined, release, outcome, asked: undefined, bill: undefined };
}

/** The ledger has counted the call with the key; here the refusal, once it is known which release the reply names. */
function checkLimit(call: Call, admission: Known['admission']): Step | Promise<Step> {
  const { sandbox, forLiveKeys } = call.desk.releases;
  const release = admission.caller.mode === 'test' ? sandbox() : forLiveKeys();
  return whenThere<Release | undefined, Step>(release, (there) => {
    const refusal = refusalOf(call, admission);
    if (refusal !== undefined) return refused({ admission, release: there }, refusal);
    return there === undefined
      ? refused({ admission, release: there }, noReleaseYet())
      : { next: 'parameters', admission, release: there };
  });
}

/** Of several reasons to refuse, that which waiting does not end. */
function refusalOf(call: Call, admission: Known['admission']): Refusal | undefined {
  if (admission.kind === 'suspended') return accountSuspended();
  const { binding } = admission.caller;
  const misuse = binding && misuseOf(call, admission.caller, binding);
  if (misuse !== undefined) return misuse;
  return admission.kind === 'limited' ? rateLimited(admission, call.atMs) : undefined;
}

function misuseOf(
  call: Call,
  caller: Caller,
  { origins, endpoints, addresses }: Binding,
): Refusal | undefined {
  const { page, questions } = call;
  if (addresses !== null && !isWithin(addresses, call.address())) return addressNotAllowed();
  if (origins === 'own' && !isFromOwnPage(call)) return onlyOwnPages();
  const isOfPages = origins !== null && origins !== 'own';
  if (isOfPages && boundOrigin(origins, page?.origin) === undefined) return originNotAllowed(page?.origin);
  const { path, datasets } = questions.endpoint;
  // Its calls are looked at one by one.
  if (path === batchEndpoint.path) return undefined;
  if (endpoints !== null) return endpoints.includes(path) ? undefined : endpointNotAllowed(endpoints);
  // Whoever opens a page can read its key, and is not to see what the account calls.
  const isOfStrangers = isOfPages || isGuest(caller);
  return isOfStrangers && datasets.length === 0 ? accountNotAllowed(path) : undefined;
}

/** A browser sends no `Origin` with a GET to where the page is from; what it sends instead no page can change. */
const isFromOwnPage = ({ page, fetchSite }: Call): boolean =>
  page === undefined ? fetchSite === 'same-origin' : page.own !== undefined;

function readParameters(call: Call, { admission, release }: Known): Step | Promise<Step> {
  const { questions, sent, sandboxOutcome } = call;
  const known = { admission, release };
  if (admission.caller.mode === 'test' && sandboxOutcome !== undefined) {
    return refused(known, rehearsed(questions.endpoint, sandboxOutcome));
  }
  if (typeof sent !== 'string') return refused(known, sent);
  const question = questions.find(sent);
  const { prepared } = question;
  if (prepared.kind === 'refused') return refused(known, prepared);
  const form = formOf(questions.endpoint, call.accept);
  const asked = questions.ask(question, prepared, release, londonToday(call.atMs), form);
  return call.idempotencyKey === undefined
    ? compareVersions(call, known, asked, chargedAlone)
    : recall(call, known, asked, call.idempotencyKey);
}

const chargedAlone: Payment = { kind: 'due', repeatable: undefined };

/** What costs nothing is not remembered; its key has to be sound all the same, so that the sandbox shows a slip. */
function recall(call: Call, known: Known, asked: Asked, key: string): Step | Promise<Step> {
  const { questions, desk, atMs } = call;
  const { caller } = known.admission;
  const { method, path, credits } = questions.endpoint;
  if (!isVisibleKey(key)) return refused(known, oddIdempotencyKey());
  if (caller.mode === 'test' || credits === 0) return compareVersions(call, known, asked, chargedAlone);
  const named = repeatable(key, `${method} ${path}?${asked.prepared.canonical}`);
  return whenThere<Recollection, Step>(desk.ledger.recall(caller, named, atMs), (recollection) => {
    if (recollection === 'other') return refused(known, keyOfAnotherCall());
    const payment: Payment = recollection === 'same' ? { kind: 'made' } : { kind: 'due', repeatable: named };
    return compareVersions(call, known, asked, payment);
  });
}

function compareVersions(
  { questions, ifNoneMatch }: Call,
  { admission, release }: Known,
  asked: Asked,
  payment: Payment,
): Step {
  if (isUnchanged(questions.endpoint, ifNoneMatch, asked.etag)) {
    const outcome = { kind: 'unchanged', answer: asked.answer } as const;
    return { next: 'reply', admission, release, outcome, asked, bill: undefined };
  }
  return { next: 'balance', admission, release, asked, payment };
}

function checkBalance(
  { questions, ifNoneMatch }: Call,
  { admission, release, asked, payment }: Extract<Ahead, { next: 'balance' }>,
): Step {
  const { caller, standing } = admission;
  const { endpoint } = questions;
  const { credits: price, freeWhere } = endpoint;
  const credits = caller.mode === 'test' ? 0 : price;
  const balance = payment.kind === 'due' && credits > standing.creditsRemaining ? 'short' : 'enough';
  const mayBeFree = freeWhere !== undefined || isAnyUnchanged(endpoint, ifNoneMatch);
  return balance === 'short' && !mayBeFree
    ? refused({ admission, release }, tooFewCredits(standing.refreshAtMs))
    : { next: 'lookup', admission, release, asked, credits, balance, payment };
}

function lookUp(call: Call, affordable: Affordable): Step | Promise<Step> {
  const { questions, desk } = call;
  const { admission, release, asked } = affordable;
  if (asked.answer !== undefined) {
    desk.answers.hit.add(1);
    return found(call, affordable, asked.answer);
  }
  desk.answers.miss.add(1);
  const { endpoint } = questions;
  const { mode, accountId } = admission.caller;
  const missing = endpoint.datasets.find((name) => release.findDataset(name) === undefined);
  if (missing !== undefined) {
    desk.reportMissing(missing);
    const isWithheld = mode === 'live' && desk.releases.live()?.findDataset(missing) !== undefined;
    return notFound(affordable, isWithheld ? onlySample(missing) : notLoaded(missing));
  }
  const valuationSite = mode === 'test' ? undefined : desk.liveService?.valuationSiteFor(accountId);
  const { address, fetchSite, atMs } = call;
  const account = ownAccount(desk, { caller: admission.caller, address, fetchSite, atMs });
  const running = asked.prepared.run({ release, today: asked.today, valuationSite, account }, asked.form);
  return whenThere(running, (outcome, when): Step => {
    if (outcome.kind === 'refused') return notFound(affordable, outcome);
    if (when === 'at once') questions.keep(asked, outcome);
    return found(call, affordable, outcome);
  });
}

/** Whoever cannot pay is told so before what a look-up would tell. */
function notFound(affordable: Affordable, refusal: Refusal): Settled {
  const { balance, admission } = affordable;
  return refused(affordable, balance === 'short' ? tooFewCredits(admission.standing.refreshAtMs) : refusal);
}

function found(call: Call, affordable: Affordable, answer: Answer): Step {
  const { admission, release, asked, credits, balance, payment } = affordable;
  if (isAnyUnchanged(call.questions.endpoint, call.ifNoneMatch)) {
    const outcome = { kind: 'unchanged', answer } as const;
    return { next: 'reply', admission, release, outcome, asked, bill: undefined };
  }
  if (credits === 0 || answer.grounds.charge === 'free')
    return { next: 'reply', admission, release, outcome: answer, asked, bill: undefined };
  if (payment.kind === 'made')
    return { next: 'reply', admission, release, outcome: answer, asked, bill: undefined, replayed: true };
  if (balance === 'short') return refused(affordable, tooFewCredits(admission.standing.refreshAtMs));
  return { next: 'charge', admission, release, asked, answer, credits, repeatable: payment.repeatable };
}

/** Whoever is known to be gone gets no answer, and so is not charged. */
function charge(call: Call, due: Due): Step | Promise<Step> {
  if (call.isGone()) return unheard(due);
  return call.desk.ledger.charge(chargeOf(call, due)).then((result) => charged(due, result));
}

export function chargeOf(call: Call, { admission, credits, repeatable }: Due): Charge {
  const { atMs, chargeId, requestId, questions } = call;
  const { caller } = admission;
  const { path: endpoint } = questions.endpoint;
  const plain = { caller, endpoint, atMs, chargeId, requestId, credits };
  return repeatable === undefined ? plain : { ...plain, repeatable };
}

export function charged({ admission, release, asked, answer, credits }: Due, result: ChargeResult): Settled {
  const { creditsRemaining, refreshAtMs } = result;
  const { mode } = admission.caller;
  const creditsCharged = result.kind === 'charged' ? credits : 0;
  const bill = { mode, creditsCharged, creditsRemaining, refreshAtMs };
  switch (result.kind) {
    case 'charged':
      return { next: 'reply', admission, release, outcome: answer, asked, bill };
    case 'replayed':
      return { next: 'reply', admission, release, outcome: answer, asked, bill, replayed: true };
    case 'insufficient':
      return refused({ admission, release }, tooFewCredits(refreshAtMs), bill);
    case 'mismatched':
      return refused({ admission, release }, keyOfAnotherCall(), bill);
  }
}

export function unheard({ admission, release }: Known): Settled {
  const outcome = { kind: 'unheard' } as const;
  return { next: 'reply', admission, release, outcome, asked: undefined, bill: undefined };
}

export function refused(
  { admission, release }: Pick<Settled, 'admission' | 'release'>,
  outcome: Refusal,
  bill?: Bill,
): Settled {
  return { next: 'reply', admission, release, outcome, asked: undefined, bill };
}
