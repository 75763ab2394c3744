// A bucket as the target of publishing. The store proves each body against the hash that its request is signed with.

import { createReadStream } from 'node:fs';
import { request as askHttp, type IncomingMessage } from 'node:http';
import { request as askHttps } from 'node:https';
import { pipeline } from 'node:stream/promises';
import { errorCode } from '../errno.ts';
import { minuteMs } from '../time.ts';
import { tryAgain } from '../update/web/again.ts';
import type { Clock } from '../update/web/clock.ts';
import { TransferFailed } from '../update/web/failure.ts';
import { DepotFault } from './fault.ts';
import type { Content } from './format.ts';
import { textContent } from './hashing.ts';
import { type Bucket, emptySha256, signRequest } from './s3-address.ts';
import type { Stored, Target } from './target.ts';

/** What stores take by one request. */
const mostBytes = 5 * 2 ** 30;
/** A silent connection is given up. */
const stallMs = minuteMs;

type Body = {
  readonly content: Content;
  readonly source: { readonly file: string } | { readonly text: string };
};

type Wish = {
  readonly method: 'GET' | 'PUT' | 'DELETE';
  readonly address: URL;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Body;
};

type Told = { readonly status: number; readonly etag: string; readonly text: string };

export function s3Target(shown: string, bucket: Bucket, clock: Clock): Target {
  const ask = (wish: Wish) => askStore(wish, bucket, clock);
  const put = (key: string, body: Body, headers: Readonly<Record<string, string>>) =>
    ask({ method: 'PUT', address: bucket.addressOf(key), headers, body });
  return {
    shown,
    // A store has no locks: the pointer is written only over the one that was read.
    lock: () => ({ release: () => {} }),
    read: async (key, most) => {
      const { status, text, etag } = await ask({ method: 'GET', address: bucket.addressOf(key) });
      if (status === 404) return undefined;
      if (text.length > most) throw new DepotFault('invalid', `${shown}/${key} is much too large.`);
      return { text, tag: etag };
    },
    list: (prefix) => listAll(prefix, bucket, ask),
    putFile: async (key, file, content) => {
      if (content.bytes > mostBytes)
        throw new DepotFault(
          'refused',
          `${file} is larger than a store takes at once (5 GB); publish to a folder.`,
        );
      await put(key, { content, source: { file } }, { 'cache-control': unchanging });
    },
    putText: async (key, text, keeping) => {
      const body = { content: textContent(text), source: { text } };
      if (keeping === 'for ever') await put(key, body, { 'cache-control': unchanging });
      else if (keeping === 'nothing')
        await put(key, body, { 'cache-control': 'no-cache', 'if-none-match': '*' });
      else await put(key, body, { 'cache-control': 'no-cache', 'if-match': keeping.tag });
    },
    remove: async (key) => void (await ask({ method: 'DELETE', address: bucket.addressOf(key) })),
  };
}

const unchanging = 'public, max-age=31536000, immutable';

async function listAll(
  prefix: string,
  bucket: Bucket,
  ask: (wish: Wish) => Promise<Told>,
): Promise<readonly Stored[]> {
  const found: Stored[] = [];
  for (let from: string | undefined = ''; from !== undefined; ) {
    const address = new URL(bucket.root);
    // A bucket in the path is asked for without the slash behind it, as the official programs do.
    address.pathname = address.pathname.replace(/(?<=.)\/$/, '');
    address.searchParams.set('list-type', '2');
    address.searchParams.set('prefix', `${bucket.prefix}${prefix}`);
    if (from !== '') address.searchParams.set('continuation-token', from);
    // As it is signed: a plus sign would stand for a space.
    address.search = address.search.replaceAll('+', '%20');
    const { text } = await ask({ method: 'GET', address });
    for (const [, entry = ''] of text.matchAll(/<Contents>([\s\S]*?)<\/Contents>/g)) {
      const [key, bytes, changedAt] = ['Key', 'Size', 'LastModified'].map((name) => within(entry, name));
      if (key === undefined || bytes === undefined || changedAt === undefined)
        throw new DepotFault('invalid', 'The store lists its objects in a way that is not understood here.');
      const changedAtMs = Date.parse(changedAt);
      found.push({ key: key.slice(bucket.prefix.length), bytes: Number(bytes), changedAtMs });
    }
    from = within(text, 'IsTruncated') === 'true' ? within(text, 'NextContinuationToken') : undefined;
  }
  return found;
}

const entities: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

function within(xml: string, name: string): string | undefined {
  const text = new RegExp(`<${name}>([^<]*)</${name}>`).exec(xml)?.[1];
  return text?.replace(/&(amp|lt|gt|quot|apos);/g, (whole, entity: string) => entities[entity] ?? whole);
}

/** Of status 200, 204 or 404. */
async function askStore(wish: Wish, { credentials }: Bucket, clock: Clock): Promise<Told> {
  const attempt = async (): Promise<Told> => {
    const { method, address, headers, body } = wish;
    const sha256 = body?.content.sha256 ?? emptySha256;
    const signed = await signRequest(
      { method, address, headers: headers ?? {}, sha256, atMs: clock.now() },
      credentials,
    );
    const told = await send(wish, signed);
    if ([200, 204, 404].includes(told.status) && !(method === 'PUT' && told.status === 404)) return told;
    throw refusalOf(wish, told);
  };
  try {
    return await tryAgain(attempt, () => false, clock, new AbortController().signal);
  } catch (error) {
    if (error instanceof TransferFailed) throw new DepotFault('unreachable', error.message);
    throw error;
  }
}

function refusalOf({ address }: Wish, { status, text }: Told): Error {
  const host = address.host;
  const code = within(text, 'Code') ?? 'no reason';
  if (status >= 500 || status === 429 || status === 408)
    return new TransferFailed(
      'unreachable',
      `The store ${host} answered ${status} (${code}); try again later.`,
    );
  if (status === 412 || status === 409)
    return new DepotFault(
      'conflict',
      'Another process has published there in the meantime; check what is the newest now, and publish again.',
    );
  return new DepotFault(
    'refused',
    `The store ${host} answered ${status} (${code}); check the bucket, the credentials and their rights, AWS_REGION, AWS_ENDPOINT_URL and the clock.`,
  );
}

async function send(
  { method, address, body }: Wish,
  headers: Readonly<Record<string, string>>,
): Promise<Told> {
  const options = { method, headers: { ...headers, 'content-length': String(body?.content.bytes ?? 0) } };
  const request = address.protocol === 'https:' ? askHttps(address, options) : askHttp(address, options);
  const answered = new Promise<IncomingMessage>((resolve, reject) => {
    request.on('response', resolve).on('error', reject);
    request.setTimeout(stallMs, () => request.destroy(new Error('ETIMEDOUT')));
  });
  try {
    const source = body?.source;
    if (source !== undefined && 'file' in source) {
      // A store that refuses at once answers before all is sent.
      const sent = pipeline(createReadStream(source.file, { highWaterMark: 1 << 20 }), request);
      sent.catch(() => {});
    } else request.end(source?.text);
    const response = await answered;
    let text = '';
    for await (const chunk of response.setEncoding('utf8')) text += chunk;
    return { status: response.statusCode ?? 0, etag: response.headers.etag ?? '', text };
  } catch (error) {
    const code = errorCode(error) ?? String(error);
    throw new TransferFailed(
      'unreachable',
      `The store ${address.host} cannot be reached (${code}); try again.`,
    );
  }
}
