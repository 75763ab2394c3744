// Charges as the functions of the database take them: by the numbers of their accounts, keys and endpoints, in the order of the
// accounts, and in runs that share what they have in common.

import { hourStart } from '../../calendar.ts';
import type { Charge } from '../../ledger.ts';
import { rememberedBetween } from '../../repeats.ts';
import { bigints, texts } from '../literals.ts';
import type { Numbers } from './numbers.ts';

export type Numbered<Each extends Charge = Charge> = {
  readonly charge: Each;
  readonly account: number;
  readonly key: number;
  readonly endpoint: number;
};

/** Those of keys that there are. Charges of one account stay in their order. */
export async function numbered<Each extends Charge>(
  charges: readonly Each[],
  numbers: Numbers,
): Promise<readonly Numbered<Each>[]> {
  const { keys, endpoints } = await numbers.find(
    charges.map(({ caller }) => caller.keyId),
    charges.map(({ endpoint }) => endpoint),
  );
  const found = charges.flatMap((charge): readonly Numbered<Each>[] => {
    const { accountId, keyId } = charge.caller;
    const [key, endpoint] = [keys.get(keyId), endpoints.get(charge.endpoint)];
    if (key?.accountId !== accountId || endpoint === undefined) return [];
    return [{ charge, account: key.account, key: key.key, endpoint }];
  });
  return found.sort((a, b) => a.account - b.account);
}

/** Charges that came one after another and differ in nothing but their ids and moments. */
export type Run<Each extends Charge = Charge> = {
  readonly first: Numbered<Each>;
  readonly hourMs: number;
  lastPlace: number;
};

export function runsOf<Each extends Charge>(charges: readonly Numbered<Each>[]): readonly Run<Each>[] {
  const runs: Run<Each>[] = [];
  let run: Run<Each> | undefined;
  for (const [index, each] of charges.entries()) {
    const hourMs = hourStart(each.charge.atMs);
    if (run !== undefined && run.hourMs === hourMs && isAlike(run.first, each)) {
      run.lastPlace = index + 1;
    } else {
      run = { first: each, hourMs, lastPlace: index + 1 };
      runs.push(run);
    }
  }
  return runs;
}

const isAlike = (one: Numbered, other: Numbered): boolean =>
  one.key === other.key &&
  one.endpoint === other.endpoint &&
  one.charge.credits === other.charge.credits &&
  one.charge.repeatable === undefined &&
  other.charge.repeatable === undefined;

/** What every function of charges is told of its runs. */
export function runValues(runs: readonly Run[]): readonly string[] {
  const firsts = runs.map(({ first }) => first);
  return [
    bigints(firsts.map(({ account }) => account)),
    bigints(firsts.map(({ key }) => key)),
    bigints(firsts.map(({ endpoint }) => endpoint)),
    texts(firsts.map(({ charge }) => charge.caller.keyId)),
    texts(firsts.map(({ charge }) => charge.endpoint)),
    bigints(firsts.map(({ charge }) => charge.credits)),
    bigints(runs.map(({ hourMs }) => hourMs)),
    bigints(runs.map(({ lastPlace }) => lastPlace)),
  ];
}

/** And of repetitions: a charge that can be repeated is a run of its own. */
export function repeatValues(runs: readonly Run[]): readonly string[] {
  const repeats = runs.map(({ first: { charge } }) => {
    const { repeatable, atMs } = charge;
    const [afterMs, beforeMs] = repeatable === undefined ? [null, null] : rememberedBetween(atMs);
    return { key: repeatable?.key ?? null, call: repeatable?.call ?? null, afterMs, beforeMs };
  });
  return [
    texts(repeats.map(({ key }) => key)),
    texts(repeats.map(({ call }) => call)),
    bigints(repeats.map(({ afterMs }) => afterMs)),
    bigints(repeats.map(({ beforeMs }) => beforeMs)),
  ];
}

/** And of each charge. */
export function chargeValues(charges: readonly Numbered[]): readonly string[] {
  return [
    bigints(charges.map(({ charge }) => charge.atMs)),
    texts(charges.map(({ charge }) => charge.chargeId)),
    texts(charges.map(({ charge: { chargeId, requestId } }) => (requestId === chargeId ? null : requestId))),
  ];
}
