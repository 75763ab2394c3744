// Asks over https, or asks a mirror, which may be plain http. Connections are kept for the next question; nothing is
// decompressed and no redirect followed.

import { request as askHttp, Agent as HttpAgent, type IncomingMessage } from 'node:http';
import { request as askHttps, Agent as HttpsAgent } from 'node:https';
import { shown, TransferFailed } from './failure.ts';
import { mirroredAddress, publishedAddress } from './mirror.ts';
import type { Question, Wire } from './wire.ts';

type Options = { readonly userAgent: string; readonly mirror?: URL };

export function httpWire({ userAgent, mirror }: Options): Wire {
  const plain = new HttpAgent({ keepAlive: true });
  const secure = new HttpsAgent({ keepAlive: true });
  return {
    ask: async (question) => {
      const { address, hosts } = question;
      const target = mirror === undefined ? address : mirroredAddress(mirror, address);
      const headers = { 'user-agent': userAgent, 'accept-encoding': 'identity', ...question.headers };
      const { signal } = question;
      const response = await new Promise<IncomingMessage>((resolve, reject) => {
        const request =
          target.protocol === 'https:'
            ? askHttps(target, { agent: secure, headers, signal })
            : askHttp(target, { agent: plain, headers, signal });
        // A second error, of a connection that is being closed, has nobody left to tell.
        request.on('error', (error) => reject(notReached(error, question)));
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

async function* bodyOf(response: IncomingMessage, address: URL): AsyncGenerator<Uint8Array> {
  try {
    for await (const chunk of response) yield chunk;
  } catch {
    throw new TransferFailed(
      'cut off',
      `${shown(address)}: the connection ended before the answer did; run it again to go on.`,
      { host: address.hostname },
    );
  }
}

const certificateFault = /CERT|SELF_SIGNED|UNABLE_TO_|ERR_TLS/;

function notReached(error: NodeJS.ErrnoException, { address }: Question): TransferFailed {
  const { hostname: host } = address;
  const code = error.code ?? error.name;
  if (certificateFault.test(code))
    return new TransferFailed(
      'not trusted',
      `${host} did not prove who it is (${code}); check this machine's clock and its certificates.`,
      { host },
    );
  return new TransferFailed(
    'unreachable',
    `${host} cannot be reached (${code}); check the connection to the internet and try again.`,
    { host },
  );
}
