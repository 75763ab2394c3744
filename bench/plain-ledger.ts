// What a journal with unique ids and balances costs in SQLite and nothing else: the yardstick of the ledger.

import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';

const accounts = 200;

export type PlainLedger = {
  /** One commit of so many charges. */
  readonly commit: (charges: number) => void;
  readonly close: () => void;
};

export function openPlainLedger(folder: string): PlainLedger {
  const database = new DatabaseSync(path.join(folder, 'plain.sqlite'));
  database.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA cache_size = -65536;
    CREATE TABLE journal (seq INTEGER PRIMARY KEY, id BLOB NOT NULL, account INTEGER NOT NULL, key INTEGER NOT NULL,
      endpoint INTEGER NOT NULL, at INTEGER NOT NULL, credits INTEGER NOT NULL, balance INTEGER NOT NULL) STRICT;
    CREATE UNIQUE INDEX journal_ids ON journal (id);
    CREATE TABLE balances (account INTEGER PRIMARY KEY, credits INTEGER NOT NULL) STRICT;`);
  const balances = new Float64Array(accounts).fill(1e9);
  for (const account of balances.keys()) database.exec(`INSERT INTO balances VALUES (${account}, 1e9)`);
  const insert = database.prepare('INSERT INTO journal VALUES (?, ?, ?, ?, ?, ?, ?, ?)');
  const update = database.prepare('UPDATE balances SET credits = ? WHERE account = ?');
  const [begin, end] = [database.prepare('BEGIN IMMEDIATE'), database.prepare('COMMIT')];
  let sequence = 0;
  const commit = (charges: number): void => {
    begin.run();
    const touched = new Set<number>();
    for (let i = 0; i < charges; i += 1) {
      sequence += 1;
      const account = sequence % accounts;
      const balance = (balances[account] ?? 0) - 1;
      balances[account] = balance;
      touched.add(account);
      const id = Buffer.allocUnsafe(12);
      id.writeUIntBE(sequence, 0, 6);
      id.writeUIntBE((sequence * 7919) % 2 ** 48, 6, 6);
      insert.run(sequence, id, account, account, sequence % 9, 1.795e12 + sequence, 1, balance);
    }
    for (const account of touched) update.run(balances[account] ?? 0, account);
    end.run();
  };
  return { commit, close: () => database.close() };
}
