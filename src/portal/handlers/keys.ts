// Keys of an account: made, changed, rotated, revoked. A key is told once, to whoever made it.

import { isDeepStrictEqual } from 'node:util';
import { checkBinding } from '../../ledger/binding.ts';
import { type Key, type KeyWish, LedgerRefusal } from '../../ledger/ledger.ts';
import type { KeyUse } from '../../ledger/told/usage.ts';
import { refuse } from '../../people/outcome.ts';
import type { Refusal } from '../../people/people.ts';
import { dayMs, hourMs } from '../../time.ts';
import { line, listOf, moment, name, oneOf, optional, orNull, type Taken } from '../body.ts';
import type { PortalDesk } from '../desk.ts';
import { type ByMember, done, notFound, told } from '../route.ts';
import type { KeyView } from '../views.ts';
import { audited } from './audited.ts';

const unusedAfterMs = 90 * dayMs;
const keysMost = 500;

const paths = listOf(line(100), 50);
/** CIDR. */
const blocks = listOf(line(50), 50);

export const keyWish = {
  kind: oneOf('live', 'test', 'publishable'),
  name: optional(name),
  expiresAtMs: optional(moment),
  origins: optional(listOf(line(200), 50)),
  endpoints: optional(paths),
  addresses: optional(blocks),
};

export const keyChange = {
  name: optional(orNull(name)),
  expiresAtMs: optional(orNull(moment)),
  endpoints: optional(orNull(paths)),
  addresses: optional(orNull(blocks)),
};

export async function listKeys(desk: PortalDesk, asked: ByMember) {
  const { accountId } = asked.account;
  const uses = new Map((await desk.accounts.keyUse(accountId)).map((use) => [use.keyId, use]));
  const keys = await desk.accounts.listKeys(accountId);
  return told({
    keys: keys.map((key) => keyView(key, uses.get(key.keyId), asked.atMs)),
    endpoints: desk.endpoints.map(({ path }) => path),
  });
}

export function keyView(key: Key, use: KeyUse | undefined, atMs: number): KeyView {
  const { keyId, name, kind, lastFour, binding } = key;
  const { createdAtMs, expiresAtMs, revokedAtMs, replacedBy } = key;
  const state = stateOf(key, atMs);
  const idleSinceMs = use === undefined ? createdAtMs : use.lastHourMs + hourMs;
  return {
    keyId,
    name,
    kind,
    lastFour,
    binding,
    createdAtMs,
    expiresAtMs,
    revokedAtMs,
    replacedBy,
    state,
    calls: use?.calls ?? 0,
    lastUsedHourMs: use?.lastHourMs ?? null,
    unused: state === 'works' && atMs - idleSinceMs > unusedAfterMs ? 'for 90 days' : 'no',
  };
}

function stateOf({ revokedAtMs, expiresAtMs, replacedBy }: Key, atMs: number): KeyView['state'] {
  if (revokedAtMs !== null && revokedAtMs <= atMs) return 'revoked';
  if (expiresAtMs !== null && expiresAtMs <= atMs) return 'expired';
  return replacedBy === null && revokedAtMs === null ? 'works' : 'ends';
}

/** The only time the key is told. */
export async function createKey(desk: PortalDesk, asked: ByMember<Taken<typeof keyWish>>) {
  const { accountId } = asked.account;
  const wish = wishOf(desk, asked.takes, accountId, asked.atMs);
  if (wish.kind === 'refused') return wish;
  const made = await desk.accounts.createKey(wish);
  const event = { accountId, what: 'key.created', subject: made.keyId, detail: asked.takes.kind };
  return audited(desk, asked, event, told(made));
}

function wishOf(
  desk: PortalDesk,
  takes: Taken<typeof keyWish>,
  accountId: string,
  atMs: number,
): KeyWish | Refusal {
  const { kind, name, expiresAtMs, origins, endpoints = null, addresses = null } = takes;
  const problem =
    pastExpiry(expiresAtMs, atMs) ??
    unknownEndpoint(desk, endpoints) ??
    oddList('origins', origins) ??
    oddList('addresses', addresses);
  if (problem !== undefined) return problem;
  const common = {
    accountId,
    keysMost,
    atMs,
    ...(name === undefined ? {} : { name: name.trim() }),
    ...(expiresAtMs === undefined ? {} : { expiresAtMs }),
  };
  if (kind !== 'publishable') {
    return origins === undefined
      ? { ...common, kind, binding: { endpoints, addresses } }
      : refuse('INVALID', 'Only publishable keys have origins.', { field: 'origins' });
  }
  return origins === undefined
    ? refuse('INVALID', 'A publishable key needs an origin: that of the page that will use it.', {
        field: 'origins',
      })
    : { ...common, kind, binding: { origins, endpoints, addresses } };
}

function pastExpiry(expiresAtMs: number | null | undefined, atMs: number): Refusal | undefined {
  return typeof expiresAtMs === 'number' && expiresAtMs <= atMs
    ? refuse('INVALID', 'The expiry of a key must be in the future; to end it now, revoke it.', {
        field: 'expiresAtMs',
      })
    : undefined;
}

function unknownEndpoint(
  { endpoints }: PortalDesk,
  wanted: readonly string[] | null | undefined,
): Refusal | undefined {
  const odd = wanted?.find((path) => !endpoints.some((endpoint) => endpoint.path === path));
  return odd === undefined
    ? undefined
    : refuse('INVALID', 'There is no such endpoint; choose one from the list.', { field: 'endpoints' });
}

/** The ledger would refuse it too, but not say at which field. */
function oddList(
  field: 'origins' | 'addresses',
  wanted: readonly string[] | null | undefined,
): Refusal | undefined {
  if (wanted === undefined || wanted === null) return undefined;
  try {
    checkBinding('live', { [field]: wanted });
    return undefined;
  } catch (fault) {
    if (fault instanceof LedgerRefusal) return refuse('INVALID', fault.message, { field });
    throw fault;
  }
}

type OfKey = { readonly in: { readonly keyId: string } };

export async function changeKey(desk: PortalDesk, asked: ByMember<Taken<typeof keyChange>> & OfKey) {
  const { takes, atMs, account, in: named } = asked;
  if (Object.keys(takes).length === 0) return refuse('INVALID', 'Say what to change about the key.');
  const problem =
    pastExpiry(takes.expiresAtMs, atMs) ??
    unknownEndpoint(desk, takes.endpoints) ??
    oddList('addresses', takes.addresses);
  if (problem !== undefined) return problem;
  const key = await desk.accounts.findKey(account.accountId, named.keyId);
  if (key === undefined) return notFound();
  const changed = await desk.accounts.changeKey(key.keyId, { ...takes, atMs });
  const detail = differences(key, changed);
  const event = { accountId: account.accountId, what: 'key.changed', subject: key.keyId, detail };
  return audited(desk, asked, event, done());
}

/** For the audit log. A page sends all that can be changed, whatever its reader changed of it. */
function differences(before: Key, after: Key): string {
  const parts: readonly (readonly [name: string, of: (key: Key) => unknown])[] = [
    ['name', ({ name }) => name],
    ['end', ({ expiresAtMs }) => expiresAtMs],
    ['endpoints', ({ binding }) => binding?.endpoints ?? null],
    ['addresses', ({ binding }) => binding?.addresses ?? null],
  ];
  const differing = parts.filter(([, of]) => !isDeepStrictEqual(of(before), of(after)));
  return differing.length === 0 ? 'nothing' : differing.map(([name]) => name).join(', ');
}

export async function revokeKey(desk: PortalDesk, asked: ByMember & OfKey) {
  const { accountId } = asked.account;
  const key = await desk.accounts.findKey(accountId, asked.in.keyId);
  if (key === undefined) return notFound();
  await desk.accounts.revokeKey(key.keyId, asked.atMs);
  return audited(desk, asked, { accountId, what: 'key.revoked', subject: key.keyId }, done());
}

export async function rotateKey(desk: PortalDesk, asked: ByMember & OfKey, overlapHours: number) {
  const { accountId } = asked.account;
  const key = await desk.accounts.findKey(accountId, asked.in.keyId);
  if (key === undefined) return notFound();
  const made = await desk.accounts.rotateKey(key.keyId, {
    overlapMs: overlapHours * hourMs,
    atMs: asked.atMs,
  });
  const old =
    overlapHours === 0
      ? 'stopped at once'
      : `works for ${overlapHours} ${overlapHours === 1 ? 'hour' : 'hours'}`;
  const detail = `by ${made.keyId}, the old one ${old}`;
  return audited(desk, asked, { accountId, what: 'key.rotated', subject: key.keyId, detail }, told(made));
}

/** For calls from the page: 15 minutes, kept in its memory alone. Spends the account's credits, as its other keys do; so not for an
 *  operator who looks. */
export async function createWebKey(desk: PortalDesk, asked: ByMember) {
  const { accountId } = asked.account;
  const { person, sessionId } = asked.signedIn;
  const { keyId, key, expiresAtMs } = await desk.accounts.createWebKey(accountId, asked.atMs);
  // Before it is told: one that is not noted is nobody's.
  await desk.people.pageKeys.note(
    { accountId, keyId },
    { personId: person.personId, sessionId, expiresAtMs },
  );
  const event = { accountId, what: 'key.created', subject: keyId, detail: 'for a page, for 15 minutes' };
  return audited(desk, asked, event, told({ key, expiresAtMs }));
}
