// Asks over https, or asks a mirror, which may be plain http. Connections are kept for the next question; nothing is
// decompressed and no redirect followed.

import { request as askHttp, Agent as HttpAgent, type IncomingMessage } from 'node:http';
import { request as askHttps, Agent as HttpsAgent } from 'node:https';
import { shown, TransferFailed } from './failure.ts';
import { publishersRule } from './publishers-rule.ts';
import type { Question, Wire } from './wire.ts';

type Options = {
  readonly userAgent: string;
  readonly mirror?: URL;
  readonly refusal?: Wire['refusal'];
  /** Headers that prove who asks. */
  readonly authorise?: (address: URL) => Promise<Readonly<Record<string, string>>>;
};

// Where a mirror keeps what a publisher keeps elsewhere: https://HOST/PATH?QUERY lies at MIRROR/HOST/PATH?QUERY, as
// `wget -x` lays it out.

/** The mirror's own address may be plain http: it is the operator's choice. */
function mirroredAddress(mirror: URL, { hostname, pathname, search }: URL): URL {
  const mirrored = new URL(mirror);
  mirrored.pathname = `${folderOf(mirror)}${hostname}${pathname}`;
  mirrored.search = search;
  return mirrored;
}

/** What a redirect of the mirror means. It may name the publisher's address, or the mirror's copy of it; a path alone is the
 *  mirror's where it begins with a host of the publication, else the publisher's. */
function publishedAddress(mirror: URL, location: string, asked: URL, hosts: readonly string[]): URL | null {
  const within = URL.parse(location, mirroredAddress(mirror, asked));
  const folder = folderOf(mirror);
  if (within !== null && within.origin === mirror.origin && within.pathname.startsWith(folder)) {
    const [host = '', ...steps] = within.pathname.slice(folder.length).split('/');
    if (hosts.includes(host)) return URL.parse(`https://${host}/${steps.join('/')}${within.search}`);
  }
  return URL.parse(location, asked);
}

const folderOf = ({ pathname }: URL): string => (pathname.endsWith('/') ? pathname : `${pathname}/`);

export function httpWire({
  userAgent,
  mirror,
  refusal = publishersRule,
  authorise = async () => ({}),
}: Options): Wire {
  const plain = new HttpAgent({ keepAlive: true });
  const secure = new HttpsAgent({ keepAlive: true });
  return {
    refusal,
    asks: mirror === undefined ? 'the publisher' : 'a mirror',
    ask: async (question) => {
      const { address, hosts } = question;
      const target = mirror === undefined ? address : mirroredAddress(mirror, address);
      const headers = {
        'user-agent': userAgent,
        'accept-encoding': 'identity',
        ...question.headers,
        ...(await authorise(target)),
      };
      const { signal } = question;
      const response = await new Promise<IncomingMessage>((resolve, reject) => {
        const request =
          target.protocol === 'https:'
            ? askHttps(target, { agent: secure, headers, signal })
            : askHttp(target, { agent: plain, headers, signal });
        // A second error, of a connection that is being closed, has nobody left to tell.
        request.on('error', (error) => reject(notReached(error, question, mirror)));
        request.on('response', resolve);
        request.end();
      });
      const { location } = response.headers;
      return {
        status: response.statusCode ?? 0,
        header: (name) => {
          const value = response.headers[name];
          return typeof value === 'string' ? value : undefined;
        },
        leadsTo:
          location === undefined
            ? undefined
            : ((mirror === undefined
                ? URL.parse(location, address)
                : publishedAddress(mirror, location, address, hosts)) ?? undefined),
        body: bodyOf(response, address),
        discard: () => void response.destroy(),
      };
    },
    close: () => {
      plain.destroy();
      secure.destroy();
    },
  };
}

/** More than this is left in the socket until it is asked for. */
const aheadBytes = 1 << 20;

/** What came before a break is given out first: the stream's own iterator would drop it. Listens from the beginning, as a
 *  connection may end before anybody reads. */
function bodyOf(response: IncomingMessage, address: URL): AsyncIterable<Uint8Array> {
  const come: Uint8Array[] = [];
  let bytes = 0;
  let state: 'open' | 'ended' | 'cut off' = 'open';
  let wake = () => {};
  const close = (as: 'ended' | 'cut off') => () => {
    if (state === 'open') state = as;
    wake();
  };
  response.on('data', (chunk: Buffer) => {
    come.push(chunk);
    bytes += chunk.byteLength;
    if (bytes > aheadBytes) response.pause();
    wake();
  });
  response.on('end', close('ended')).on('error', close('cut off')).on('close', close('cut off'));
  return (async function* () {
    for (;;) {
      for (const chunk of come.splice(0)) yield chunk;
      if (come.length > 0) continue;
      if (state !== 'open') break;
      bytes = 0;
      response.resume();
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
    if (state === 'ended') return;
    throw new TransferFailed(
      'cut off',
      `${shown(address)}: the connection ended before the answer was complete; run it again to continue.`,
      { host: address.hostname },
    );
  })();
}

const certificateFault = /CERT|SELF_SIGNED|UNABLE_TO_/;

function notReached(
  error: NodeJS.ErrnoException,
  { address }: Question,
  mirror: URL | undefined,
): TransferFailed {
  const { hostname: host } = address;
  const name = mirror === undefined ? host : `The mirror ${mirror.host} (for ${host})`;
  const code = error.code ?? error.name;
  if (certificateFault.test(code))
    return new TransferFailed(
      'not trusted',
      `${name} has no valid certificate (${code}); check the clock and the certificates of this machine.`,
      { host },
    );
  return new TransferFailed(
    'unreachable',
    `${name} cannot be reached (${code}); check the connection and try again.`,
    { host },
  );
}
