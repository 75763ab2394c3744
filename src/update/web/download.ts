// Fetches one file whole: into a part beside its place, resumed where a connection broke or a run was killed, checked for
// length and hash, and only then under its name. One run a folder at a time: the caller holds the lock of the home.

import { mkdir, statfs } from 'node:fs/promises';
import { errorCode } from '../../errno.ts';
import { tryAgain } from './again.ts';
import type { Clock } from './clock.ts';
import { refuseEncoded } from './document.ts';
import { type Answer, byStatus, type Exchange } from './exchange.ts';
import { type FailureKind, shown, TransferFailed } from './failure.ts';
import type { Flow } from './flow.ts';
import { Part, type Validators } from './part.ts';
import { beginningBytes, isWebPage } from './web-page.ts';

export type Order = {
  readonly address: string;
  readonly hosts: readonly string[];
  /** Is made where it is not there. */
  readonly folder: string;
  readonly fileName: string;
  /** A file beyond this is not taken. */
  readonly mostBytes: number;
  /** As the publisher's index has it. */
  readonly bytes?: number;
  readonly md5?: string;
  /** Of the version that is here already: the outcome may then be `unchanged`. */
  readonly known?: Validators;
  readonly onProgress?: (bytes: number, total: number | undefined) => void;
  readonly signal?: AbortSignal;
};

export type Outcome =
  | { readonly kind: 'unchanged' }
  | {
      readonly kind: 'fetched';
      readonly file: string;
      readonly bytes: number;
      readonly sha256: string;
      /** To be given as `known` next time. */
      readonly validators: Validators;
    };

type Means = {
  readonly exchange: Exchange;
  readonly clock: Clock;
  /** After so many bytes, what came is made safe against a kill. */
  readonly safeEveryBytes: number;
  /** Undefined: as fast as they come. */
  readonly flow: Flow | undefined;
};

/** Whoever sends so much between two breaks may break as often as it likes. */
const gainBytes = 1 << 26;

/** After these, what came is of no use. */
const condemning: ReadonlySet<FailureKind> = new Set([
  'too large',
  'wrong length',
  'wrong checksum',
  'web page instead of data',
  'encoded',
  'changed while fetched',
]);

/** Throws TransferFailed. A part that may be gone on with is left for the next run. */
export async function download(order: Order, means: Means): Promise<Outcome> {
  refuseName(order.fileName);
  try {
    await mkdir(order.folder, { recursive: true });
    const { folder, fileName, address, md5, signal = new AbortController().signal } = order;
    const alsoHash = md5 === undefined ? 'nothing' : 'md5';
    const part = await Part.open({ folder, fileName, address, alsoHash }, signal);
    try {
      const outcome = await new Fetching(order, means, part, signal).run();
      if (outcome.kind === 'unchanged') await part.drop();
      return outcome;
    } catch (error) {
      const isOfNoUse = error instanceof TransferFailed && condemning.has(error.kind);
      if (isOfNoUse || part.bytes === 0) await part.drop();
      else await leave(part);
      throw error;
    }
  } catch (error) {
    throw isDiskFull(error) ? diskFull(order, 'There is no room left') : error;
  }
}

/** Where its note cannot be written, the one before still holds, for less. */
async function leave(part: Part): Promise<void> {
  try {
    await part.makeSafe();
  } finally {
    await part.close();
  }
}

class Fetching {
  readonly #order: Order;
  readonly #means: Means;
  readonly #part: Part;
  readonly #signal: AbortSignal;
  /** The most that was ever there, counted in steps of a gain. */
  #gains: number;
  /** Bytes of several answers are together in the part. */
  #isResumed: boolean;
  /** As far as the index or an answer told. */
  #total: number | undefined;
  #restarts = 0;

  constructor(order: Order, means: Means, part: Part, signal: AbortSignal) {
    this.#order = order;
    this.#means = means;
    this.#part = part;
    this.#signal = signal;
    this.#gains = Math.floor(part.bytes / gainBytes);
    this.#isResumed = part.bytes > 0;
    this.#total = order.bytes ?? part.version?.bytes;
  }

  run(): Promise<Outcome> {
    return tryAgain(
      () => this.#attempt(),
      () => this.#hasGained(),
      this.#means.clock,
      this.#signal,
    );
  }

  #hasGained(): boolean {
    const gains = Math.floor(this.#part.bytes / gainBytes);
    if (gains <= this.#gains) return false;
    this.#gains = gains;
    return true;
  }

  async #attempt(): Promise<Outcome> {
    for (;;) {
      const outcome = await this.#fetch();
      if (outcome.kind !== 'not one file') return outcome;
      // Once is a new edition; twice is a server that cannot be asked for parts.
      this.#restarts += 1;
      if (this.#restarts > 1)
        throw this.#failure('changed while fetched', 'changes during the download; try again later.');
      await this.#part.empty();
    }
  }

  async #fetch(): Promise<Outcome | { readonly kind: 'not one file' }> {
    const { address, hosts, known } = this.#order;
    const mark = this.#resumeMark();
    const headers = {
      ...conditionsOf(known),
      ...(mark === undefined ? {} : { range: `bytes=${this.#part.bytes}-`, 'if-range': mark }),
    };
    const answer = await this.#means.exchange.ask({ address, hosts, headers, signal: this.#signal });
    try {
      if (answer.status === 304 && known !== undefined) return { kind: 'unchanged' };
      if (answer.status === 416 && mark !== undefined) return { kind: 'not one file' };
      if (answer.status === 206 && mark !== undefined) {
        if (!this.#continues(answer)) return { kind: 'not one file' };
        this.#isResumed = true;
      } else if (answer.status === 200) await this.#begin(answer);
      else throw byStatus(answer.status, answer.address);
      await this.#refuseWithoutRoom();
      await this.#readBody(answer);
      return await this.#finish();
    } finally {
      answer.discard();
    }
  }

  /** What makes a server send the rest only of the same version: a strong ETag, or else its time. */
  #resumeMark(): string | undefined {
    const { bytes, version } = this.#part;
    // The index speaks of another version by now.
    if (bytes === 0 || (version?.bytes ?? this.#total) !== this.#total) return undefined;
    const { etag, lastModified } = version?.validators ?? {};
    return etag?.startsWith('"') === true ? etag : lastModified;
  }

  /** Whether a partial answer goes on where the part ends, in the same version of the file. */
  #continues({ header }: Answer): boolean {
    const { version } = this.#part;
    const range = /^bytes (\d+)-(\d+)\/(\d+|\*)$/.exec(header('content-range') ?? '');
    if (range === null || version === undefined) return false;
    const [, start = '', end = '', total = ''] = range;
    const { etag, lastModified } = version.validators;
    const isSame = (ours: string | undefined, theirs: string | undefined) =>
      ours === undefined || theirs === undefined || ours === theirs;
    // Without a total, the end of this answer would be taken for the end of the file.
    this.#total ??= total === '*' ? undefined : Number(total);
    return (
      Number(start) === this.#part.bytes &&
      Number(end) + 1 === this.#total &&
      (total === '*' || Number(total) === this.#total) &&
      isSame(etag, header('etag')) &&
      isSame(lastModified, header('last-modified')) &&
      isWhole(header('content-encoding'))
    );
  }

  async #begin({ header, address }: Answer): Promise<void> {
    refuseEncoded(header('content-encoding'), address);
    const length = header('content-length');
    const announced = length !== undefined && /^\d+$/.test(length) ? Number(length) : undefined;
    const { bytes, mostBytes } = this.#order;
    if (announced !== undefined && bytes !== undefined && announced !== bytes)
      throw this.#wrongLength(announced);
    const total = announced ?? bytes;
    if (total === 0) throw this.#failure('wrong length', 'is empty; look at the page of the publication.');
    if (total !== undefined && total > mostBytes) throw this.#tooLarge(`has ${total} bytes`);
    const [etag, lastModified] = [header('etag'), header('last-modified')];
    const validators = {
      ...(etag === undefined ? {} : { etag }),
      ...(lastModified === undefined ? {} : { lastModified }),
    };
    this.#isResumed = false;
    this.#total = total;
    await this.#part.beginAnew({ validators, bytes: total });
  }

  /** Before the disk is full: the ledger may be on it. */
  async #refuseWithoutRoom(): Promise<void> {
    const { blocks, bavail, bsize } = await statfs(this.#order.folder);
    // Some network disks do not tell.
    if (this.#total === undefined || blocks === 0) return;
    const [needed, free] = [this.#total - this.#part.bytes, bavail * bsize];
    if (needed > free)
      throw diskFull(this.#order, `${needed} bytes are to come, and there is room for ${free}`);
  }

  async #readBody(answer: Answer): Promise<void> {
    const { onProgress, mostBytes } = this.#order;
    const total = this.#total;
    const body = this.#part.bytes === 0 ? this.#unlessWebPage(answer.body) : answer.body;
    onProgress?.(this.#part.bytes, total);
    for await (const chunk of body) {
      const bytes = this.#part.bytes + chunk.byteLength;
      if (bytes > mostBytes) throw this.#tooLarge(`has ${bytes} bytes or more`);
      if (total !== undefined && bytes > total) throw this.#wrongLength(bytes);
      const write = () => this.#part.append(chunk);
      await (this.#means.flow?.pass(chunk.byteLength, write, this.#signal) ?? write());
      if (this.#part.hasUnsafe(this.#means.safeEveryBytes)) await this.#part.makeSafe();
      onProgress?.(bytes, total);
    }
  }

  /** Holds the first bytes back until they show what it is. */
  async *#unlessWebPage(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    let held: Uint8Array | undefined = new Uint8Array();
    for await (const chunk of body) {
      if (held === undefined) {
        yield chunk;
        continue;
      }
      held = Buffer.concat([held, chunk]);
      if (held.byteLength < beginningBytes) continue;
      yield this.#noWebPage(held);
      held = undefined;
    }
    if (held !== undefined && held.byteLength > 0) yield this.#noWebPage(held);
  }

  #noWebPage(beginning: Uint8Array): Uint8Array {
    if (!isWebPage(beginning)) return beginning;
    throw this.#failure(
      'web page instead of data',
      'should be a file but is a web page; try again later, or look at the page of the publication.',
    );
  }

  async #finish(): Promise<Outcome | { readonly kind: 'not one file' }> {
    const { bytes, version } = this.#part;
    if (bytes === 0 || bytes !== (this.#total ?? bytes)) throw this.#wrongLength(bytes);
    const [sha256 = '', md5] = this.#part.hashes();
    if (md5 !== this.#order.md5?.toLowerCase()) {
      if (this.#isResumed) return { kind: 'not one file' };
      throw this.#failure(
        'wrong checksum',
        `has the MD5 ${md5}, but its index says ${this.#order.md5}; try again later.`,
      );
    }
    return {
      kind: 'fetched',
      file: await this.#part.finish(),
      bytes,
      sha256,
      validators: version?.validators ?? {},
    };
  }

  #wrongLength(bytes: number): TransferFailed {
    const wanted = this.#order.bytes ?? this.#total ?? 'more';
    return this.#failure('wrong length', `has ${bytes} bytes but should have ${wanted}; try again later.`);
  }

  #tooLarge(what: string): TransferFailed {
    return this.#failure(
      'too large',
      `${what}, and more than ${this.#order.mostBytes} are not accepted; check on the page of the publication whether it is still the same file.`,
    );
  }

  #failure(kind: FailureKind, message: string): TransferFailed {
    const address = new URL(this.#order.address);
    return new TransferFailed(kind, `${shown(address)} ${message}`, { host: address.hostname });
  }
}

export function conditionsOf({ etag, lastModified }: Validators = {}): Record<string, string> {
  if (etag !== undefined) return { 'if-none-match': etag };
  return lastModified === undefined ? {} : { 'if-modified-since': lastModified };
}

const isWhole = (encoding: string | undefined) => encoding === undefined || encoding === 'identity';

function refuseName(name: string): void {
  const isOurs = /\.part(\.json)?$/i.test(name);
  if (!isOurs && /^[^./\\:*?"<>|\p{Cc}][^/\\:*?"<>|\p{Cc}]*$/u.test(name) && Buffer.byteLength(name) <= 200)
    return;
  throw new TransferFailed(
    'unusable name',
    `A file cannot be called ${JSON.stringify(name)} here; fetch it yourself and give it to \`domesday ingest\`.`,
  );
}

const full = ['ENOSPC', 'EDQUOT'];
const isDiskFull = (error: unknown): boolean => full.some((code) => code === errorCode(error));

const diskFull = ({ folder }: Order, what: string): TransferFailed =>
  new TransferFailed(
    'disk full',
    `${what} on the disk of ${folder}; make room and run it again: it goes on where it stopped.`,
  );
