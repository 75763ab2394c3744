// A change of plan that waits for the operator: asked once at a time, decided once.

import { planNames } from '../../ledger/plans.ts';
import {
  type Row,
  readNumber,
  readNumberOrNull,
  readText,
  readTextOrNull,
  readWord,
} from '../../storage/rows.ts';
import type { Sql, Value } from '../../storage/sql.ts';
import { minuteMs } from '../../time.ts';
import { record } from '../audit.ts';
import type { Ground } from '../ground.ts';
import { done, notFound, refuse } from '../outcome.ts';
import type { Actor, Outcome, PlanRequest, PlanRequests } from '../people.ts';
import { newId } from '../proof/secrets.ts';

/** How long one operator has to carry a decision out before another may. */
const decidingMostMs = minuteMs;

/** No claim of now, and none that began further ahead than a claim lasts. */
const isUnclaimed = '(claimed_until_ms <= ? OR claimed_until_ms >= ?)';
const unclaimed = (atMs: number) => [atMs, atMs + 2 * decidingMostMs];

const beingDecided = refuse(
  'CONFLICT',
  'This request has been decided or withdrawn in the meantime; load the page again.',
);

export class KeptPlanRequests implements PlanRequests {
  readonly #ground: Ground;

  constructor(ground: Ground) {
    this.#ground = ground;
  }

  ask(
    actor: Extract<Actor, { kind: 'person' }>,
    question: Parameters<PlanRequests['ask']>[1],
  ): Promise<Outcome> {
    const { accountId, accountName, from, to, note } = question;
    return this.#ground.database.transaction(async (sql) => {
      const atMs = this.#ground.now();
      if ((await select(sql, "r.account_id = ? AND r.state = 'waiting'", [accountId])).length > 0) {
        return refuse('CONFLICT', 'A change of plan is already waiting for an answer; withdraw it first.');
      }
      await sql.all(
        `INSERT INTO people_plan_requests (plan_request_id, account_id, account_name, plan_from, plan_to, note, asked_by, asked_ms,
          state, claimed_until_ms) VALUES (?, ?, ?, ?, ?, ?, ?, ?, 'waiting', 0)`,
        [newId('req'), accountId, accountName, from, to, note, actor.personId, atMs],
      );
      await record(sql, actor, { accountId, what: 'plan.asked', subject: to, detail: `from ${from}` }, atMs);
      return done;
    });
  }

  withdraw(actor: Actor, accountId: string): Promise<Outcome> {
    return this.#ground.database.transaction(async (sql) => {
      const atMs = this.#ground.now();
      const [waiting] = await select(sql, "r.account_id = ? AND r.state = 'waiting'", [accountId]);
      if (waiting === undefined) return notFound('request');
      const ended = await end(sql, waiting.planRequestId, 'withdrawn', { atMs, answer: null, claim: 'none' });
      if (!ended) return beingDecided;
      await record(sql, actor, { accountId, what: 'plan.withdrawn', subject: waiting.to }, atMs);
      return done;
    });
  }

  of(accountId: string): Promise<readonly PlanRequest[]> {
    return select(this.#ground.database, 'r.account_id = ?', [accountId]);
  }

  waiting(): Promise<readonly PlanRequest[]> {
    return select(this.#ground.database, "r.state = 'waiting'", []);
  }

  async find(planRequestId: string): Promise<PlanRequest | undefined> {
    return (await select(this.#ground.database, 'r.plan_request_id = ?', [planRequestId]))[0];
  }

  async decide(
    actor: Actor,
    planRequestId: string,
    decision: Parameters<PlanRequests['decide']>[2],
  ): Promise<Outcome> {
    const { database, now } = this.#ground;
    const request = await this.find(planRequestId);
    if (request === undefined) return notFound('request');
    // Claimed while it is carried out, so that of two operators one decides; if this process dies, another may later.
    const claimedMs = now();
    const untilMs = claimedMs + decidingMostMs;
    const claimed = await database.all(
      `UPDATE people_plan_requests SET claimed_until_ms = ? WHERE plan_request_id = ? AND state = 'waiting'
        AND ${isUnclaimed} RETURNING plan_request_id`,
      [untilMs, planRequestId, ...unclaimed(claimedMs)],
    );
    if (claimed.length === 0) return beingDecided;
    if (decision.kind === 'approved') {
      const outcome = await this.#carryOut(() => decision.carryOut(request), planRequestId, untilMs);
      if (outcome.kind === 'refused') return outcome;
    }
    return database.transaction(async (sql) => {
      const { kind: state, answer } = decision;
      const ended = await end(sql, planRequestId, state, { atMs: now(), answer, claim: untilMs });
      if (!ended) return beingDecided;
      const event = {
        accountId: request.accountId,
        what: `plan.${state}`,
        subject: request.to,
        detail: answer ?? undefined,
      };
      await record(sql, actor, event, now());
      return done;
    });
  }

  async #carryOut(work: () => Promise<Outcome>, planRequestId: string, untilMs: number): Promise<Outcome> {
    let isDone = false;
    try {
      const outcome = await work();
      isDone = outcome.kind === 'done';
      return outcome;
    } finally {
      if (!isDone) {
        await this.#ground.database.all(
          'UPDATE people_plan_requests SET claimed_until_ms = 0 WHERE plan_request_id = ? AND claimed_until_ms = ?',
          [planRequestId, untilMs],
        );
      }
    }
  }
}

async function end(
  sql: Sql,
  planRequestId: string,
  state: PlanRequest['state'],
  how: { readonly atMs: number; readonly answer: string | null; readonly claim: number | 'none' },
): Promise<boolean> {
  const rows = await sql.all(
    `UPDATE people_plan_requests SET state = ?, decided_ms = ?, answer = ? WHERE plan_request_id = ? AND state = 'waiting'
      AND ${how.claim === 'none' ? isUnclaimed : 'claimed_until_ms = ?'} RETURNING plan_request_id`,
    [
      state,
      how.atMs,
      how.answer,
      planRequestId,
      ...(how.claim === 'none' ? unclaimed(how.atMs) : [how.claim]),
    ],
  );
  return rows.length === 1;
}

async function select(sql: Sql, where: string, values: readonly Value[]): Promise<readonly PlanRequest[]> {
  const rows = await sql.all(
    `SELECT r.*, p.email AS asked_email FROM people_plan_requests r LEFT JOIN people p ON p.person_id = r.asked_by
      WHERE ${where} ORDER BY r.asked_ms DESC, r.plan_request_id`,
    values,
  );
  return rows.map(readRequest);
}

function readRequest(row: Row): PlanRequest {
  return {
    planRequestId: readText(row, 'plan_request_id'),
    accountId: readText(row, 'account_id'),
    accountName: readText(row, 'account_name'),
    from: readWord(row, 'plan_from', planNames),
    to: readWord(row, 'plan_to', planNames),
    note: readTextOrNull(row, 'note'),
    askedBy: readTextOrNull(row, 'asked_email') ?? 'erased person',
    askedAtMs: readNumber(row, 'asked_ms'),
    state: readWord(row, 'state', ['waiting', 'approved', 'declined', 'withdrawn']),
    decidedAtMs: readNumberOrNull(row, 'decided_ms'),
    answer: readTextOrNull(row, 'answer'),
  };
}
