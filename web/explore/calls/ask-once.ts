// Answers of the API, each asked for once while the document lives: going back to a place spends nothing again, and what several
// panels ask is one call.

import { type ApiCall, type ApiOutcome, type ApiPath, callApi, targetOf } from '../../api/call.ts';
import { callWithKey } from '../../api/key.ts';
import type { Payer } from '../payer.ts';
import { whileAwaited } from './turns.ts';

type Asking<Path extends ApiPath> = {
  readonly answer: Promise<ApiOutcome<Path>>;
  /** Undefined until it is there. */
  outcome: ApiOutcome<Path> | undefined;
  /** `nobody`: it was asked ahead. */
  for: 'nobody' | 'a page';
};

/** Those with the same have the same answer. */
export const questionOf = (call: ApiCall, { purse }: Payer): string => `${purse} ${targetOf(call)}`;

const keptMost = 50;
/** By question. */
const kept: { [P in ApiPath]?: Map<string, Asking<P>> } = {};

/** A refusal may be over the next time. Panels that appear together have the same meanwhile. */
const refusalLastsMs = 1_000;

/** So that the answer is there when a page wants it. */
export function askAhead<Path extends ApiPath>(call: ApiCall<Path>, payer: Payer): void {
  keptOf(call, questionOf(call, payer), payer);
}

/** `refused`: a refusal that is known, in place of which another answer is wanted. */
export function askOnce<Path extends ApiPath>(
  call: ApiCall<Path>,
  payer: Payer,
  refused?: ApiOutcome<Path>,
): Pick<Asking<Path>, 'answer' | 'outcome'> {
  const question = questionOf(call, payer);
  const asking = keptOf(call, question, payer, refused);
  if (asking.for === 'nobody') {
    asking.for = 'a page';
    void asking.answer.then(({ kind }) => {
      if (kind === 'refused') setTimeout(() => forget(call.path, question, asking), refusalLastsMs);
    });
  }
  return asking;
}

function keptOf<Path extends ApiPath>(
  call: ApiCall<Path>,
  question: string,
  payer: Payer,
  refused?: ApiOutcome<Path>,
): Asking<Path> {
  kept[call.path] ??= new Map();
  const ofPath = kept[call.path];
  const earlier = ofPath?.get(question);
  if (earlier !== undefined && (refused === undefined || earlier.outcome !== refused)) return earlier;
  const asking: Asking<Path> = { answer: ask(call, payer), outcome: undefined, for: 'nobody' };
  void asking.answer.then((outcome) => {
    asking.outcome = outcome;
  });
  ofPath?.set(question, asking);
  for (const oldest of ofPath?.keys() ?? []) {
    if ((ofPath?.size ?? 0) <= keptMost) break;
    ofPath?.delete(oldest);
  }
  return asking;
}

function forget<Path extends ApiPath>(path: Path, question: string, asking: Asking<Path>): void {
  if (kept[path]?.get(question) === asking) kept[path]?.delete(question);
}

const ask = <Path extends ApiPath>(call: ApiCall<Path>, payer: Payer): Promise<ApiOutcome<Path>> =>
  whileAwaited(
    callWithKey<ApiOutcome<Path>>(
      payer.key,
      (key) => callApi(call, key),
      (outcome) => outcome.kind === 'refused' && outcome.code === 'AUTHENTICATION_REQUIRED',
    ),
  );
