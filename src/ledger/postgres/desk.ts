// A change of one account in the database: its rows are locked and read, the rules work the change out over them, and what
// came of it is written, all in one transaction.

import { readNumber } from '../../storage/rows.ts';
import { bindingColumns } from '../binding.ts';
import { LedgerRefusal, type PlanName, type Tell, type Terms } from '../ledger.ts';
import { allowanceOf, limitsOf } from '../plans.ts';
import { nextRefresh, quietSpan } from '../rules.ts';
import type { Desk, NewAccount, NewKeyRow, Subject } from '../stored/books.ts';
import { Periods } from '../stored/periods.ts';
import { drawEntry, type Posting } from '../stored/posting.ts';
import { type AccountRow, readAccount, readKey, termsColumns } from '../stored/records.ts';
import { journalKinds } from '../told/entries.ts';
import type { Ask } from './database.ts';

type Write = { readonly text: string; readonly values: readonly unknown[] };

/** What an account's row is to say at the end, where that is more than moves with its entries. */
type Ending = Pick<AccountRow, 'plan' | 'terms' | 'closedAtMs' | 'suspended'>;

/** Entries that one change can write: a period put right, a refresh, and the change itself. */
const entriesMost = 3;

export const selectKeys = `SELECT keys.*, accounts.id AS account_id, newer.id AS replaced_by_id
  FROM domesday.keys JOIN domesday.accounts ON accounts.number = keys.account
  LEFT JOIN domesday.keys AS newer ON newer.number = keys.replaced_by`;

/** Runs `work` over what the subject is, then writes what it did. Within a transaction. */
export async function workAtDesk<T>(
  ask: Ask,
  subject: Subject,
  tell: Tell,
  work: (desk: Desk) => T,
): Promise<T> {
  const keyRows = 'keyId' in subject ? await ask(`${selectKeys} WHERE keys.id = $1`, [subject.keyId]) : [];
  const [keyRow] = keyRows;
  const accountId = 'keyId' in subject ? keyRow?.account_id : subject.accountId;
  const [accountRow] = await ask('SELECT * FROM domesday.accounts WHERE id = $1 FOR NO KEY UPDATE', [
    accountId,
  ]);
  // Read again under the account's lock: of two that end one key, the second sees what the first did.
  const [lockedKey] =
    keyRow === undefined ? [] : await ask(`${selectKeys} WHERE keys.number = $1`, [keyRow.number]);
  const account = accountRow && readAccount(accountRow);
  const periods =
    account === undefined
      ? []
      : await ask('SELECT ends_at, allowance_given FROM domesday.periods WHERE account = $1', [
          account.number,
        ]);
  const webKeys =
    subject.also === 'web keys' && account !== undefined
      ? await ask(`${selectKeys} WHERE keys.account = $1 AND keys.kind = 'web'`, [account.number])
      : [];
  const counted =
    typeof subject.also === 'object' && account !== undefined
      ? await ask(
          `SELECT count(*) AS count FROM domesday.keys WHERE account = $1 AND kind <> 'web' AND revoked_at IS NULL
            AND replaced_by IS NULL AND (expires_at IS NULL OR expires_at > $2)`,
          [account.number, subject.also.liveKeysAtMs],
        )
      : [];
  const numbers = await ask(
    "SELECT nextval('domesday.entry_numbers') AS number FROM generate_series(1, $1)",
    [entriesMost],
  );
  const newAccount =
    account === undefined
      ? await ask("SELECT nextval(pg_get_serial_sequence('domesday.accounts', 'number')) AS number")
      : [];
  const draft = new Draft({
    account,
    key: lockedKey && readKey(lockedKey),
    webKeys: webKeys.map(readKey),
    keys: counted.map((row) => readNumber(row, 'count')).at(0),
    left: periods.map((row) => ({
      endsAtMs: readNumber(row, 'ends_at'),
      allowanceGiven: readNumber(row, 'allowance_given'),
    })),
    entryNumbers: numbers.map((row) => readNumber(row, 'number')),
    accountNumber: newAccount.map((row) => readNumber(row, 'number')).at(0),
    tell,
  });
  const result = work(draft);
  for (const { text, values } of draft.writes()) await ask(text, values);
  return result;
}

type DraftParts = {
  readonly account: AccountRow | undefined;
  readonly key: ReturnType<typeof readKey> | undefined;
  readonly webKeys: readonly ReturnType<typeof readKey>[];
  /** How many, where the change is about it. */
  readonly keys: number | undefined;
  readonly left: readonly { readonly endsAtMs: number; readonly allowanceGiven: number }[];
  readonly entryNumbers: readonly number[];
  /** For an account that is to be made. */
  readonly accountNumber: number | undefined;
  readonly tell: Tell;
};

class Draft implements Desk {
  readonly periods: Periods;
  readonly #parts: DraftParts;
  readonly #entryNumbers: number[];
  #account: AccountRow | undefined;
  #ending: Ending | undefined;
  #row: 'as it was' | 'changed' = 'as it was';
  readonly #writes: Write[] = [];

  constructor(parts: DraftParts) {
    this.#parts = parts;
    this.#account = parts.account;
    this.#entryNumbers = [...parts.entryNumbers];
    this.periods = new Periods(
      {
        post: (account, posting) => this.post(account, posting),
        findGiven: (_account, afterMs, upToMs) =>
          Math.max(
            0,
            ...parts.left
              .filter(({ endsAtMs }) => endsAtMs > afterMs && endsAtMs <= upToMs)
              .map(({ allowanceGiven }) => allowanceGiven),
          ),
        keepGiven: ({ number }, endsAtMs, allowanceGiven) =>
          this.#write(
            `INSERT INTO domesday.periods AS kept VALUES ($1, $2, $3) ON CONFLICT (account, ends_at)
              DO UPDATE SET allowance_given = greatest(kept.allowance_given, excluded.allowance_given)`,
            [number, endsAtMs, allowanceGiven],
          ),
        updatePeriod: () => {
          this.#row = 'changed';
        },
      },
      parts.tell,
    );
  }

  findAccount = (accountId: string): AccountRow | undefined =>
    this.#account?.accountId === accountId ? this.#account : undefined;

  findKey = (keyId: string): DraftParts['key'] =>
    this.#parts.key?.keyId === keyId ? this.#parts.key : undefined;

  listWebKeys: Desk['listWebKeys'] = () => this.#parts.webKeys;

  countLiveKeys: Desk['countLiveKeys'] = () => {
    if (this.#parts.keys === undefined) throw new Error('a change counted keys that it was not about');
    return this.#parts.keys;
  };

  post = (account: AccountRow, posting: Posting): void => {
    const seq = this.#entryNumbers.shift();
    if (seq === undefined) throw new Error('a change wrote more entries than any does');
    const { atMs, kind, credits, lasting, note, chargeId = null } = posting;
    checkStorable(note);
    const { hash, balanceAfter, lastingAfter } = drawEntry(account, posting);
    this.#write(
      `INSERT INTO domesday.journal (seq, previous, account, at, kind, credits, lasting, balance_after, lasting_after,
        charge_id, note, hash) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)`,
      [
        seq,
        account.newestSeq,
        account.number,
        atMs,
        journalKinds.indexOf(kind),
        credits,
        lasting,
        balanceAfter,
        lastingAfter,
        chargeId,
        note,
        hash,
      ],
    );
    if (chargeId !== null) {
      this.#write('INSERT INTO domesday.charge_ids VALUES ($1, $2, $3, $4)', [
        chargeId,
        seq,
        account.number,
        atMs,
      ]);
    }
    account.balance = balanceAfter;
    account.lasting = lastingAfter;
    account.newestSeq = seq;
    account.newestHash = hash;
    this.#row = 'changed';
  };

  insertAccount = (made: NewAccount): AccountRow => {
    const { accountId, name, plan, terms, anchorAtMs, periodEndsAtMs, allowanceGiven, createdAtMs } = made;
    checkStorable(name);
    const number = this.#parts.accountNumber;
    if (number === undefined) throw new Error('an account that is there is made again');
    const period = { anchorAtMs, periodEndsAtMs, allowanceGiven };
    const account: AccountRow = {
      ...period,
      number,
      accountId,
      name,
      plan,
      terms: { ...terms, limits: terms.limits ?? {} },
      balance: 0,
      lasting: 0,
      newestSeq: null,
      newestHash: null,
      allowance: allowanceOf(plan, terms),
      limits: limitsOf(plan, terms, 'live'),
      refreshAtMs: nextRefresh(plan, period),
      createdAtMs,
      closedAtMs: null,
      suspended: null,
    };
    // What changes with its first entry is written at the end.
    this.#write(
      `INSERT INTO domesday.accounts (number, id, name, plan, own_allowance, own_minute_limit, own_day_limit,
        own_month_limit, balance, lasting, anchor_at, allowance_given, created_at, quiet_from, quiet_to)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, 0, 0, $9, $10, $11, 0, 0)`,
      [number, accountId, name, plan, ...termsColumns(terms), anchorAtMs, allowanceGiven, createdAtMs],
    );
    this.#account = account;
    return account;
  };

  updateTerms = (account: AccountRow, plan: PlanName, terms: Terms): void => {
    this.#end({ ...account, plan, terms });
  };

  closeAccount = (account: AccountRow, atMs: number): void => {
    this.#end({ ...account, closedAtMs: atMs });
  };

  renameAccount: Desk['renameAccount'] = ({ number }, name) => {
    checkStorable(name);
    this.#write('UPDATE domesday.accounts SET name = $2 WHERE number = $1', [number, name]);
  };

  setSuspension: Desk['setSuspension'] = (account, suspended) => {
    this.#end({ ...account, suspended });
  };

  insertKey = (key: NewKeyRow): void => {
    const { keyId, account, name, kind, hash, lastFour, createdAtMs, expiresAtMs } = key;
    checkStorable(name);
    const { origins, paths, addresses } = bindingColumns(key.binding);
    this.#write(
      `INSERT INTO domesday.keys (id, account, name, kind, hash, last_four, origins, paths, addresses, created_at,
        expires_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`,
      [
        keyId,
        account.number,
        name,
        kind,
        hash,
        lastFour,
        origins,
        paths,
        addresses,
        createdAtMs,
        expiresAtMs,
      ],
    );
  };

  renewKey: Desk['renewKey'] = (keyId, { hash, lastFour, createdAtMs, expiresAtMs }) => {
    this.#write(
      `UPDATE domesday.keys SET hash = $2, last_four = $3, created_at = $4, expires_at = $5, revoked_at = NULL
        WHERE id = $1`,
      [keyId, hash, lastFour, createdAtMs, expiresAtMs],
    );
  };

  updateKey: Desk['updateKey'] = ({ keyId, name, expiresAtMs, binding }) => {
    checkStorable(name);
    const { paths, addresses } = bindingColumns(binding);
    this.#write(
      'UPDATE domesday.keys SET name = $2, expires_at = $3, paths = $4, addresses = $5 WHERE id = $1',
      [keyId, name, expiresAtMs, paths, addresses],
    );
  };

  endKey: Desk['endKey'] = (keyId, { expiresAtMs, revokedAtMs, replacedBy }) => {
    this.#write(
      `UPDATE domesday.keys SET expires_at = $2, revoked_at = $3,
        replaced_by = (SELECT number FROM domesday.keys AS newer WHERE newer.id = $4) WHERE id = $1`,
      [keyId, expiresAtMs, revokedAtMs, replacedBy],
    );
  };

  writes(): readonly Write[] {
    const account = this.#account;
    if (account === undefined || this.#row === 'as it was') return this.#writes;
    const { plan, terms, closedAtMs, suspended } = this.#ending ?? account;
    const { anchorAtMs, periodEndsAtMs, allowanceGiven } = account;
    const refreshAtMs = nextRefresh(plan, account);
    const quiet = quietSpan({ refreshAtMs, periodEndsAtMs, closedAtMs });
    const row: Write = {
      text: `UPDATE domesday.accounts SET plan = $2, own_allowance = $3, own_minute_limit = $4, own_day_limit = $5,
        own_month_limit = $6, balance = $7, lasting = $8, newest_entry = $9, newest_hash = $10, anchor_at = $11,
        period_ends_at = $12, allowance_given = $13, closed_at = $14, quiet_from = $15, quiet_to = $16,
        suspended_at = $17, suspended_because = $18
        WHERE number = $1`,
      values: [
        account.number,
        plan,
        ...termsColumns(terms),
        account.balance,
        account.lasting,
        account.newestSeq,
        account.newestHash,
        anchorAtMs,
        periodEndsAtMs,
        allowanceGiven,
        closedAtMs,
        quiet.startMs,
        quiet.endMs,
        suspended?.atMs ?? null,
        suspended?.reason ?? null,
      ],
    };
    return [...this.#writes, row];
  }

  #end(ending: Ending): void {
    this.#ending = ending;
    this.#row = 'changed';
  }

  #write(text: string, values: readonly unknown[]): void {
    this.#writes.push({ text, values });
  }
}

/** The one character that PostgreSQL has no room for in a text. */
export const isStorable = (text: string): boolean => !text.includes('\0');

function checkStorable(text: string | null): void {
  if (text !== null && !isStorable(text)) {
    throw new LedgerRefusal(
      'A name or note contains the character NUL, which cannot be stored; leave it out.',
    );
  }
}
