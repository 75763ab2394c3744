// Which addresses of publishers are asked: over https alone, on hosts of the publication alone.

import { TransferFailed } from './failure.ts';

export function publishersRule(address: URL, hosts: readonly string[]): TransferFailed | undefined {
  const { protocol, hostname: host } = address;
  if (protocol !== 'https:')
    return new TransferFailed(
      'not https',
      `The file is at ${protocol}//${host}, where anybody on the way could change it. This program uses only https; if you trust the file, fetch it yourself and give it to \`domesday ingest\`.`,
      { host },
    );
  if (!hosts.includes(host) || address.port !== '' || address.username !== '' || address.password !== '')
    return new TransferFailed(
      'moved to another host',
      `The file is at ${address.host}, which is not a host of this publication (${hosts.join(', ')}). Look at the page of the publication; if you trust the file, fetch it yourself and give it to \`domesday ingest\`.`,
      { host },
    );
  return undefined;
}
