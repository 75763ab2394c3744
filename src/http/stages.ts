// The stages of a call in the contract's order: key, rate limit, parameters, balance, lookup, charge. Each takes what is
// known so far and returns what is known then; a promise only where it has to wait.

import type { Answer } from '../contract/endpoint.ts';
import { noServices } from '../contract/live.ts';
import type { Refusal } from '../contract/refusal.ts';
import { whenThere } from '../contract/when-there.ts';
import type { Admission, ChargeResult } from '../ledger/ledger.ts';
import type { Release } from '../release/reader.ts';
import { londonToday } from '../uk/calendar.ts';
import { admit } from './admit.ts';
import type { Affordable, Ahead, Call, Due, Known, Settled, Step } from './call.ts';
import type { Bill } from './envelope.ts';
import { formOf, isUnchanged } from './negotiate.ts';
import type { Asked } from './questions.ts';
import { bodyTooLarge, notLoaded, noValidKey, rateLimited, rehearsed, tooFewCredits } from './refusals.ts';

export function takeStage(call: Call, ahead: Ahead): Step | Promise<Step> {
  switch (ahead.next) {
    case 'key':
      return checkKey(call);
    case 'limit':
      return checkLimit(call, ahead.admission);
    case 'parameters':
      return readParameters(call, ahead);
    case 'balance':
      return checkBalance(call, ahead, ahead.asked);
    case 'lookup':
      return lookUp(call, ahead);
    case 'charge':
      return charge(call, ahead);
  }
}

function checkKey(call: Call): Step | Promise<Step> {
  const { keyHash, address, atMs, desk } = call;
  if (keyHash === undefined) return unknownKey(call);
  return whenThere<Admission, Step>(admit(desk, { keyHash, address, atMs }), (admission) =>
    admission.kind === 'unknown' ? unknownKey(call) : { next: 'limit', admission },
  );
}

function unknownKey(call: Call): Settled {
  const release = call.desk.releases.live();
  const outcome = noValidKey(call);
  return { next: 'reply', admission: undefined, release, outcome, asked: undefined, bill: undefined };
}

/** The ledger has counted the call with the key; here the refusal, once it is known which release the reply names. */
function checkLimit({ atMs, desk }: Call, admission: Known['admission']): Step | Promise<Step> {
  const { sandbox, live } = desk.releases;
  const release = admission.caller.mode === 'test' ? sandbox() : live();
  return whenThere<Release, Step>(release, (there) =>
    admission.kind === 'limited'
      ? refused({ admission, release: there }, rateLimited(admission, atMs))
      : { next: 'parameters', admission, release: there },
  );
}

function readParameters(call: Call, { admission, release }: Known): Step {
  const { questions, sent, sandboxOutcome } = call;
  const known = { admission, release };
  if (admission.caller.mode === 'test' && sandboxOutcome !== undefined) {
    return refused(known, rehearsed(questions.endpoint, sandboxOutcome));
  }
  if (sent === undefined) return refused(known, bodyTooLarge());
  const question = questions.find(sent);
  const { prepared } = question;
  if (prepared.kind === 'refused') return refused(known, prepared);
  const form = formOf(questions.endpoint, call.accept);
  const asked = questions.ask(question, prepared, release, londonToday(call.atMs), form);
  if (isUnchanged(questions.endpoint, call.ifNoneMatch, asked.etag)) {
    const outcome = { kind: 'unchanged' } as const;
    return { next: 'reply', admission, release, outcome, asked, bill: undefined };
  }
  return { next: 'balance', admission, release, asked };
}

function checkBalance({ questions }: Call, { admission, release }: Known, asked: Asked): Step {
  const { caller, standing } = admission;
  const { credits: price, freeWhere } = questions.endpoint;
  const credits = caller.mode === 'test' ? 0 : price;
  const balance = credits > standing.creditsRemaining ? 'short' : 'enough';
  return balance === 'short' && freeWhere === undefined
    ? refused({ admission, release }, tooFewCredits(standing.refreshAtMs))
    : { next: 'lookup', admission, release, asked, credits, balance };
}

function lookUp({ questions, desk }: Call, affordable: Affordable): Step | Promise<Step> {
  const { admission, release, asked } = affordable;
  if (asked.answer !== undefined) return found(affordable, asked.answer);
  const { endpoint } = questions;
  const missing = endpoint.datasets.find((name) => release.findDataset(name) === undefined);
  if (missing !== undefined) {
    desk.reportMissing(missing);
    return notFound(affordable, notLoaded(missing));
  }
  const { mode, accountId } = admission.caller;
  const live = mode === 'test' ? noServices : desk.live.inNameOf(accountId);
  const running = asked.prepared.run({ release, today: asked.today, live }, asked.form);
  return whenThere(running, (outcome, when): Step => {
    if (outcome.kind === 'refused') return notFound(affordable, outcome);
    if (when === 'at once') questions.keep(asked, outcome);
    return found(affordable, outcome);
  });
}

/** Whoever cannot pay is told so before what a look-up would tell. */
function notFound(affordable: Affordable, refusal: Refusal): Settled {
  const { balance, admission } = affordable;
  return refused(affordable, balance === 'short' ? tooFewCredits(admission.standing.refreshAtMs) : refusal);
}

function found(affordable: Affordable, answer: Answer): Step {
  const { admission, release, asked, credits, balance } = affordable;
  if (credits === 0 || answer.grounds.charge === 'free')
    return { next: 'reply', admission, release, outcome: answer, asked, bill: undefined };
  if (balance === 'short') return refused(affordable, tooFewCredits(admission.standing.refreshAtMs));
  return { next: 'charge', admission, release, asked, answer, credits };
}

function charge({ atMs, chargeId, requestId, questions, desk }: Call, due: Due): Promise<Step> {
  const { caller } = due.admission;
  const { path: endpoint } = questions.endpoint;
  const { credits } = due;
  return desk.ledger
    .charge({ caller, endpoint, atMs, chargeId, requestId, credits })
    .then((result) => charged(due, result));
}

function charged({ admission, release, asked, answer, credits }: Due, result: ChargeResult): Settled {
  const { creditsRemaining, refreshAtMs } = result;
  const { mode } = admission.caller;
  if (result.kind === 'insufficient') {
    const bill = { mode, creditsCharged: 0, creditsRemaining, refreshAtMs };
    return refused({ admission, release }, tooFewCredits(refreshAtMs), bill);
  }
  const bill = { mode, creditsCharged: credits, creditsRemaining, refreshAtMs };
  return { next: 'reply', admission, release, outcome: answer, asked, bill };
}

function refused({ admission, release }: Known, outcome: Refusal, bill?: Bill): Settled {
  return { next: 'reply', admission, release, outcome, asked: undefined, bill };
}
