// What plans cost, in the operator's words, for pages and documents. Nothing is charged by it.

import type { PlanPrice } from '../../ledger/plans.ts';
import { planNames } from '../../ledger/plans.ts';
import { readText, readTextOrNull, readWord } from '../../storage/rows.ts';
import type { Sql } from '../../storage/sql.ts';
import { record } from '../audit.ts';
import type { Ground } from '../ground.ts';
import type { PlanPrices } from '../people.ts';

export class KeptPlanPrices implements PlanPrices {
  readonly #ground: Ground;

  constructor(ground: Ground) {
    this.#ground = ground;
  }

  all(): Promise<readonly PlanPrice[]> {
    return readPlanPrices(this.#ground.database);
  }

  set({ plan, price, link }: PlanPrice): Promise<void> {
    return this.#ground.database.transaction(async (sql) => {
      await sql.all(
        `INSERT INTO people_plan_prices (plan, price, link) VALUES (?, ?, ?)
          ON CONFLICT (plan) DO UPDATE SET price = excluded.price, link = excluded.link`,
        [plan, price, link],
      );
      await this.#note(sql, plan, price);
    });
  }

  clear(plan: PlanPrice['plan']): Promise<void> {
    return this.#ground.database.transaction(async (sql) => {
      await sql.all('DELETE FROM people_plan_prices WHERE plan = ?', [plan]);
      await this.#note(sql, plan, 'no price');
    });
  }

  async #note(sql: Sql, plan: string, detail: string): Promise<void> {
    const event = { accountId: null, what: 'plan.priced', subject: plan, detail };
    await record(sql, { kind: 'command' }, event, this.#ground.now());
  }
}

/** In the order of the plans. */
export async function readPlanPrices(database: Sql): Promise<readonly PlanPrice[]> {
  const rows = await database.all('SELECT plan, price, link FROM people_plan_prices');
  return rows
    .map((row) => ({
      plan: readWord(row, 'plan', planNames),
      price: readText(row, 'price'),
      link: readTextOrNull(row, 'link'),
    }))
    .sort((a, b) => planNames.indexOf(a.plan) - planNames.indexOf(b.plan));
}
