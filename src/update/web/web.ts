// The web as an update sees it: publishers' indexes to read and files to fetch, from themselves or from a mirror.

import { statSync } from 'node:fs';
import { DiskAllowance } from '../../release/disk-pace.ts';
import { tryAgain } from './again.ts';
import type { Clock } from './clock.ts';
import { type Bounds, type HtmlDocument, type JsonDocument, readHtml, readJson } from './document.ts';
import { conditionsOf, download, type Order, type Outcome } from './download.ts';
import { type Answer, byStatus, Exchange } from './exchange.ts';
import { TransferFailed } from './failure.ts';
import { Flow } from './flow.ts';
import { folderWire } from './folder-wire.ts';
import { httpWire } from './http-wire.ts';
import { type Limits, Manners, usualLimits } from './manners.ts';
import type { Validators } from './part.ts';
import type { Wire } from './wire.ts';

export type WebOptions = {
  /** The address of a mirror, or a folder. Undefined: the publishers themselves. */
  readonly from?: string;
  readonly version: string;
  /** How a publisher reaches who asks, where the operator has said it. */
  readonly contact: string | undefined;
  readonly clock: Clock;
  /** By host: `retryAt` of failures of earlier runs. */
  readonly notBefore?: ReadonlyMap<string, number>;
  readonly limits?: Partial<Limits>;
  /** A transfer that is silent for so long is ended, and begun again. */
  readonly stallMs?: number;
  /** For an index, from question to last byte. */
  readonly documentMs?: number;
  /** After so many bytes, what came is made safe against a kill. */
  readonly safeEveryBytes?: number;
  /** For all files together. Undefined: as fast as they come. */
  readonly bytesPerSecond?: number;
};

export type Peek =
  | { readonly kind: 'unchanged' }
  | { readonly kind: 'there'; readonly bytes: number | undefined; readonly lastModified: string | undefined };

type PeekOrder = {
  readonly hosts: readonly string[];
  /** Of the version that is here already. */
  readonly known: Validators | undefined;
  readonly signal: AbortSignal;
};

export class Web {
  readonly #wire: Wire;
  readonly #exchange: Exchange;
  readonly #options: WebOptions;
  readonly #flow: Flow | undefined;
  readonly #closed = new AbortController();

  /** Throws TransferFailed where `from` is neither an address nor a folder. */
  constructor(options: WebOptions) {
    const { clock, notBefore = new Map<string, number>(), limits, stallMs = 60_000 } = options;
    this.#options = options;
    const { bytesPerSecond } = options;
    this.#flow =
      bytesPerSecond === undefined ? undefined : new Flow(new DiskAllowance(bytesPerSecond), clock);
    this.#wire = openWire(options);
    const manners = new Manners({ ...usualLimits, ...limits }, clock, notBefore, this.#closed.signal);
    this.#exchange = new Exchange(this.#wire, manners, clock, stallMs);
  }

  readDocument(address: string, bounds: Bounds & { readonly expects: 'json' }): Promise<JsonDocument>;
  readDocument(address: string, bounds: Bounds & { readonly expects: 'html' }): Promise<HtmlDocument>;
  readDocument(address: string, bounds: Bounds & { readonly expects: 'json' | 'html' }) {
    const { mostBytes } = bounds;
    return this.#withAnswer<JsonDocument | HtmlDocument>(address, bounds, (answer) =>
      bounds.expects === 'json' ? readJson(answer, mostBytes) : readHtml(answer, mostBytes),
    );
  }

  /** Whether there is a file at an address. Nothing of it is read. */
  isThere(address: string, bounds: Omit<Bounds, 'mostBytes'>): Promise<boolean> {
    return this.#withAnswer(address, bounds, async () => true).catch((error: unknown) => {
      if (error instanceof TransferFailed && error.kind === 'not there') return false;
      throw error;
    });
  }

  /** What a file is now, by the headers of its answer; nothing of it is read. */
  peek(address: string, { hosts, known, signal }: PeekOrder): Promise<Peek> {
    return this.#asked(address, { hosts, signal }, conditionsOf(known), async ({ status, header }) => {
      if (status === 304 && known !== undefined) return { kind: 'unchanged' };
      const length = header('content-length');
      return {
        kind: 'there',
        bytes: length !== undefined && /^\d+$/.test(length) ? Number(length) : undefined,
        lastModified: header('last-modified'),
      };
    });
  }

  /** Files of different names may be fetched at the same time. */
  download(order: Order): Promise<Outcome> {
    const { clock, safeEveryBytes = 1 << 26 } = this.#options;
    return download(order, { exchange: this.#exchange, clock, safeEveryBytes, flow: this.#flow });
  }

  /** When nothing is asked for any more. A process would otherwise live as long as a host asked to be left alone. */
  close(): void {
    this.#closed.abort();
    this.#wire.close();
  }

  #withAnswer<T>(
    address: string,
    bounds: Omit<Bounds, 'mostBytes'>,
    read: (answer: Answer) => Promise<T>,
  ): Promise<T> {
    return this.#asked(address, bounds, {}, (answer) => {
      if (answer.status !== 200) throw byStatus(answer.status, answer.address);
      return read(answer);
    });
  }

  #asked<T>(
    address: string,
    { hosts, signal = new AbortController().signal }: Omit<Bounds, 'mostBytes'>,
    headers: Readonly<Record<string, string>>,
    read: (answer: Answer) => Promise<T>,
  ): Promise<T> {
    const { clock, documentMs = 120_000 } = this.#options;
    const attempt = async () => {
      const answer = await this.#exchange.ask({ address, hosts, headers, signal, withinMs: documentMs });
      try {
        return await read(answer);
      } finally {
        answer.discard();
      }
    };
    return tryAgain(attempt, () => false, clock, signal);
  }
}

function openWire({ from, version, contact }: WebOptions): Wire {
  const userAgent = `Domesday/${version} (${contact === undefined ? 'self-hosted' : `+${contact}`})`;
  if (from === undefined) return httpWire({ userAgent });
  const mirror = /^https?:\/\//i.test(from) ? URL.parse(from) : null;
  if (mirror !== null && mirror.search === '' && mirror.hash === '') return httpWire({ userAgent, mirror });
  if (statSync(from, { throwIfNoEntry: false })?.isDirectory() === true) return folderWire(from);
  throw new TransferFailed(
    'no mirror',
    'is neither an http(s) address without a query nor a folder that is there.',
  );
}
