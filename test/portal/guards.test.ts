// Entries of the table with a guard that is not made for their route: the compiler refuses each of them.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { anybody, type Entry, member, operator, person, seen, told } from '../../src/portal/guards.ts';
import { closeAccount } from '../../src/portal/handlers/accounts.ts';
import { readHealth } from '../../src/portal/handlers/house.ts';
import { listMembers } from '../../src/portal/handlers/members.ts';
import { listSessions } from '../../src/portal/handlers/own-person.ts';
import { text } from '../../src/portal/shapes.ts';

const none = { ids: {}, takes: {} };
const ofAccount = { ids: { accountId: text(64) }, takes: {} };

test('no route can be in the table under a guard of another kind', () => {
  // @ts-expect-error sessions are for whoever is signed in
  const sessions: Entry<'GET /portal/sessions'> = anybody(none, listSessions);
  // @ts-expect-error an account's members are for those who belong to it
  const members: Entry<'GET /portal/accounts/:accountId/members'> = person(ofAccount, listMembers);
  // @ts-expect-error health is the operator's
  const health: Entry<'GET /portal/admin/health'> = person(none, readHealth);
  // @ts-expect-error an account's members are not asked by way of the operator's paths
  const asOperator: Entry<'GET /portal/accounts/:accountId/members'> = operator(ofAccount, listMembers);
  // @ts-expect-error an operator who looks closes nothing
  const closing: Entry<'DELETE /portal/accounts/:accountId'> = seen([], ofAccount, closeAccount);
  // @ts-expect-error the answer of one route is not that of another
  const other: Entry<'GET /portal/me'> = anybody(none, async () => told({ done: true }));
  // @ts-expect-error what a route takes has to be judged
  const unjudged: Entry<'PATCH /portal/person'> = person({ ids: {}, takes: {} }, async () =>
    told({ done: true }),
  );
  const right: Entry<'GET /portal/accounts/:accountId/members'> = member(['owner'], ofAccount, listMembers);
  const kinds = [sessions, members, health, asOperator, closing, other, unjudged, right].map(
    ({ who }) => who.kind,
  );
  assert.equal(kinds.at(-1), 'member');
});
