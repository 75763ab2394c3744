// Who can reach the service by its settings: its own machine alone, or others, whose live keys then get no sample.

import { BlockList, isIP } from 'node:net';
import type { Settings } from '../../config.ts';
import type { Release } from '../../release/reader.ts';

const loopback = new BlockList();
loopback.addSubnet('127.0.0.0', 8, 'ipv4');
loopback.addAddress('::1', 'ipv6');

/** A name other than localhost may be known to others by another address. */
export function isLoopback(host: string): boolean {
  const family = isIP(host);
  if (family === 0) return host.toLowerCase() === 'localhost';
  return loopback.check(host, family === 4 ? 'ipv4' : 'ipv6');
}

type Reach = Pick<Settings, 'host' | 'trustProxy' | 'publicUrl' | 'databaseUrl'>;

const isReachedByOthers = ({ host, trustProxy, publicUrl, databaseUrl }: Reach): boolean =>
  !isLoopback(host) || trustProxy > 0 || databaseUrl !== undefined || !isOfThisMachine(publicUrl);

/** An address of version 6 stands in brackets. */
const isOfThisMachine = (address: string | undefined): boolean =>
  address === undefined || isLoopback(new URL(address).hostname.replace(/^\[(.*)\]$/, '$1'));

export const withholdsSample = (settings: Reach & Pick<Settings, 'sample'>): boolean =>
  settings.sample === undefined && isReachedByOthers(settings);

/** What live keys are answered from. */
export const releaseForLiveKeys = (
  settings: Reach & Pick<Settings, 'sample'>,
  release: Release | undefined,
): Release | undefined => (withholdsSample(settings) ? release?.withoutSample() : release);
