// The numbers by which rows know accounts, keys and endpoints. They never change and are never given twice, so a replica keeps
// those it has met, and the database need not look for three names with every charge. A database that was put back to an earlier
// day may lack them or give them to others; charge_1 tells where it is so.

import { Recent } from '../../../recent.ts';
import { type Row, readNumber, readText } from '../../../storage/rows.ts';
import type { Database } from '../database.ts';

type KeyNumbers = { readonly accountId: string; readonly account: number; readonly key: number };

type Found = {
  readonly keys: ReadonlyMap<string, KeyNumbers>;
  readonly endpoints: ReadonlyMap<string, number>;
};

const keysMost = 10_000;
/** Another replica may make an endpoint between the two halves of a look. */
const looksMost = 3;

export class Numbers {
  readonly #database: Database;
  readonly #lately = new Recent<string, KeyNumbers>(keysMost);
  #endpoints = new Map<string, number>();

  constructor(database: Database) {
    this.#database = database;
  }

  learn(row: Row): void {
    const keyId = readText(row, 'key_id');
    if (this.#lately.get(keyId) === undefined) this.#lately.set(keyId, numbersIn(row));
  }

  forget(): void {
    this.#lately.clear();
    this.#endpoints.clear();
  }

  /** Keys that are not among what it finds do not exist. What is kept may be forgotten meanwhile, what was found not. */
  async find(keyIds: Iterable<string>, paths: Iterable<string>): Promise<Found> {
    return {
      keys: await this.#findKeys(new Set(keyIds)),
      endpoints: await this.#findEndpoints(new Set(paths)),
    };
  }

  async #findKeys(keyIds: ReadonlySet<string>): Promise<ReadonlyMap<string, KeyNumbers>> {
    const found = new Map<string, KeyNumbers>();
    const lacking: string[] = [];
    for (const keyId of keyIds) {
      const known = this.#lately.get(keyId);
      if (known === undefined) lacking.push(keyId);
      else found.set(keyId, known);
    }
    if (lacking.length === 0) return found;
    for (const row of await this.#database.ask(keysText, [lacking])) {
      this.learn(row);
      found.set(readText(row, 'key_id'), numbersIn(row));
    }
    return found;
  }

  async #findEndpoints(paths: ReadonlySet<string>): Promise<ReadonlyMap<string, number>> {
    const found = new Map<string, number>();
    for (let looks = 0; ; looks += 1) {
      for (const path of paths) {
        const number = this.#endpoints.get(path);
        if (number !== undefined) found.set(path, number);
      }
      const lacking = [...paths].filter((path) => !found.has(path)).sort();
      if (lacking.length === 0) return found;
      if (looks === looksMost) throw new Error('an endpoint cannot be noted');
      for (const row of await this.#database.ask(endpointsText, [lacking])) {
        const [path, number] = [readText(row, 'path'), readNumber(row, 'number')];
        this.#endpoints.set(path, number);
        found.set(path, number);
      }
    }
  }
}

const numbersIn = (row: Row): KeyNumbers => ({
  accountId: readText(row, 'account_id'),
  account: readNumber(row, 'account'),
  key: readNumber(row, 'key'),
});

const keysText = `SELECT keys.id AS key_id, keys.number AS key, accounts.id AS account_id, accounts.number AS account
  FROM domesday.keys JOIN domesday.accounts ON accounts.number = keys.account WHERE keys.id = ANY ($1)`;

const endpointsText = `WITH made AS (
    INSERT INTO domesday.endpoints (path)
      SELECT path FROM unnest($1::text[]) AS asked (path)
      WHERE NOT EXISTS (SELECT FROM domesday.endpoints known WHERE known.path = asked.path)
      ON CONFLICT DO NOTHING RETURNING path, number)
  SELECT path, number FROM made UNION ALL SELECT path, number FROM domesday.endpoints WHERE path = ANY ($1)`;
