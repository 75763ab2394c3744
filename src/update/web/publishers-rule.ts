// Which addresses of publishers are asked: over https alone, on hosts of the publication alone.

import { TransferFailed } from './failure.ts';

export function publishersRule(address: URL, hosts: readonly string[]): TransferFailed | undefined {
  const { protocol, hostname: host } = address;
  if (protocol !== 'https:')
    return new TransferFailed(
      'not https',
      `The way to the file leads to ${protocol}//${host}, where anybody between could change it. Only https is used; what you trust you can fetch yourself and give to \`domesday ingest\`.`,
      { host },
    );
  if (!hosts.includes(host) || address.port !== '' || address.username !== '' || address.password !== '')
    return new TransferFailed(
      'moved to another host',
      `The way to the file leads to ${address.host}, which is no host of this publication (${hosts.join(', ')}). Look at the publication's page; what you trust you can fetch yourself and give to \`domesday ingest\`.`,
      { host },
    );
  return undefined;
}
