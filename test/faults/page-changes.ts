// People who sign up, and change their names, roles and passwords, over the pages of a running service.

import assert from 'node:assert/strict';
import { isObject, parseJson } from '../../src/json.ts';
import {
  type Change,
  changePeople,
  firstRole,
  type MakeChange,
  type ToldChanges,
} from '../people/changes.ts';
import { runDomesday } from '../rig.ts';

/** Behind a proxy with TLS, so that each person comes from a host of their own. */
export const pagesEnv = {
  DOMESDAY_TRUST_PROXY: '1',
  DOMESDAY_PUBLIC_URL: 'https://data.example.com',
  DOMESDAY_SIGNUP: 'open',
  DOMESDAY_SAMPLE: 'serve',
  DOMESDAY_DEMO_ACCOUNT: 'off',
} as const;

/** A reply that says nothing was done, or that it may have been. */
class Unanswered extends Error {
  override name = 'Unanswered';
}

/** Of one person. It keeps its cookies. */
class Browser {
  readonly #host: string;
  readonly #cookies = new Map<string, string>();

  constructor(number: number) {
    this.#host = `198.51.${Math.floor(number / 250) % 250}.${1 + (number % 250)}`;
  }

  /** `service` is where it is reached at the moment. */
  async ask(service: string, route: string, body?: unknown): Promise<Readonly<Record<string, unknown>>> {
    const [method = '', path = ''] = route.split(' ');
    const reply = await this.#fetch(`${service}${path}`, method, body);
    if (reply.status >= 500) throw new Unanswered(`${reply.status}`);
    const text = await reply.text().catch(() => '{}');
    assert.equal(reply.status, 200, `${route}: ${reply.status} ${text}`);
    for (const cookie of reply.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(cookie) ?? [];
      this.#cookies.set(name, value);
    }
    const told = parseJson(text);
    return isObject(told) ? told : {};
  }

  async #fetch(url: string, method: string, body: unknown): Promise<Response> {
    try {
      return await fetch(url, {
        method,
        headers: {
          'x-forwarded-for': this.#host,
          cookie: [...this.#cookies].map(([name, value]) => `${name}=${value}`).join('; '),
          ...(method === 'GET'
            ? {}
            : { origin: pagesEnv.DOMESDAY_PUBLIC_URL, 'content-type': 'application/json' }),
        },
        ...(method === 'GET' ? {} : { body: JSON.stringify(body ?? {}) }),
      });
    } catch (error) {
      if (error instanceof TypeError) throw new Unanswered('the connection broke', { cause: error });
      throw error;
    }
  }
}

/** What a command needs to reach the home or the database. */
type CommandEnv = Readonly<Record<string, string>>;

async function linkFor(email: string, env: CommandEnv): Promise<string> {
  const { out } = await runDomesday(['people', 'link', email], env);
  const token = /#(\S+)/.exec(out)?.[1];
  if (token === undefined) throw new Unanswered(`no link for ${email}`);
  return token;
}

/** With an account of their own. */
type Owner = { readonly browser: Browser; readonly accountId: string; invited: number };

type Person = {
  readonly browser: Browser;
  readonly personId: string;
  readonly password: string;
  readonly owner: Owner;
};

/** Nobody may send more in a day. */
const invitesMost = 15;

/** People who join accounts of others and change what is theirs. */
export class PageChanges {
  readonly #env: CommandEnv;
  readonly #number: number;
  #owner: Owner | undefined;
  #loops = 0;
  #people = 0;

  /** `number` distinguishes its people from those of others. */
  constructor(env: CommandEnv, number = 0) {
    this.#env = env;
    this.#number = number;
  }

  /** Until `goesOn` says no more. */
  async makeOn(service: string, told: ToldChanges, goesOn: () => boolean): Promise<void> {
    this.#loops += 1;
    await changePeople({
      make: this.#maker(service),
      name: `person-${this.#number}-${this.#loops}`,
      goesOn,
      hear: (what, change) => told.hear(what, change),
    });
  }

  #maker(service: string): MakeChange {
    let person: Person | undefined;
    return async (change) => {
      if (change.what === 'sign-up') {
        person = await this.#signUp(service, change);
        return;
      }
      const { browser, personId, password, owner } =
        person ?? assert.fail(`${change.email} has not signed up`);
      if (change.what === 'name') await browser.ask(service, 'PATCH /portal/person', { name: change.value });
      else if (change.what === 'password')
        await browser.ask(service, 'POST /portal/password', { current: password, next: change.value });
      else
        await owner.browser.ask(service, `PATCH /portal/accounts/${owner.accountId}/members/${personId}`, {
          role: change.value,
        });
    };
  }

  #newBrowser(): Browser {
    this.#people += 1;
    return new Browser(this.#number * 10_000 + this.#people);
  }

  async #newOwner(service: string): Promise<Owner> {
    const browser = this.#newBrowser();
    const [email, password] = [`owner-${this.#number}-${this.#people}@example.com`, 'a quiet meadow at noon'];
    await browser.ask(service, 'POST /portal/sign-up', { email });
    await browser.ask(service, 'POST /portal/confirm', { token: await linkFor(email, this.#env), password });
    await browser.ask(service, 'POST /portal/sign-in', { email, password });
    const { accountId } = await browser.ask(service, 'POST /portal/accounts', { name: 'Acme' });
    return { browser, accountId: String(accountId), invited: 0 };
  }

  async #signUp(service: string, { email, value: password }: Change): Promise<Person> {
    if (this.#owner === undefined || this.#owner.invited === invitesMost)
      this.#owner = await this.#newOwner(service);
    const owner = this.#owner;
    owner.invited += 1;
    const invites = `POST /portal/accounts/${owner.accountId}/invites`;
    await owner.browser.ask(service, invites, { email, role: firstRole });
    const invite = await linkFor(email, this.#env);
    const browser = this.#newBrowser();
    await browser.ask(service, 'POST /portal/sign-up', { email, password, invite });
    await browser.ask(service, 'POST /portal/sign-in', { email, password });
    const { person } = await browser.ask(service, 'GET /portal/me');
    assert.ok(isObject(person));
    return { browser, personId: String(person.personId), password, owner };
  }
}
