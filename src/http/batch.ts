// A batch: many calls of one request. Each goes through the stages of a single call; here is what they share. Who calls is
// asked for all of them at once, look-ups come one after the other with turns for other requests between them, and all
// charges are handed to the ledger together, so that one commit holds them.

import { hash } from 'node:crypto';
import { type BatchCall, batchBounds, batchEndpoint, readBatch } from '../contract/batch.ts';
import { basePath, type Endpoint } from '../contract/endpoint.ts';
import { refuseNames, refuseNoText, textOf } from '../contract/input.ts';
import { type Refusal, refuse } from '../contract/refusal.ts';
import { isThere, whenThere } from '../contract/when-there.ts';
import type { KnownAdmission } from '../ledger/ledger.ts';
import type { Release } from '../release/reader.ts';
import type { AnsweredCall } from '../requests/notes.ts';
import { type Answered, advance, answer, compose, composeResult, failed } from './answer.ts';
import type { Ahead, Call, Due, Settled, Step } from './call.ts';
import { batchReply, unchargedBill, unheardReply } from './envelope.ts';
import { Laps } from './observe/laps.ts';
import { readersOf } from './pages.ts';
import type { Questions } from './questions.ts';
import { batchExhausted, isOutcome, isVisibleKey, keyOfAnotherCall, oddIdempotencyKey } from './refusals.ts';
import { charged, chargeOf, refused, unheard, unknownKey } from './stages.ts';

type BatchDesk = {
  readonly findQuestions: (path: string) => Questions | undefined;
  readonly newChargeId: () => string;
  readonly elapsedMs: () => number;
};

/** `calls` is absent where the batch was refused as a whole. */
export type AnsweredBatch = Answered & { readonly calls?: readonly AnsweredCall[] };

/** A call of the batch, and how far it is. */
type Item = { readonly call: Call; step: Step; readonly rehearsal: 'past the bounds' | 'none' };

/** `whole` is the request as a call of `/batch`: what concerns all of it is answered as any call is. */
export async function answerBatch(whole: Call, desk: BatchDesk): Promise<AnsweredBatch> {
  const calls = readWhole(whole, desk);
  if ('kind' in calls) return answer({ ...whole, sent: calls });
  const admissions = await admitEach(whole, calls);
  if ('next' in admissions) return compose(whole, admissions);
  const { admission } = admissions.at(-1) ?? admissions[0];
  if (whole.sandboxOutcome !== undefined && admission.caller.mode === 'test') {
    return answer(whole, { next: 'limit', admission });
  }
  const turn = new Turn(desk.elapsedMs);
  const laps = new Laps(stoppedClock, 0);
  const shared = { ...whole, ifNoneMatch: undefined, accept: undefined, laps };
  const items = admissions.map((admitted, place) => itemOf(shared, desk, admitted, place));
  await goTo(items, 'balance');
  whole.laps.endTogether('limit', 'parameters', laps);
  await lookUp(items, turn);
  whole.laps.endTogether('balance', 'lookup', laps);
  await charge(whole, items);
  return reply(whole, items, admission);
}

/** Calls note which stages they come to. How long a stage takes all of them is told of the batch, whose clock is read once. */
const stoppedClock = (): number => 0;

function readWhole({ sent, key, idempotencyKey }: Call, { findQuestions }: BatchDesk) {
  // Nobody whose key cannot be one has a long body read.
  if (key === undefined) return refuse('INVALID_PARAMETER');
  if (typeof sent !== 'string') return sent;
  if (idempotencyKey !== undefined && !isVisibleKey(idempotencyKey)) return oddIdempotencyKey();
  return readBatch(sent, (path) => findQuestions(path)?.endpoint);
}

type Admitted = { readonly admission: KnownAdmission; readonly asked: BatchCall };

/** Each counts as one call. Where the key is unknown, or becomes so on the way, all of it is refused. */
async function admitEach(
  whole: Call,
  calls: readonly BatchCall[],
): Promise<readonly [Admitted, ...Admitted[]] | Settled> {
  const { desk, key, address, fetchSite, atMs, laps } = whole;
  if (key === undefined) return unknownKey(whole);
  try {
    const arrival = { key, address, fetchSite, atMs };
    // All in one turn, which is one round trip where the ledger is a database.
    const admitting = calls.map(() => desk.gate.admit(arrival));
    const admissions = admitting.every((each) => isThere(each)) ? admitting : await Promise.all(admitting);
    laps.end('key');
    const admitted: Admitted[] = [];
    for (const [place, asked] of calls.entries()) {
      const admission = admissions[place];
      if (admission === undefined || admission.kind === 'unknown') return unknownKey(whole);
      admitted.push({ admission, asked });
    }
    const [first, ...others] = admitted;
    return first === undefined ? unknownKey(whole) : [first, ...others];
  } catch (fault) {
    return failed(whole, { next: 'key' }, fault);
  }
}

/** `shared` is what all calls of the batch have of it. */
function itemOf(shared: Call, desk: BatchDesk, { admission, asked }: Admitted, place: number): Item {
  const questions = desk.findQuestions(asked.path);
  if (questions === undefined) {
    const step = refused({ admission, release: undefined }, noSuchPath(asked.path));
    return { call: { ...shared, idempotencyKey: undefined }, step, rehearsal: 'none' };
  }
  // No endpoint has this code: a call gets it for what the calls before it took.
  const isPast = admission.caller.mode === 'test' && isOutcome(asked.sandboxOutcome, 'BATCH_EXHAUSTED');
  const call = {
    ...shared,
    questions,
    sent: sentTo(questions.endpoint, asked),
    sandboxOutcome: isPast ? undefined : asked.sandboxOutcome,
    idempotencyKey: asked.idempotencyKey ?? partOfKey(shared.idempotencyKey, place),
    chargeId: desk.newChargeId(),
  };
  const rehearsal = isPast ? 'past the bounds' : 'none';
  return { call, step: { next: 'limit', admission }, rehearsal };
}

function noSuchPath(path: string): Refusal {
  if (path === batchEndpoint.path) {
    const message = 'Send the calls themselves in `calls`: a batch holds no other batch.';
    return refuse('INVALID_PARAMETER', message, { field: 'path' });
  }
  if (path.startsWith('/') && !path.includes('?') && !path.startsWith(basePath)) return refuse('NOT_FOUND');
  const message = `Send \`path\` with its first slash, without ${basePath} and without a query, such as "/bank-rates"; parameters stand in \`params\`.`;
  return refuse('NOT_FOUND', message);
}

/** As the single call would send it, so that both find the same kept answer. */
function sentTo({ method, params: known }: Endpoint, { params }: BatchCall): string | Refusal {
  const names = Object.keys(known);
  const odd = refuseNames(Object.keys(params), names);
  if (odd !== undefined) return odd;
  let query = '';
  const body: Record<string, string> = {};
  for (const name of names) {
    const value = textOf(params[name]);
    if (value === 'no text') return refuseNoText(name);
    if (value.text === undefined) continue;
    if (method === 'GET') query += `${query === '' ? '' : '&'}${name}=${escaped(value.text)}`;
    else body[name] = value.text;
  }
  return method === 'GET' ? query : JSON.stringify(body);
}

/** The usual ones are spared the work. */
const plainText = /^[\w.-]*$/;

/** What has no percent form, a half of a pair of surrogates, becomes the sign for that. */
const escaped = (text: string): string =>
  plainText.test(text) ? text : encodeURIComponent(text.toWellFormed());

/** The `Idempotency-Key` of a batch is one key for each of its calls, by its place. */
const partOfKey = (key: string | undefined, place: number): string | undefined =>
  key === undefined ? undefined : hash('sha256', `${place} ${key}`, 'base64url');

/** All begin in one turn; only what has to wait is waited for. */
async function goTo(items: readonly Item[], stop: Step['next']): Promise<void> {
  const waiting: Promise<void>[] = [];
  for (const item of items) {
    const step = whenThere(advance(item.call, item.step, stop), (reached) => {
      item.step = reached;
    });
    if (!isThere(step)) waiting.push(step);
  }
  await Promise.all(waiting);
}

/** One after the other, each as if those before it were charged already. Past a bound of the batch nothing is looked up. */
async function lookUp(items: readonly Item[], turn: Turn): Promise<void> {
  const purse = new Purse();
  const room = new Room(turn);
  for (const item of items) {
    const { call, step, rehearsal } = item;
    if (step.next !== 'balance') continue;
    const bound = rehearsal === 'none' ? room.boundMet() : 'bytes';
    if (call.isGone()) item.step = unheard(step);
    else if (bound !== undefined) item.step = refused(step, batchExhausted(bound));
    else {
      const finding = advance(call, purse.weigh(step), 'charge');
      const found = isThere(finding) ? finding : await finding;
      item.step = room.takes(found) ? found : refused(step, batchExhausted('bytes'));
      purse.note(item.step);
      if (turn.isOver()) await turn.give();
    }
  }
}

/** All together, so that one commit holds the charges, and whoever is gone is gone for each of them. */
async function charge({ desk, laps, isGone }: Call, items: readonly Item[]): Promise<void> {
  const owing: Owing[] = [];
  for (const item of items) if (item.step.next === 'charge') owing.push({ item, due: item.step });
  if (owing.length === 0) return;
  if (isGone()) {
    for (const { item, due } of owing) item.step = unheard(due);
    return;
  }
  try {
    const results = await desk.ledger.chargeTogether(owing.map(({ item, due }) => chargeOf(item.call, due)));
    for (const [place, { item, due }] of owing.entries()) {
      const result = results[place] ?? new Error('The ledger told nothing of a charge.');
      item.step = result instanceof Error ? failed(item.call, due, result) : charged(due, result);
    }
  } catch (fault) {
    for (const { item, due } of owing) item.step = failed(item.call, due, fault);
  }
  laps.end('charge');
}

type Owing = { readonly item: Item; readonly due: Due };

/** What calls before one in the batch will have spent, and under which Idempotency-Keys. */
class Purse {
  #spent = 0;
  readonly #named = new Map<string, string>();

  /** The account as it stands for this call. */
  weigh(step: Extract<Ahead, { next: 'balance' }>): Step {
    const { admission, payment } = step;
    const { standing } = admission;
    const named = payment.kind === 'due' ? payment.repeatable : undefined;
    const before = named && this.#named.get(named.key);
    // The ledger will find that it is paid for: its price must not be asked of the account again.
    if (before !== undefined && before === named?.call) return step;
    if (before !== undefined) return refused(step, keyOfAnotherCall());
    if (this.#spent === 0) return step;
    const creditsRemaining = Math.max(0, standing.creditsRemaining - this.#spent);
    return { ...step, admission: { ...admission, standing: { ...standing, creditsRemaining } } };
  }

  note(step: Step): void {
    if (step.next !== 'charge') return;
    const { credits, repeatable } = step;
    if (repeatable !== undefined) {
      if (this.#named.has(repeatable.key)) return;
      this.#named.set(repeatable.key, repeatable.call);
    }
    this.#spent += credits;
  }
}

/** What a batch may still take of time and size. */
class Room {
  readonly #turn: Turn;
  #bytesLeft: number = batchBounds.answerBytesMax;

  constructor(turn: Turn) {
    this.#turn = turn;
  }

  boundMet(): 'bytes' | 'seconds' | undefined {
    if (this.#bytesLeft < 0) return 'bytes';
    return this.#turn.secondsSoFar >= batchBounds.secondsMost ? 'seconds' : undefined;
  }

  /** Whether the answer of a call fits. After the first that does not, none does. */
  takes(step: Step): boolean {
    const answered = 'answer' in step ? step.answer : 'outcome' in step ? step.outcome : undefined;
    if (answered === undefined || !('json' in answered)) return true;
    this.#bytesLeft -= Buffer.byteLength(answered.json);
    return this.#bytesLeft >= 0;
  }
}

/** Other requests are heard at least so often. */
const turnMs = 2;
/** So many turns a short call takes from its arrival to its reply. */
const turnsMost = 5;

class Turn {
  readonly #elapsedMs: () => number;
  readonly #startedMs: number;
  #begunMs: number;
  #nowMs: number;

  constructor(elapsedMs: () => number) {
    this.#elapsedMs = elapsedMs;
    this.#startedMs = elapsedMs();
    this.#begunMs = this.#startedMs;
    this.#nowMs = this.#startedMs;
  }

  /** When the clock was read last, which is after each look-up. */
  get secondsSoFar(): number {
    return (this.#nowMs - this.#startedMs) / 1000;
  }

  isOver(): boolean {
    this.#nowMs = this.#elapsedMs();
    return this.#nowMs - this.#begunMs >= turnMs;
  }

  /** The longer others had to wait, the more turns they get, or a call would wait for a long look-up in each of its own. */
  async give(): Promise<void> {
    const turns = Math.min(turnsMost, Math.floor((this.#nowMs - this.#begunMs) / turnMs));
    for (let turn = 0; turn < turns; turn += 1) await new Promise(setImmediate);
    this.#begunMs = this.#elapsedMs();
    this.#nowMs = this.#begunMs;
  }
}

/** Those of the whole stand in its body. */
const parametersOf = ({ sent, questions }: Call): string | undefined =>
  typeof sent === 'string' && questions.endpoint.method === 'GET' ? sent : undefined;

function reply(whole: Call, items: readonly Item[], admission: KnownAdmission): AnsweredBatch {
  const { requestId, atMs, desk, page } = whole;
  const results: string[] = [];
  const calls: AnsweredCall[] = [];
  let creditsCharged = 0;
  // Where the account stands in the end: after the last charge, or as it was when the calls were counted.
  let bill = unchargedBill(admission);
  let release: Release | undefined;
  for (const { call, step } of items) {
    if (step.next !== 'reply') throw new Error(`A call of a batch was left at its ${step.next}.`);
    const result = composeResult(call, step);
    const { status, code } = result;
    const endpoint = call.questions === whole.questions ? 'other' : call.questions.endpoint.path;
    const parameters = parametersOf(call);
    calls.push({ endpoint, status, code, creditsCharged: result.creditsCharged, parameters });
    results.push(result.json);
    creditsCharged += result.creditsCharged;
    bill = step.bill ?? bill;
    release ??= step.release;
  }
  const readers = readersOf(page, admission.caller);
  const facts = { requestId, publicUrl: desk.publicUrl, atMs, release, readers };
  const account = { admission, bill: { ...bill, creditsCharged } };
  const told = whole.isGone() ? unheardReply : batchReply(results, facts, account);
  return { ...told, caller: admission.caller, creditsCharged, calls };
}
