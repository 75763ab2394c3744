// What the operator does for accounts: finding one by name, id or plan, or by who belongs to it; opening, credits, plans,
// suspending, and deciding what customers ask for.

import type { Terms } from '../../ledger/ledger.ts';
import { isCustomer } from '../../ledger/public-sandbox.ts';
import { refuse } from '../../people/outcome.ts';
import {
  creditsPerMonth,
  email,
  line,
  name,
  note,
  oneOf,
  optional,
  planName,
  reason,
  type Taken,
  text,
  wholeNumber,
} from '../body.ts';
import type { PortalDesk } from '../desk.ts';
import { type ByPerson, done, doneOrRefused, notFound, told } from '../route.ts';
import type { AdminAccountRow } from '../views.ts';
import { accountView, type proof, renameAccount, type renaming } from './accounts.ts';
import { audited } from './audited.ts';

const pageRows = 50;
const peopleMost = 200;

export const searched = { q: optional(text(100)) };
/** `after` of the page before; null on the last one. */
export const pageOfSearched = { ...searched, after: optional(line(64)) };

type Page = { readonly accounts: readonly AdminAccountRow[]; readonly after: string | null };
type PageWish = {
  readonly search: string;
  /** Accounts of people that the search finds. */
  readonly also: readonly string[];
  readonly after: string | undefined;
  readonly limit: number;
};

export const searchOf = (q: string | undefined): string => q?.trim().toLowerCase() ?? '';

/** Nothing to search for finds every account anyway. */
export const accountsOfPeople = async ({ people }: PortalDesk, search: string): Promise<readonly string[]> =>
  search === '' ? [] : people.members.accountsOf(search);

export async function accountsPage(
  { accounts, people }: PortalDesk,
  wish: PageWish,
  atMs: number,
): Promise<Page> {
  const page = await accounts.accountPage({ ...wish, atMs });
  const ids = page.accounts.map(({ accountId }) => accountId);
  const owners = await people.members.owners(ids);
  const uses = new Map((await accounts.accountsUse(ids, atMs)).map((use) => [use.accountId, use]));
  const rows = page.accounts.map((account): AdminAccountRow => {
    const use = uses.get(account.accountId);
    return {
      ...accountView(account),
      lastCallHourMs: use?.lastHourMs ?? null,
      callsToday: use?.callsToday ?? 0,
      errorsToday: use?.errorsToday ?? 0,
      owners: owners.get(account.accountId) ?? [],
    };
  });
  return { accounts: rows, after: page.after };
}

export async function findAccounts(
  desk: PortalDesk,
  { takes, atMs }: ByPerson<Taken<typeof pageOfSearched>>,
) {
  const search = searchOf(takes.q);
  const also = await accountsOfPeople(desk, search);
  return told(await accountsPage(desk, { search, also, after: takes.after, limit: pageRows }, atMs));
}

const termsOf = (creditsPerMonth: number | undefined): { terms?: Terms } =>
  creditsPerMonth === undefined ? {} : { terms: { allowance: creditsPerMonth } };

export const accountWish = { name, plan: planName, owner: optional(email), creditsPerMonth };

export async function openAccount(desk: PortalDesk, asked: ByPerson<Taken<typeof accountWish>>) {
  const { takes, actor, atMs } = asked;
  const { plan, owner } = takes;
  const called = takes.name.trim();
  const terms = termsOf(takes.creditsPerMonth);
  const { accountId } = await desk.accounts.createAccount({ name: called, plan, ...terms, atMs });
  const event = { accountId, what: 'account.opened', subject: accountId, detail: plan };
  const answer = await audited(desk, asked, event, told({ accountId }));
  if (answer.kind === 'refused' || owner === undefined) return answer;
  const invited = await desk.people.members.invite(actor, {
    email: owner,
    account: { accountId, name: called, role: 'owner' },
  });
  if (invited.kind !== 'refused') return answer;
  const message = `The account ${accountId} is there, but its owner was not invited: ${invited.message}`;
  return { ...invited, message };
}

type OfAccount = { readonly in: { readonly accountId: string } };

/** Not one of those that the service made for itself. */
async function findCustomer({ accounts }: PortalDesk, asked: ByPerson & OfAccount) {
  const account = await accounts.findAccount(asked.in.accountId, asked.atMs);
  return account !== undefined && isCustomer(account) ? account : undefined;
}

/** What a ledger can hold is judged there. */
export const correction = { credits: wholeNumber(-1e15, 1e15), reason };

export async function correctCredits(
  desk: PortalDesk,
  asked: ByPerson<Taken<typeof correction>> & OfAccount,
) {
  const { credits, reason: because } = asked.takes;
  const account = await findCustomer(desk, asked);
  if (account === undefined) return notFound();
  const { accountId } = account;
  const grant = { credits, note: because, atMs: asked.atMs };
  const { balance } = await desk.accounts.grantCredits(accountId, grant);
  const what = credits < 0 ? 'credits.taken' : 'credits.granted';
  const event = { accountId, what, subject: String(credits), detail: because };
  return audited(desk, asked, event, told({ balance }));
}

export const planChange = { plan: planName, reason, creditsPerMonth };

export async function changePlan(desk: PortalDesk, asked: ByPerson<Taken<typeof planChange>> & OfAccount) {
  const { plan, reason: because, creditsPerMonth: credits } = asked.takes;
  const account = await findCustomer(desk, asked);
  if (account === undefined) return notFound();
  const { accountId } = account;
  await desk.accounts.changePlan(accountId, { plan, ...termsOf(credits), atMs: asked.atMs });
  const detail = `from ${account.plan}: ${because}`;
  return audited(desk, asked, { accountId, what: 'plan.changed', subject: plan, detail }, done());
}

export async function rename(desk: PortalDesk, asked: ByPerson<Taken<typeof renaming>> & OfAccount) {
  const account = await findCustomer(desk, asked);
  return account === undefined ? notFound() : renameAccount(desk, { ...asked, account });
}

export async function suspend(desk: PortalDesk, asked: ByPerson & OfAccount, because: string) {
  const account = await findCustomer(desk, asked);
  if (account === undefined) return notFound();
  const { accountId } = account;
  await desk.accounts.suspendAccount(accountId, { atMs: asked.atMs, reason: because });
  const event = { accountId, what: 'account.suspended', subject: accountId, detail: because };
  return audited(desk, asked, event, done());
}

export async function resume(desk: PortalDesk, asked: ByPerson & OfAccount) {
  const account = await findCustomer(desk, asked);
  if (account === undefined) return notFound();
  const { accountId } = account;
  await desk.accounts.resumeAccount(accountId, asked.atMs);
  return audited(desk, asked, { accountId, what: 'account.resumed', subject: accountId }, done());
}

export const decision = {
  decision: oneOf('approve', 'decline'),
  answer: optional(note),
  creditsPerMonth,
};

export async function decidePlan(
  desk: PortalDesk,
  asked: ByPerson<Taken<typeof decision>> & { readonly in: { readonly planRequestId: string } },
) {
  const { people, accounts } = desk;
  const { actor, in: named, takes, atMs } = asked;
  const credits = takes.creditsPerMonth;
  const answer = takes.answer ?? null;
  if (takes.decision === 'decline' && credits !== undefined)
    return refuse('INVALID', 'A declined plan has no credits.', { field: 'creditsPerMonth' });
  const outcome = await people.planRequests.decide(
    actor,
    named.planRequestId,
    takes.decision === 'decline'
      ? { kind: 'declined', answer }
      : {
          kind: 'approved',
          answer,
          carryOut: async ({ accountId, from, to }) => {
            const account = await accounts.findAccount(accountId, atMs);
            if (account === undefined) return notFound();
            if (account.plan !== from)
              return refuse(
                'CONFLICT',
                `The account is on ${account.plan} by now, not on ${from} as it was at the time of the request; decline the request, or change the plan at the account.`,
              );
            await accounts.changePlan(accountId, { plan: to, ...termsOf(credits), atMs });
            return { kind: 'done' };
          },
        },
  );
  return doneOrRefused(outcome);
}

/** Whoever took over a session must not be able to. The role is taken away by a command alone. */
export async function makeOperator(
  { people }: PortalDesk,
  {
    actor,
    takes,
    visitor,
    in: { personId },
  }: ByPerson<Taken<typeof proof>> & { readonly in: { readonly personId: string } },
) {
  const proved = await people.signingIn.proveAgain(actor.personId, takes, visitor);
  if (proved.kind === 'refused') return proved;
  return doneOrRefused(await people.persons.setStanding(personId, 'operator', actor));
}

export async function listPeople(desk: PortalDesk, { takes, atMs }: ByPerson<Taken<typeof searched>>) {
  const { people, total } = await desk.people.persons.list({ search: takes.q, limit: peopleMost });
  const ids = [...new Set(people.flatMap((person) => person.accounts))];
  const found = await Promise.all(ids.map((accountId) => desk.accounts.findAccount(accountId, atMs)));
  const names = new Map(ids.map((accountId, at) => [accountId, found[at]?.name ?? null]));
  return told({
    people: people.map((person) => ({
      ...person,
      accounts: person.accounts.map((accountId) => ({ accountId, name: names.get(accountId) ?? null })),
    })),
    total,
  });
}
