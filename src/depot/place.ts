// Where a replica fetches releases from: a web server, a bucket or a folder. Whatever it is, keys are asked for in one way.

import { BlockList, isIP } from 'node:net';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Clock } from '../update/web/clock.ts';
import { type FailureKind, shown, TransferFailed } from '../update/web/failure.ts';
import { folderWire } from '../update/web/folder-wire.ts';
import { httpWire } from '../update/web/http-wire.ts';
import type { Wire } from '../update/web/wire.ts';
import { DepotFault, type FaultKind } from './fault.ts';
import { emptySha256, isS3Address, readBucket, signRequest } from './s3-address.ts';

export type Place = {
  readonly wire: Wire;
  readonly addressOf: (key: string) => string;
  /** As messages have it: without a query, which may hold a token. */
  readonly shown: string;
};

type Asking = {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly userAgent: string;
  /** Whether signatures are asked for: then nobody between can change anything unnoticed. */
  readonly proof: 'signatures' | 'none';
  readonly clock: Pick<Clock, 'now'>;
};

/** Throws DepotFault. A folder need not be there. */
export function openPlace(text: string, asking: Asking): Place {
  if (isS3Address(text)) return openBucket(text, asking);
  if (/^[a-z][a-z0-9+.-]+:\/\//i.test(text)) return openWeb(text, asking);
  return openFolder(path.resolve(text));
}

function openWeb(text: string, asking: Asking): Place {
  const base = URL.parse(text);
  if (base === null || !/^https?:$/.test(base.protocol) || base.username !== '' || base.hash !== '')
    throw new DepotFault(
      'refused',
      'DOMESDAY_RELEASES_URL must be an https address, s3://BUCKET/PREFIX or a folder; a name or password in it is not used.',
    );
  refusePlain(base, asking);
  const folder = base.pathname.replace(/\/+$/, '');
  const addressOf = (key: string) => {
    const address = new URL(base);
    address.pathname = `${folder}/${key}`;
    return address.href;
  };
  const wire = httpWire({ userAgent: asking.userAgent, refusal: within(base) });
  return { wire, addressOf, shown: shown(base) };
}

function openBucket(text: string, asking: Asking): Place {
  const { root, addressOf, credentials } = readBucket(text, asking.env);
  refusePlain(root, asking);
  const authorise = (address: URL) =>
    signRequest({ method: 'GET', address, sha256: emptySha256, atMs: asking.clock.now() }, credentials);
  const wire = httpWire({ userAgent: asking.userAgent, refusal: within(root), authorise });
  return { wire, addressOf: (key) => addressOf(key).href, shown: text };
}

function openFolder(folder: string): Place {
  const base = pathToFileURL(`${folder}/`);
  const wire = folderWire(folder, {
    asks: 'the publisher',
    refusal: within(base),
    namesOf: ({ pathname }) => [decodeURIComponent(pathname.slice(base.pathname.length))],
  });
  return { wire, addressOf: (key) => new URL(key, base).href, shown: folder };
}

/** Nothing is asked of anybody else, wherever a redirect leads. */
const within =
  (base: URL): Wire['refusal'] =>
  (address) =>
    address.protocol === base.protocol && address.host === base.host
      ? undefined
      : new TransferFailed(
          'moved to another host',
          `${shown(base)} redirects to ${address.protocol}//${address.host}. The replica fetches nothing from there; if it is the right place, set DOMESDAY_RELEASES_URL to it.`,
          { host: base.hostname },
        );

const loopback = new BlockList();
loopback.addSubnet('127.0.0.0', 8, 'ipv4');
loopback.addAddress('::1', 'ipv6');

function isThisMachine({ hostname }: URL): boolean {
  const host = hostname.replace(/^\[|\]$/g, '');
  const family = isIP(host);
  return family === 0 ? host === 'localhost' : loopback.check(host, family === 4 ? 'ipv4' : 'ipv6');
}

function refusePlain(base: URL, { proof }: Asking): void {
  if (base.protocol === 'https:' || isThisMachine(base) || proof === 'signatures') return;
  throw new DepotFault(
    'refused',
    `${shown(base)} is not https, so anybody on the way could change the data. Use https, or sign releases (\`domesday releases keygen FILE\`) and set DOMESDAY_RELEASE_PUBLIC_KEY.`,
  );
}

const kinds: Partial<Record<FailureKind, FaultKind>> = {
  'not there': 'missing',
  'refused by status': 'refused',
  'told to wait': 'waiting',
  'moved to another host': 'refused',
  'too many redirects': 'refused',
  'not trusted': 'refused',
  'too large': 'invalid',
  'wrong length': 'invalid',
  'web page instead of data': 'invalid',
  encoded: 'invalid',
  'changed while fetched': 'invalid',
  'disk full': 'disk full',
  stopped: 'stopped',
};

/** A transfer's failure, in the words of whoever follows releases. Others are returned as they are. */
export function depotFault(error: unknown, place: Place, key: string): unknown {
  if (error instanceof TransferFailed)
    return new DepotFault(kinds[error.kind] ?? 'unreachable', messageOf(error, place, key), error.retryAt);
  // A folder that is not there, or may not be read.
  if (error instanceof Error && 'code' in error && 'syscall' in error && isAboutReading(error.syscall))
    return new DepotFault(
      'unreachable',
      `${place.shown} cannot be read (${error.code}); check that it is there.`,
    );
  return error;
}

const isAboutReading = (syscall: unknown): boolean =>
  ['open', 'stat', 'realpath', 'lstat', 'readlink', 'scandir'].some((name) => name === syscall);

function messageOf({ kind, message, status }: TransferFailed, place: Place, key: string): string {
  switch (kind) {
    case 'not there':
      return `There is no ${key} at ${place.shown}; check DOMESDAY_RELEASES_URL, and that something was published there (\`domesday releases publish\`).`;
    case 'refused by status':
      return `${place.shown} answered ${status} when asked for ${key}; check that this replica may read it, and that both clocks are right.`;
    case 'too many redirects':
    case 'too large':
    case 'web page instead of data':
    case 'encoded':
      return `What ${place.shown} gives for ${key} is not what was published (${kind}); check DOMESDAY_RELEASES_URL.`;
    default:
      return message;
  }
}
