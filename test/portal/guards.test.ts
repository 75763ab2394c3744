// Routes with a guard that is not made for their path: the compiler refuses each of them.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { name, orNull } from '../../src/portal/body.ts';
import { readHealth } from '../../src/portal/handlers/house.ts';
import { listKeys } from '../../src/portal/handlers/keys.ts';
import { anybody, type ByPerson, done, member, operator, person, told } from '../../src/portal/route.ts';

const finished = async () => done();
const rename = async (_: unknown, { takes }: ByPerson<{ readonly name: string | null }>) =>
  told({ name: takes.name });

test('no route can be made by a guard of another kind', () => {
  const made = [
    // @ts-expect-error sessions are for whoever is signed in
    anybody('GET /portal/sessions', {}, finished),
    // @ts-expect-error a route that nobody has named as open is not
    anybody('POST /portal/sign-up-quickly', {}, finished),
    // @ts-expect-error an account's keys are for those who belong to it
    person('GET /portal/accounts/:accountId/keys', {}, finished),
    // @ts-expect-error health is the operator's
    person('GET /portal/admin/health', {}, readHealth),
    // @ts-expect-error an account's keys are not asked by way of the operator's paths
    operator('GET /portal/accounts/:accountId/keys', {}, finished),
    // @ts-expect-error nor are the operator's paths for those who belong to an account
    member('GET /portal/admin/accounts', ['owner'], {}, finished),
    // @ts-expect-error somebody has to have a role there
    member('GET /portal/accounts/:accountId/keys', [], {}, finished),
    // @ts-expect-error there is no such role
    member('GET /portal/accounts/:accountId/keys', ['visitor'], {}, finished),
    // @ts-expect-error nor does a person alone answer for an account
    person('GET /portal/accounts', {}, listKeys),
    // @ts-expect-error what an answer rests on has to be judged
    person('PATCH /portal/person', {}, rename),
    // @ts-expect-error and is what was judged
    person('PATCH /portal/person', { name }, async (_, { takes }) => told({ name: takes.named })),
    person('PATCH /portal/person', { name: orNull(name) }, rename),
    member('GET /portal/accounts/:accountId/keys', ['owner'], {}, listKeys),
  ];
  assert.equal(made.length, 13);
});
