// Asks in good manners and follows where it is led, as far as the wire allows. Whatever is no answer to go on with is a
// TransferFailed; whoever does not answer, or stops in the middle, is not waited for.

import { minuteMs } from '../../time.ts';
import type { Clock } from './clock.ts';
import { shown, stopped, TransferFailed } from './failure.ts';
import { type Manners, retryAfterMs, toldToWait } from './manners.ts';
import type { Reply, Wire } from './wire.ts';

type Wish = {
  readonly address: string;
  readonly hosts: readonly string[];
  readonly headers: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
  /** For the answer as a whole. */
  readonly withinMs?: number;
};

/** Of status 200, 206, 304 or 416. To be read to its end, or discarded; discarding twice does no harm. */
export type Answer = Omit<Reply, 'leadsTo'> & {
  /** After redirects. */
  readonly address: URL;
};

const redirectsMost = 5;
const redirects: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);
const answers: ReadonlySet<number> = new Set([200, 206, 304, 416]);
/** A host that asks for so little patience gets it within the run. */
const patienceMs = minuteMs;
/** Whoever sends less while a stall is waited for would never end. */
const leastBytes = 1024;

export class Exchange {
  readonly #wire: Wire;
  readonly #manners: Manners;
  readonly #clock: Clock;
  readonly #stallMs: number;

  constructor(wire: Wire, manners: Manners, clock: Clock, stallMs: number) {
    this.#wire = wire;
    this.#manners = manners;
    this.#clock = clock;
    this.#stallMs = stallMs;
  }

  async ask(wish: Wish): Promise<Answer> {
    let address = this.#checked(URL.parse(wish.address), wish.hosts);
    for (let hops = 0; hops <= redirectsMost; hops += 1) {
      const reply = await this.#askOnce(address, wish);
      if (!redirects.has(reply.status)) return this.#accepted(reply, address);
      reply.discard();
      if (reply.leadsTo === undefined) throw byStatus(reply.status, address);
      address = this.#checked(reply.leadsTo, wish.hosts);
    }
    throw new TransferFailed(
      'too many redirects',
      `${shown(address)} is behind more than ${redirectsMost} redirects; look at the page of the publication for the new address of its files.`,
      { host: address.hostname },
    );
  }

  #checked(address: URL | null, hosts: readonly string[]): URL {
    if (address === null) throw new TransferFailed('not https', 'What should be a web address is not one.');
    const refusal = this.#wire.refusal(address, hosts);
    if (refusal !== undefined) throw refusal;
    return address;
  }

  async #askOnce(address: URL, { hosts, headers, signal, withinMs }: Wish): Promise<Reply> {
    const endTurn = await this.#manners.take(address.hostname, signal);
    const watch = new Watch(this.#clock, signal);
    watch.endAfterSilence(this.#stallMs, address);
    if (withinMs !== undefined) watch.endAfter(withinMs, address);
    const end = () => {
      watch.end();
      endTurn();
    };
    try {
      const reply = await this.#wire.ask({ address, headers, hosts, signal: watch.signal });
      watch.heard(leastBytes);
      const discard = () => {
        reply.discard();
        end();
      };
      return { ...reply, body: watched(reply.body, watch, end), discard };
    } catch (error) {
      end();
      throw watch.causeOf(error);
    }
  }

  #accepted(reply: Reply, address: URL): Answer {
    const { status } = reply;
    if (answers.has(status)) return { ...reply, address };
    reply.discard();
    const { hostname: host } = address;
    if (status === 404 && this.#wire.asks === 'a mirror')
      throw new TransferFailed(
        'not there',
        `The mirror has no copy of ${shown(address)}; add it, as \`wget -x\` would name it, or ask the publisher itself.`,
        { host, status },
      );
    if (status === 429 || status === 503) {
      const nowMs = this.#clock.now();
      const waitMs = retryAfterMs(reply.header('retry-after'), reply.header('date'), nowMs);
      if (waitMs !== undefined && waitMs > patienceMs) {
        this.#manners.stayAway(host, nowMs + waitMs);
        throw toldToWait(host, nowMs + waitMs, 'no use');
      }
      if (waitMs !== undefined) {
        this.#manners.hold(host, waitMs);
        throw toldToWait(host, nowMs + waitMs, 'after a pause');
      }
    }
    throw byStatus(status, address);
  }
}

/** Ends an exchange from outside: by the caller's signal, after silence, after a time. */
class Watch {
  readonly #clock: Clock;
  readonly #caller: AbortSignal;
  readonly #wire = new AbortController();
  readonly #over = new AbortController();
  readonly #stop = () => this.#wire.abort(stopped());
  #heard = 0;
  /** While we write what came, silence is ours. */
  #turn: 'theirs' | 'ours' = 'theirs';

  constructor(clock: Clock, caller: AbortSignal) {
    this.#clock = clock;
    this.#caller = caller;
    caller.addEventListener('abort', this.#stop);
    if (caller.aborted) this.#stop();
  }

  get signal(): AbortSignal {
    return this.#wire.signal;
  }

  heard(bytes: number): void {
    this.#heard += bytes;
  }

  turnTo(whose: 'theirs' | 'ours'): void {
    this.#turn = whose;
  }

  async endAfterSilence(ms: number, address: URL): Promise<void> {
    for (;;) {
      const before = this.#heard;
      await this.#clock.wait(ms, this.#over.signal);
      if (this.#over.signal.aborted) return;
      if (this.#turn === 'theirs' && this.#heard < before + leastBytes) break;
    }
    this.#wire.abort(tooSlow(`sent almost nothing for ${ms / 1000} seconds`, address));
  }

  async endAfter(ms: number, address: URL): Promise<void> {
    await this.#clock.wait(ms, this.#over.signal);
    if (this.#over.signal.aborted) return;
    this.#wire.abort(tooSlow(`took longer than ${ms / 1000} seconds`, address));
  }

  end(): void {
    this.#over.abort();
    this.#caller.removeEventListener('abort', this.#stop);
  }

  /** Why it failed: what ended it here, or else what the wire says. */
  causeOf(error: unknown): unknown {
    return this.#wire.signal.aborted ? this.#wire.signal.reason : error;
  }
}

async function* watched(
  body: AsyncIterable<Uint8Array>,
  watch: Watch,
  end: () => void,
): AsyncGenerator<Uint8Array> {
  try {
    for await (const chunk of body) {
      watch.heard(chunk.byteLength);
      watch.turnTo('ours');
      yield chunk;
      watch.turnTo('theirs');
    }
  } catch (error) {
    throw watch.causeOf(error);
  } finally {
    end();
  }
}

const tooSlow = (what: string, address: URL): TransferFailed =>
  new TransferFailed('stalled', `${shown(address)} ${what}; run it again to continue.`, {
    host: address.hostname,
  });

export function byStatus(status: number, address: URL): TransferFailed {
  const { hostname: host } = address;
  if (status === 404 || status === 410)
    return new TransferFailed(
      'not there',
      `${shown(address)} is not there (${status}); look at the page of the publication for the new address of its files.`,
      { host, status },
    );
  const mayPass = status >= 500 || status === 408 || status === 429;
  const next = mayPass ? 'try again later' : 'look at the page of the publication';
  return new TransferFailed('refused by status', `${shown(address)} answered ${status}; ${next}.`, {
    host,
    status,
    again: mayPass ? 'after a pause' : 'no use',
  });
}
