// The operator's half of the ledger, whatever the engine: accounts, keys, journal, usage. Every change is one transaction,
// and a serving process sees it at its next request.

import { checkBinding } from '../binding.ts';
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
import type { Books, Desk } from './books.ts';
import { checkKnown, published, StoredHistory } from './history.ts';
import type { AccountRow } from './records.ts';

export class StoredAccounts extends StoredHistory implements Accounts {
  readonly #randomBytes: RandomBytes;
  /** By account. */
  readonly #shared = new Map<string, { readonly made: Promise<NewWebKey>; readonly expiresAtMs: number }>();

  constructor(books: Books, randomBytes: RandomBytes) {
    super(books);
    this.#randomBytes = randomBytes;
  }

  async createAccount(account: {
    readonly name: string;
    readonly plan: PlanName;
    readonly terms?: Terms;
    readonly atMs: number;
  }): Promise<Account> {
    const accountId = makeId('acc', this.#randomBytes);
    return this.books.change({ accountId }, (desk) => published(openAt(desk, { ...account, accountId })));
  }

  async openPublicSandbox(atMs: number): Promise<void> {
    const { accountId, keyId, mode } = publicCaller;
    // Every start asks; only the first has to write.
    if ((await this.books.readAccount(accountId)) !== undefined) return;
    await this.books.change({ accountId }, (desk) => {
      if (desk.findAccount(accountId) !== undefined) return;
      const account = openAt(desk, { ...publicAccount, accountId, atMs });
      const { name } = publicAccount;
      const made = { account, kind: mode, name, binding: null, expiresAtMs: null, atMs };
      insertKey(desk, made, { keyId, key: publicKey });
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
    try {
      return await this.books.change({ accountId }, (desk) => {
        const there = desk.findAccount(accountId);
        return published(there ?? openAt(desk, { ...guestAccount, terms, atMs }));
      });
    } catch (fault) {
      // Another machine may have made it in the same moment.
      const there = await this.findAccount(accountId, atMs);
      if (there === undefined) throw fault;
      return there;
    }
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
    return this.books.change({ accountId }, (desk) => {
      const before = open(desk, accountId);
      desk.periods.refreshIfDue(before, atMs);
      const { movement, period } = changePlan(before, {
        plan,
        terms,
        surplus,
        atMs,
        givenBefore: desk.periods.givenBefore(before, atMs),
      });
      // Also where no credits move: the journal alone says which plan and terms an account has.
      const kind = movement.credits < 0 ? 'correction' : 'grant';
      desk.post(before, { ...movement, atMs, kind, note: notes.planChanged(before.plan, plan, terms) });
      desk.periods.begin(before, period);
      desk.updateTerms(before, plan, terms);
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
    return this.books.change({ accountId }, (desk) => {
      const account = open(desk, accountId);
      desk.periods.refreshIfDue(account, atMs);
      const { kind, movement } = adjust(account, credits);
      desk.post(account, { ...movement, atMs, kind, note });
      return published(account);
    });
  }

  async renameAccount(accountId: string, name: string): Promise<Account> {
    checkName(name);
    return this.books.change({ accountId }, (desk) => {
      const account = open(desk, accountId);
      desk.renameAccount(account, name);
      return published({ ...account, name });
    });
  }

  async closeAccount(accountId: string, atMs: number): Promise<Account> {
    return this.books.change({ accountId }, (desk) => {
      const account = open(desk, accountId);
      desk.post(account, { credits: 0, lasting: 0, atMs, kind: 'correction', note: notes.closed });
      desk.closeAccount(account, atMs);
      return published({ ...account, closedAtMs: atMs });
    });
  }

  async suspendAccount(accountId: string, suspension: Suspension): Promise<Account> {
    const { atMs, reason } = suspension;
    checkReason(reason);
    return this.books.change({ accountId }, (desk) => {
      const account = open(desk, accountId);
      if (account.suspended !== null) {
        throw new LedgerRefusal(`${accountId} is already suspended: ${account.suspended.reason}`);
      }
      const note = notes.suspended(reason);
      desk.post(account, { credits: 0, lasting: 0, atMs, kind: 'correction', note });
      desk.setSuspension(account, suspension);
      return published({ ...account, suspended: suspension });
    });
  }

  async resumeAccount(accountId: string, atMs: number): Promise<Account> {
    return this.books.change({ accountId }, (desk) => {
      const account = open(desk, accountId);
      if (account.suspended === null) throw new LedgerRefusal(`${accountId} is not suspended.`);
      desk.post(account, { credits: 0, lasting: 0, atMs, kind: 'correction', note: notes.resumed });
      desk.setSuspension(account, null);
      return published({ ...account, suspended: null });
    });
  }

  async createKey(key: KeyWish): Promise<NewKey> {
    const { accountId, kind, name = null, expiresAtMs = null, keysMost, atMs } = key;
    checkExpiry(expiresAtMs, atMs);
    checkNoKey(name);
    const binding = checkBinding(kind, key.binding ?? {});
    return this.books.change({ accountId, also: { liveKeysAtMs: atMs } }, (desk) => {
      const account = open(desk, accountId);
      if (keysMost !== undefined && desk.countLiveKeys(account, atMs) >= keysMost)
        throw new KeysFull(`An account has at most ${keysMost} keys that work; revoke one that nobody uses.`);
      return insertKey(desk, { account, kind, name, binding, expiresAtMs, atMs }, this.#makeKey(kind));
    });
  }

  async createWebKey(accountId: string, atMs: number): Promise<NewWebKey> {
    const made = { keyId: makeId('web', this.#randomBytes), key: makeKey('web', this.#randomBytes) };
    const expiresAtMs = webKeyEnd(atMs);
    return this.books.change({ accountId, also: 'web keys' }, (desk) => {
      const account = open(desk, accountId);
      const outgoing = outgoingWebKey(desk.listWebKeys(account), atMs);
      if (outgoing === undefined) {
        const binding = checkBinding('web', { origins: 'own' });
        const wish = { account, kind: 'web', name: null, binding, expiresAtMs, atMs } as const;
        return { ...insertKey(desk, wish, made), expiresAtMs };
      }
      const { keyId } = outgoing;
      const { hash, lastFour } = shownOf(made.key);
      desk.renewKey(keyId, { hash, lastFour, createdAtMs: atMs, expiresAtMs });
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
    const all = await this.books.readKeys(await this.known(accountId));
    return all.filter(({ kind }) => kind !== 'web');
  }

  async findKey(accountId: string, keyId: string): Promise<Key | undefined> {
    const all = await this.books.readKeys(await this.known(accountId));
    return all.find((key) => key.keyId === keyId);
  }

  async changeKey(keyId: string, change: KeyChange): Promise<Key> {
    checkNoKey(change.name);
    return this.books.change({ keyId }, (desk) => {
      const key = knownKey(desk, keyId);
      open(desk, key.accountId);
      const changed = changedKey(key, change);
      desk.updateKey(changed);
      return changed;
    });
  }

  async revokeKey(keyId: string, atMs: number): Promise<Key> {
    return this.books.change({ keyId }, (desk) => {
      const key = knownKey(desk, keyId);
      checkPrivate(key.accountId);
      if (key.revokedAtMs !== null) throw new LedgerRefusal(`${keyId} is already revoked.`);
      desk.endKey(keyId, { ...key, revokedAtMs: atMs });
      return { ...key, revokedAtMs: atMs };
    });
  }

  async rotateKey(keyId: string, rotation: Rotation): Promise<NewKey> {
    return this.books.change({ keyId }, (desk) => {
      const old = knownKey(desk, keyId);
      const account = open(desk, old.accountId);
      const ends = endRotated(old, rotation);
      const { name, binding, expiresAtMs } = old;
      const kind = checkMakeable(old.kind);
      if (kind === 'publishable' && binding === null) {
        throw new LedgerRefusal(
          `The ledger does not say what ${keyId} is bound to; revoke it and make a new key.`,
        );
      }
      const { atMs } = rotation;
      const made = insertKey(desk, { account, kind, name, binding, expiresAtMs, atMs }, this.#makeKey(kind));
      desk.endKey(keyId, { ...ends, replacedBy: made.keyId });
      return made;
    });
  }

  #makeKey(kind: MakeableKind): NewKey {
    return { keyId: makeId('key', this.#randomBytes), key: makeKey(kind, this.#randomBytes) };
  }
}

function open(desk: Desk, accountId: string): AccountRow {
  const account = checkKnown(desk.findAccount(accountId), accountId);
  checkPrivate(accountId);
  if (account.closedAtMs !== null) throw new LedgerRefusal(`The account ${accountId} is closed.`);
  return account;
}

function knownKey(desk: Desk, keyId: string): Key {
  const key = desk.findKey(keyId);
  if (key === undefined) {
    throw new LedgerRefusal(`There is no key ${keyId}; \`domesday keys list --account ID\` shows them.`);
  }
  return key;
}

function openAt(
  desk: Desk,
  account: {
    readonly accountId: string;
    readonly name: string;
    readonly plan: PlanName;
    readonly terms?: Terms;
    readonly atMs: number;
  },
): AccountRow {
  const { accountId, name, plan, terms = {}, atMs } = account;
  checkName(name);
  checkTerms(terms);
  const { movement, period } = openAccount(plan, terms, atMs);
  const made = desk.insertAccount({ ...period, accountId, name, plan, terms, createdAtMs: atMs });
  desk.post(made, { ...movement, atMs, kind: 'grant', note: notes.opened(plan, terms) });
  return made;
}

function insertKey(
  desk: Desk,
  of: Pick<Key, 'name' | 'binding' | 'expiresAtMs'> & {
    readonly account: AccountRow;
    readonly kind: AdmittedKind;
    readonly atMs: number;
  },
  { keyId, key }: NewKey,
): NewKey {
  const { account, kind, name, binding, expiresAtMs, atMs } = of;
  desk.insertKey({ keyId, account, kind, name, ...shownOf(key), binding, createdAtMs: atMs, expiresAtMs });
  return { keyId, key };
}

/** What is kept of a key. */
const shownOf = (key: string) => ({ hash: hashKey(key), lastFour: key.slice(-4) });
