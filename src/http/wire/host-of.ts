// Which host an address belongs to, for whatever is counted per caller.

import { dotted, groupsOf, isMapped, plainAddress } from '../../ip-address.ts';

/** One IPv6 customer holds a whole /64, so that is what counts as one host. An IPv4 address is one host however it is
 *  written; what is no address, as a proxy may pass on, is all one host, and so is a caller who is gone already. */
export function hostOf(address: string | undefined): string {
  const plain = plainAddress(address ?? '');
  if (plain === undefined) return 'unknown';
  const groups = groupsOf(plain);
  if (isMapped(groups)) return dotted(groups);
  return `${groups
    .slice(0, 4)
    .map((group) => group.toString(16))
    .join(':')}::/64`;
}
