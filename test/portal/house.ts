// A service with people in it, for tests of the pages' interface: the real server and database, and browsers that keep
// their cookies and say where they come from, as real ones do.

import assert from 'node:assert/strict';
import type { LightMyRequestResponse } from 'fastify';
import { publications } from '../../src/cli/publications.ts';
import { endpoints } from '../../src/endpoints/index.ts';
import { openPeople } from '../../src/people/open.ts';
import type { People, Role } from '../../src/people/people.ts';
import type { PortalDesk } from '../../src/portal/desk.ts';
import { openPortal } from '../../src/portal/portal.ts';
import { RequestsFile } from '../../src/requests/file.ts';
import { RequestLog } from '../../src/requests/request-log.ts';
import { openRig, type PagesParts, type Rig, type RigWish } from '../rig.ts';

/** Long enough, and nobody's. */
export const password = 'a quiet meadow at noon';

/** Enough for a test of anything but the hash. */
const cheapHashes = { memory: 64, passes: 1, parallelism: 1 };

type HouseWish = Pick<RigWish, 'publicUrl' | 'databaseUrl' | 'env'> & {
  readonly signUp?: 'open' | 'invited' | 'closed';
  readonly demoPays?: PortalDesk['demoPays'];
  /** What is put in place of the real people, for what happens when they fail. */
  readonly people?: (real: People) => People;
};

export class House {
  readonly rig: Rig;
  readonly people: People;
  /** Of pages on this machine. */
  readonly host = '127.0.0.1:8080';

  constructor(rig: Rig, people: People) {
    this.rig = rig;
    this.people = people;
  }

  browser(): Browser {
    return new Browser(this, this.host);
  }

  /** Signed up, confirmed and signed in. */
  async person(email: string): Promise<Browser> {
    const browser = this.browser();
    expectStatus(200, await browser.post('/portal/sign-up', { email }));
    const token = await this.token(email, 'confirm');
    expectStatus(200, await browser.post('/portal/confirm', { token, password }));
    await browser.signIn(email);
    return browser;
  }

  async operator(email: string): Promise<Browser> {
    const browser = await this.person(email);
    const found = await this.people.persons.findByEmail(email);
    await this.people.persons.setStanding(found?.personId ?? '', 'operator');
    return browser;
  }

  /** Out of the link that waits for the address. */
  async token(email: string, purpose: 'confirm' | 'reset' | 'invite'): Promise<string> {
    const links = await this.people.mail.links(email);
    const link = links.find((each) => each.purpose === purpose)?.link;
    const token = link?.split('#')[1];
    assert.ok(token, `no ${purpose} link waits for ${email}`);
    return token;
  }

  /** An account of this person, with another one for each role. */
  async account(owner: Browser, name = 'Acme'): Promise<string> {
    const opened = await owner.post('/portal/accounts', { name });
    expectStatus(200, opened);
    return opened.json().accountId;
  }

  async join(owner: Browser, accountId: string, email: string, role: Role): Promise<Browser> {
    const browser = await this.person(email);
    expectStatus(200, await owner.post(`/portal/accounts/${accountId}/invites`, { email, role }));
    const token = await this.token(email, 'invite');
    expectStatus(200, await browser.post('/portal/invites/accept', { token }));
    return browser;
  }

  close(): Promise<void> {
    return this.rig.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}

export async function openHouse(wish: HouseWish = {}): Promise<House> {
  const { signUp = 'open', people: changed = (real) => real, demoPays = 'never', ...rigWish } = wish;
  let opened: People | undefined;
  const pages = async ({ settings, books, database, live, updates, log, metrics, now }: PagesParts) => {
    const file =
      wish.databaseUrl === undefined ? new RequestsFile(settings.home, () => undefined) : undefined;
    const requests = new RequestLog({ database, store: file ?? database, log, metrics, now });
    const people = openPeople({
      database,
      signUp,
      publicUrl: wish.publicUrl ?? 'http://127.0.0.1:8080',
      smtpUrl: undefined,
      mailFrom: undefined,
      now,
      tell: () => undefined,
      passwordCost: cheapHashes,
    });
    opened = people;
    return {
      requests,
      openPortal: async () =>
        openPortal({
          settings,
          demoPays,
          sampleForLiveKeys: 'served',
          loading: { mayBegin: 'yes', begin: () => 'begun', progress: () => null },
          ...books,
          people: changed(people),
          requests,
          endpoints,
          releases: { live, list: () => [{ id: live().id, madeAt: null, isCurrent: true }] },
          updates,
          publications,
          version: 'test',
          now,
          livePace: { everyMs: 5, lookAgainMs: 5 },
          reportFault: (message, fault, requestId) => log.fault(message, fault, requestId),
        }),
      close: async () => {
        await requests.close();
        file?.close();
      },
    };
  };
  const rig = await openRig({ ...rigWish, pages });
  if (opened === undefined) throw new Error('The rig made no pages.');
  return new House(rig, opened);
}

type Write = 'POST' | 'PATCH' | 'DELETE';
type Method = 'GET' | 'HEAD' | 'PUT' | 'OPTIONS' | Write;

/** Sent besides what a browser sends, or in its place; undefined: not sent. */
type SentHeaders = Readonly<Record<string, string | undefined>>;

export class Browser {
  readonly cookies = new Map<string, string>();
  readonly #house: House;
  /** Whose pages it shows. */
  readonly #host: string;
  readonly #scheme: 'http' | 'https';

  constructor(house: House, host: string, scheme: 'http' | 'https' = 'http') {
    this.#house = house;
    this.#host = host;
    this.#scheme = scheme;
  }

  /** `body` is sent as JSON, a text as it is. */
  async ask(
    method: Method,
    url: string,
    body?: unknown,
    headers: SentHeaders = {},
  ): Promise<LightMyRequestResponse> {
    const isWrite = method !== 'GET' && method !== 'HEAD';
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const all: SentHeaders = {
      host: this.#host,
      ...(cookie === '' ? {} : { cookie }),
      'sec-fetch-site': 'same-origin',
      ...(isWrite ? { origin: `${this.#scheme}://${this.#host}`, 'content-type': 'application/json' } : {}),
      ...headers,
    };
    const sent = Object.entries(all).filter((entry): entry is [string, string] => entry[1] !== undefined);
    const reply = await this.#house.rig.app.inject({
      method,
      url,
      headers: Object.fromEntries(sent),
      ...(isWrite ? { payload: typeof body === 'string' ? body : JSON.stringify(body ?? {}) } : {}),
    });
    this.#keep(reply);
    return reply;
  }

  get(url: string, headers?: SentHeaders): Promise<LightMyRequestResponse> {
    return this.ask('GET', url, undefined, headers);
  }

  post(url: string, body?: unknown, headers?: SentHeaders): Promise<LightMyRequestResponse> {
    return this.ask('POST', url, body, headers);
  }

  async signIn(email: string): Promise<void> {
    expectStatus(200, await this.post('/portal/sign-in', { email, password }));
  }

  #keep({ headers }: LightMyRequestResponse): void {
    for (const text of [headers['set-cookie'] ?? []].flat()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(text) ?? [];
      if (/; Max-Age=0;/.test(text)) this.cookies.delete(name);
      else this.cookies.set(name, value);
    }
  }
}

/** A route as it is asked; ids of its path stay as they are. */
export function askedBy(route: string): { readonly method: 'GET' | Write; readonly path: string } {
  const [method = '', path = ''] = route.split(' ');
  if (method === 'GET' || isWrite(method)) return { method, path };
  throw new Error(`${route} has no method of a route`);
}

export const isWrite = (method: string): method is Write =>
  method === 'POST' || method === 'PATCH' || method === 'DELETE';

/** Nothing has the other id. */
export const inAccount = (path: string, accountId: string): string =>
  path.replace(':accountId', accountId).replace(/:\w+/, 'no_such_thing');

export function expectStatus(status: number, reply: LightMyRequestResponse): void {
  assert.equal(reply.statusCode, status, reply.body);
}
