// Asks a web site for pages as one patient visitor would: a session cookie, redirects within the site, so many
// requests a second and no more, and no longer than a time-out.

import { readTextUpTo, TooLarge } from './bounded-text.ts';
import { type Clock, FairTurns } from './fair-turns.ts';

export type Visit =
  | { readonly kind: 'page'; readonly html: string; readonly address: string }
  /** 403 or 429: the site wants no more of us, or does not know the session. */
  | { readonly kind: 'turned away'; readonly status: number; readonly retryMs: number }
  /** By the fault of the site, or of this one page: it is not there, or is too large to be one. */
  | { readonly kind: 'failed'; readonly problem: string; readonly fault: 'site' | 'page' };

/** Cookies by name. */
export type Jar = Map<string, string>;

type BrowserOptions = {
  /** Pages lie under it; nothing else is asked for. Without a slash at the end. */
  readonly baseUrl: string;
  readonly requestsPerSecond: number;
  /** For the request that begins now, and may take so long at most. */
  readonly deadline: (leftMs: number) => AbortSignal;
};

/** What the pages are asked for: how long the site may keep whoever asked waiting for all of them together. */
export type Question = {
  /** In whose name: accounts take turns. */
  readonly account: string;
  /** Spent by requests; waiting for turns is our own doing. */
  leftMs: number;
  /** By then it has to have answered anything at all. */
  silentUntilMs: number;
};

const triesAtMost = 2;
const redirectsAtMost = 3;
const bytesAtMost = 2_000_000;
/** The site sets a handful. What sets one after the other would fill the memory, and the heads of requests. */
const cookiesAtMost = 20;

const elsewhere = { kind: 'failed', problem: 'led to another site', fault: 'site' } as const;

type Wish = {
  readonly address: string;
  readonly form?: Readonly<Record<string, string>>;
  readonly question: Question;
};

export class PoliteBrowser {
  readonly #options: BrowserOptions;
  readonly #turns: FairTurns;
  readonly #clock: Clock;

  constructor(options: BrowserOptions, clock: Clock) {
    this.#options = options;
    this.#turns = new FairTurns(options.requestsPerSecond, clock);
    this.#clock = clock;
  }

  /** How long a request made now in the name of the account would wait for its turn. */
  queueMs(account: string): number {
    return this.#turns.waitMs(account);
  }

  get(address: string, jar: Jar, question: Question): Promise<Visit> {
    return this.#visit({ address, question }, jar);
  }

  post(
    address: string,
    form: Readonly<Record<string, string>>,
    jar: Jar,
    question: Question,
  ): Promise<Visit> {
    return this.#visit({ address, form, question }, jar);
  }

  async #visit(first: Wish, jar: Jar): Promise<Visit> {
    let wish = first;
    for (let hops = 0; hops <= redirectsAtMost; hops += 1) {
      const reply = await this.#tryTwice(wish, jar);
      if (reply.kind !== 'redirect') return reply;
      const to = URL.parse(reply.to, wish.address)?.href;
      if (to === undefined || !this.#isOurs(to)) return elsewhere;
      wish = { address: to, question: first.question };
    }
    return { kind: 'failed', problem: 'led round and round', fault: 'site' };
  }

  #isOurs(address: string): boolean {
    const { baseUrl } = this.#options;
    return address === baseUrl || address.startsWith(`${baseUrl}/`) || address.startsWith(`${baseUrl}?`);
  }

  async #tryTwice(wish: Wish, jar: Jar) {
    let problem = 'took too long';
    let fault: 'site' | 'page' = 'site';
    if (!this.#isOurs(wish.address)) return elsewhere;
    for (let tries = 1; tries <= triesAtMost; tries += 1) {
      const { question } = wish;
      // A turn that comes too late is another's.
      if (this.#clock.now() + this.queueMs(question.account) >= question.silentUntilMs) break;
      await this.#turns.take(question.account);
      const beganMs = this.#clock.now();
      const leftMs = Math.min(question.leftMs, question.silentUntilMs - beganMs);
      if (leftMs <= 0) break;
      try {
        const reply = await this.#request(wish, jar, leftMs);
        question.silentUntilMs = Number.POSITIVE_INFINITY;
        if (reply.kind !== 'status') return reply;
        problem = `status ${reply.status}`;
        fault = reply.status < 500 ? 'page' : 'site';
        if (reply.status < 500) break;
      } catch (error) {
        problem = error instanceof Error ? error.name : 'unreachable';
        fault = error instanceof TooLarge ? 'page' : 'site';
      } finally {
        // A clock that was set back gives nothing.
        question.leftMs -= Math.max(0, this.#clock.now() - beganMs);
      }
    }
    return { kind: 'failed', problem, fault } as const;
  }

  async #request({ address, form }: Wish, jar: Jar, leftMs: number) {
    const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ');
    const response = await fetch(address, {
      ...(form === undefined ? {} : { method: 'POST', body: new URLSearchParams(form) }),
      headers: { 'user-agent': 'domesday', accept: 'text/html', ...(cookie === '' ? {} : { cookie }) },
      redirect: 'manual',
      signal: this.#options.deadline(leftMs),
    });
    for (const line of response.headers.getSetCookie()) keepCookie(jar, line);
    const { status } = response;
    if (status === 200)
      return { kind: 'page', html: await readTextUpTo(bytesAtMost, response), address } as const;
    await response.body?.cancel();
    const to = response.headers.get('location');
    if ((status === 301 || status === 302 || status === 303) && to !== null)
      return { kind: 'redirect', to } as const;
    if (status === 403 || status === 429) {
      const seconds = Number(response.headers.get('retry-after') ?? 0);
      return { kind: 'turned away', status, retryMs: seconds > 0 ? seconds * 1000 : 0 } as const;
    }
    return { kind: 'status', status } as const;
  }
}

function keepCookie(jar: Jar, line: string): void {
  const [pair = ''] = line.split(';');
  const at = pair.indexOf('=');
  if (at < 1) return;
  const [name, value] = [pair.slice(0, at).trim(), pair.slice(at + 1).trim()];
  if (value === '') jar.delete(name);
  else if (jar.has(name) || jar.size < cookiesAtMost) jar.set(name, value);
}
