// The operator's half of the ledger: accounts and keys. Every change is one transaction that locks its account first, and a serving
// process sees it at its next request.

import { readNumber } from '../../storage/rows.ts';
import type { Sql } from '../../storage/sql.ts';
import { bindingColumns, checkBinding } from '../binding.ts';
import { hashKey, makeId, makeKey, type RandomBytes } from '../keys.ts';
import {
  type Account,
  type Accounts,
  type AdmittedKind,
  type Key,
  type KeyChange,
  KeysFull,
  type KeyWish,
  LedgerRefusal,
  type MakeableKind,
  type NewKey,
  type NewWebKey,
  type PlanName,
  type Rotation,
  type Surplus,
  type Suspension,
  type Tell,
  type Terms,
} from '../ledger.ts';
import { allowanceOf, checkTerms, limitsOf, sayPlan } from '../plans.ts';
import { checkPrivate, publicAccount, publicCaller, publicKey } from '../public-sandbox.ts';
import { checkNote, notes } from '../replay.ts';
import {
  adjust,
  changedKey,
  changePlan,
  checkExpiry,
  checkMakeable,
  checkName,
  checkNoKey,
  checkReason,
  endRotated,
  isShareable,
  keyState,
  nextRefresh,
  openAccount,
  outgoingWebKey,
  webKeyEnd,
} from '../rules.ts';
import { guestAccount, guestTerms } from '../visitors/guests.ts';
import { checkKnown, published, readAccountRow, StoredHistory, selectKeys } from './history.ts';
import { beginPeriod, givenBefore, lockAccount, post, refreshIfDue } from './posting.ts';
import { type AccountRow, readAccount, readKey, termsColumns } from './records.ts';
import { isStorable, type LedgerStorage } from './storage.ts';

export class StoredAccounts extends StoredHistory implements Accounts {
  readonly #randomBytes: RandomBytes;
  /** By account. */
  readonly #shared = new Map<string, { readonly made: Promise<NewWebKey>; readonly expiresAtMs: number }>();

  constructor(storage: LedgerStorage, randomBytes: RandomBytes, tell: Tell) {
    super(storage, tell);
    this.#randomBytes = randomBytes;
  }

  async createAccount(account: {
    readonly name: string;
    readonly plan: PlanName;
    readonly terms?: Terms;
    readonly atMs: number;
  }): Promise<Account> {
    const accountId = makeId('acc', this.#randomBytes);
    return this.#transaction(async (sql) => published(await openAt(sql, { ...account, accountId })));
  }

  async openPublicSandbox(atMs: number): Promise<void> {
    const { accountId, keyId, mode } = publicCaller;
    // Every start asks; only the first has to write.
    if ((await readAccountRow(this.storage, accountId)) !== undefined) return;
    await this.#transaction(async (sql) => {
      if ((await lockAccount(sql, accountId)) !== undefined) return;
      const account = await openAt(sql, { ...publicAccount, accountId, atMs });
      const { name } = publicAccount;
      const made = { account, kind: mode, name, binding: null, expiresAtMs: null, atMs };
      await insertKey(sql, made, { keyId, key: publicKey });
    });
  }

  async openGuests(wish: { readonly callsPerDay: number; readonly atMs: number }): Promise<Account> {
    const { callsPerDay, atMs } = wish;
    const { accountId, plan } = guestAccount;
    const terms = guestTerms(callsPerDay);
    const found = await this.findAccount(accountId, atMs);
    if (found === undefined) return this.#openGuests(terms, atMs);
    const isInStep = found.plan === plan && sayPlan(plan, found.terms) === sayPlan(plan, terms);
    return isInStep || found.closedAtMs !== null ? found : this.changePlan(accountId, { plan, terms, atMs });
  }

  async #openGuests(terms: Terms, atMs: number): Promise<Account> {
    const { accountId } = guestAccount;
    return this.#transaction(async (sql) => {
      const there = await lockAccount(sql, accountId);
      return published(there ?? (await openAt(sql, { ...guestAccount, terms, atMs })));
    });
  }

  async changePlan(
    accountId: string,
    change: {
      readonly plan: PlanName;
      readonly terms?: Terms;
      readonly surplus?: Surplus;
      readonly atMs: number;
    },
  ): Promise<Account> {
    const { plan, terms = {}, surplus = 'kept', atMs } = change;
    checkTerms(terms);
    const allowance = allowanceOf(plan, terms);
    return this.#change(accountId, async (sql, before) => {
      await refreshIfDue(sql, before, atMs, this.tell);
      const { movement, period } = changePlan(before, {
        plan,
        terms,
        surplus,
        atMs,
        givenBefore: await givenBefore(sql, before, atMs),
      });
      // Also where no credits move: the journal alone says which plan and terms an account has.
      const kind = movement.credits < 0 ? 'correction' : 'grant';
      const note = notes.planChanged(before.plan, plan, terms);
      await post(sql, before, { ...movement, atMs, kind, note });
      await beginPeriod(sql, before, period);
      await sql.all(
        `UPDATE accounts SET plan = ?, own_allowance = ?, own_minute_limit = ?, own_day_limit = ?, own_month_limit = ?
          WHERE number = ?`,
        [plan, ...termsColumns(terms), before.number],
      );
      const limits = limitsOf(plan, terms, 'live');
      return published({ ...before, plan, terms, allowance, limits, refreshAtMs: nextRefresh(plan, period) });
    });
  }

  async grantCredits(
    accountId: string,
    grant: { readonly credits: number; readonly note?: string; readonly atMs: number },
  ): Promise<Account> {
    const { credits, note = null, atMs } = grant;
    checkNote(note);
    checkNoKey(note);
    checkStorable(note);
    return this.#change(accountId, async (sql, account) => {
      await refreshIfDue(sql, account, atMs, this.tell);
      const { kind, movement } = adjust(account, credits);
      await post(sql, account, { ...movement, atMs, kind, note });
      return published(account);
    });
  }

  async renameAccount(accountId: string, name: string): Promise<Account> {
    checkName(name);
    checkStorable(name);
    return this.#change(accountId, async (sql, account) => {
      await sql.all('UPDATE accounts SET name = ? WHERE number = ?', [name, account.number]);
      return published({ ...account, name });
    });
  }

  async closeAccount(accountId: string, atMs: number): Promise<Account> {
    return this.#change(accountId, async (sql, account) => {
      await post(sql, account, { credits: 0, lasting: 0, atMs, kind: 'correction', note: notes.closed });
      await sql.all('UPDATE accounts SET closed_at = ? WHERE number = ?', [atMs, account.number]);
      return published({ ...account, closedAtMs: atMs });
    });
  }

  async suspendAccount(accountId: string, suspension: Suspension): Promise<Account> {
    const { atMs, reason } = suspension;
    checkReason(reason);
    checkStorable(reason);
    return this.#change(accountId, async (sql, account) => {
      if (account.suspended !== null) {
        throw new LedgerRefusal(`${accountId} is already suspended: ${account.suspended.reason}`);
      }
      const note = notes.suspended(reason);
      await post(sql, account, { credits: 0, lasting: 0, atMs, kind: 'correction', note });
      await setSuspension(sql, account, suspension);
      return published({ ...account, suspended: suspension });
    });
  }

  async resumeAccount(accountId: string, atMs: number): Promise<Account> {
    return this.#change(accountId, async (sql, account) => {
      if (account.suspended === null) throw new LedgerRefusal(`${accountId} is not suspended.`);
      await post(sql, account, { credits: 0, lasting: 0, atMs, kind: 'correction', note: notes.resumed });
      await setSuspension(sql, account, null);
      return published({ ...account, suspended: null });
    });
  }

  async createKey(key: KeyWish): Promise<NewKey> {
    const { accountId, kind, name = null, expiresAtMs = null, keysMost, atMs } = key;
    checkExpiry(expiresAtMs, atMs);
    checkNoKey(name);
    const binding = checkBinding(kind, key.binding ?? {});
    checkStorable(name);
    return this.#change(accountId, async (sql, account) => {
      if (keysMost !== undefined && (await countLiveKeys(sql, account, atMs)) >= keysMost)
        throw new KeysFull(`An account has at most ${keysMost} keys that work; revoke one that nobody uses.`);
      return insertKey(sql, { account, kind, name, binding, expiresAtMs, atMs }, this.#makeKey(kind));
    });
  }

  async createWebKey(accountId: string, atMs: number): Promise<NewWebKey> {
    const made = { keyId: makeId('web', this.#randomBytes), key: makeKey('web', this.#randomBytes) };
    const expiresAtMs = webKeyEnd(atMs);
    return this.#change(accountId, async (sql, account) => {
      const there = await sql.all(`${selectKeys} WHERE keys.account = ? AND keys.kind = 'web'`, [
        account.number,
      ]);
      const outgoing = outgoingWebKey(there.map(readKey), atMs);
      if (outgoing === undefined) {
        const binding = checkBinding('web', { origins: 'own' });
        const wish = { account, kind: 'web', name: null, binding, expiresAtMs, atMs } as const;
        return { ...(await insertKey(sql, wish, made)), expiresAtMs };
      }
      const { keyId } = outgoing;
      const { hash, lastFour } = shownOf(made.key);
      // Its id stays, and with it what was called by it.
      await sql.all(
        `UPDATE keys SET hash = ?, last_four = ?, created_at = ?, expires_at = ?, revoked_at = NULL WHERE id = ?`,
        [hash, lastFour, atMs, expiresAtMs, keyId],
      );
      return { keyId, key: made.key, expiresAtMs };
    });
  }

  async sharedWebKey(accountId: string, atMs: number): Promise<NewWebKey> {
    const earlier = this.#shared.get(accountId);
    if (earlier !== undefined && isShareable(earlier.expiresAtMs, atMs)) {
      const made = await earlier.made;
      if (await this.#isAsMade(accountId, made, atMs)) return made;
      // It gave way to others; whoever noticed first makes the next.
      if (this.#shared.get(accountId) !== earlier) return this.sharedWebKey(accountId, atMs);
    }
    const made = this.createWebKey(accountId, atMs);
    this.#shared.set(accountId, { made, expiresAtMs: webKeyEnd(atMs) });
    made.catch(() => this.#shared.delete(accountId));
    return made;
  }

  async #isAsMade(accountId: string, { keyId, key }: NewWebKey, atMs: number): Promise<boolean> {
    const found = await this.findKey(accountId, keyId);
    return found?.lastFour === key.slice(-4) && keyState(found, atMs) === 'works';
  }

  async listKeys(accountId: string): Promise<Key[]> {
    const all = await this.#keysOf(accountId);
    return all.filter(({ kind }) => kind !== 'web');
  }

  async findKey(accountId: string, keyId: string): Promise<Key | undefined> {
    const all = await this.#keysOf(accountId);
    return all.find((key) => key.keyId === keyId);
  }

  async #keysOf(accountId: string): Promise<Key[]> {
    const { number } = await this.known(accountId);
    const rows = await this.storage.all(
      `${selectKeys} WHERE keys.account = ? ORDER BY keys.created_at, keys.number`,
      [number],
    );
    return rows.map(readKey);
  }

  async changeKey(keyId: string, change: KeyChange): Promise<Key> {
    checkNoKey(change.name);
    checkStorable(change.name ?? null);
    return this.#changeKey(keyId, async (sql, key, account) => {
      assertOpen(account);
      const changed = changedKey(key, change);
      const { paths, addresses } = bindingColumns(changed.binding);
      await sql.all('UPDATE keys SET name = ?, expires_at = ?, paths = ?, addresses = ? WHERE id = ?', [
        changed.name,
        changed.expiresAtMs,
        paths,
        addresses,
        keyId,
      ]);
      return changed;
    });
  }

  async revokeKey(keyId: string, atMs: number): Promise<Key> {
    return this.#changeKey(keyId, async (sql, key) => {
      checkPrivate(key.accountId);
      if (key.revokedAtMs !== null) throw new LedgerRefusal(`${keyId} is already revoked.`);
      await sql.all('UPDATE keys SET revoked_at = ? WHERE id = ?', [atMs, keyId]);
      return { ...key, revokedAtMs: atMs };
    });
  }

  async rotateKey(keyId: string, rotation: Rotation): Promise<NewKey> {
    return this.#changeKey(keyId, async (sql, old, account) => {
      assertOpen(account);
      const ends = endRotated(old, rotation);
      const { name, binding, expiresAtMs } = old;
      const kind = checkMakeable(old.kind);
      if (kind === 'publishable' && binding === null) {
        throw new LedgerRefusal(
          `The ledger does not say what ${keyId} is bound to; revoke it and make a new key.`,
        );
      }
      const { atMs } = rotation;
      const wish = { account, kind, name, binding, expiresAtMs, atMs };
      const made = await insertKey(sql, wish, this.#makeKey(kind));
      await sql.all(
        `UPDATE keys SET expires_at = ?, revoked_at = ?,
          replaced_by = (SELECT number FROM keys AS newer WHERE newer.id = ?) WHERE id = ?`,
        [ends.expiresAtMs, ends.revokedAtMs, made.keyId, keyId],
      );
      return made;
    });
  }

  /** A change cannot be made twice. */
  #transaction<T>(work: (sql: Sql) => Promise<T>): Promise<T> {
    return this.storage.transaction(work, 'tell');
  }

  /** The account has to be open. */
  #change<T>(accountId: string, work: (sql: Sql, account: AccountRow) => Promise<T>): Promise<T> {
    return this.#transaction(async (sql) => {
      const account = checkKnown(await lockAccount(sql, accountId), accountId);
      assertOpen(account);
      return work(sql, account);
    });
  }

  #changeKey<T>(keyId: string, work: (sql: Sql, key: Key, account: AccountRow) => Promise<T>): Promise<T> {
    return this.#transaction(async (sql) => {
      const { accountId } = await knownKey(sql, keyId);
      const account = checkKnown(await lockAccount(sql, accountId), accountId);
      // Read again under the account's lock: of two that end one key, the second sees what the first did.
      return work(sql, await knownKey(sql, keyId), account);
    });
  }

  #makeKey(kind: MakeableKind): NewKey {
    return { keyId: makeId('key', this.#randomBytes), key: makeKey(kind, this.#randomBytes) };
  }
}

function assertOpen({ accountId, closedAtMs }: AccountRow): void {
  checkPrivate(accountId);
  if (closedAtMs !== null) throw new LedgerRefusal(`The account ${accountId} is closed.`);
}

async function knownKey(sql: Sql, keyId: string): Promise<Key> {
  const [row] = await sql.all(`${selectKeys} WHERE keys.id = ?`, [keyId]);
  if (row === undefined) {
    throw new LedgerRefusal(`There is no key ${keyId}; \`domesday keys list --account ID\` shows them.`);
  }
  return readKey(row);
}

/** Neither revoked nor expired nor rotated, and no web keys. */
async function countLiveKeys(sql: Sql, { number }: AccountRow, atMs: number): Promise<number> {
  const [row] = await sql.all(
    `SELECT count(*) AS keys FROM keys WHERE account = ? AND kind <> 'web' AND revoked_at IS NULL
      AND replaced_by IS NULL AND (expires_at IS NULL OR expires_at > ?)`,
    [number, atMs],
  );
  return readNumber(row, 'keys');
}

async function setSuspension(sql: Sql, { number }: AccountRow, suspension: Suspension | null): Promise<void> {
  await sql.all('UPDATE accounts SET suspended_at = ?, suspended_because = ? WHERE number = ?', [
    suspension?.atMs ?? null,
    suspension?.reason ?? null,
    number,
  ]);
}

async function openAt(
  sql: Sql,
  account: {
    readonly accountId: string;
    readonly name: string;
    readonly plan: PlanName;
    readonly terms?: Terms;
    readonly atMs: number;
  },
): Promise<AccountRow> {
  const { accountId, name, plan, terms = {}, atMs } = account;
  checkName(name);
  checkStorable(name);
  checkTerms(terms);
  const { movement, period } = openAccount(plan, terms, atMs);
  const { anchorAtMs, periodEndsAtMs, allowanceGiven } = period;
  const [row] = await sql.all(
    `INSERT INTO accounts (id, name, plan, own_allowance, own_minute_limit, own_day_limit, own_month_limit, balance, lasting,
        anchor_at, period_ends_at, allowance_given, created_at)
      VALUES (?, ?, ?, ?, ?, ?, ?, 0, 0, ?, ?, ?, ?) RETURNING *`,
    [accountId, name, plan, ...termsColumns(terms), anchorAtMs, periodEndsAtMs, allowanceGiven, atMs],
  );
  if (row === undefined) throw new Error('an account that was inserted is not there');
  const made = readAccount(row);
  await post(sql, made, { ...movement, atMs, kind: 'grant', note: notes.opened(plan, terms) });
  return made;
}

async function insertKey(
  sql: Sql,
  of: Pick<Key, 'name' | 'binding' | 'expiresAtMs'> & {
    readonly account: AccountRow;
    readonly kind: AdmittedKind;
    readonly atMs: number;
  },
  { keyId, key }: NewKey,
): Promise<NewKey> {
  const { account, kind, name, binding, expiresAtMs, atMs } = of;
  const { hash, lastFour } = shownOf(key);
  const { origins, paths, addresses } = bindingColumns(binding);
  await sql.all(
    `INSERT INTO keys (id, account, name, kind, hash, last_four, origins, paths, addresses, created_at, expires_at)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    [keyId, account.number, name, kind, hash, lastFour, origins, paths, addresses, atMs, expiresAtMs],
  );
  return { keyId, key };
}

/** What is kept of a key. */
const shownOf = (key: string) => ({ hash: hashKey(key), lastFour: key.slice(-4) });

function checkStorable(text: string | null): void {
  if (text === null || isStorable(text)) return;
  throw new LedgerRefusal('A name or note contains the character NUL, which cannot be stored; leave it out.');
}
