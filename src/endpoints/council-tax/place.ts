// What the council tax endpoints ask of a postcode: which authority it lies in.

import { refuse } from '../../contract/refusal.ts';
import type { Authorities, Authority } from '../../tables/council-tax/authorities.ts';
import type { PostcodeRow } from '../../tables/postcodes/postcodes.ts';

export function authorityOf(
  authorities: Authorities,
  row: PostcodeRow,
): Authority | ReturnType<typeof refuse<'COUNCIL_TAX_NOT_FOUND'>> {
  const reason = whyNone(row);
  if (reason !== undefined) return refuse('COUNCIL_TAX_NOT_FOUND', reason);
  return (
    findAuthority(authorities, row.authorityCode ?? '') ??
    refuse(
      'COUNCIL_TAX_NOT_FOUND',
      `The postcode lies in ${row.authorityCode}, which is no billing authority in the loaded list; ask the operator.`,
    )
  );
}

/** Why a place pays no council tax, or cannot be told to; undefined where it does. */
function whyNone({ nation, authorityCode }: PostcodeRow): string | undefined {
  switch (nation) {
    case 'Northern Ireland':
      return 'Northern Ireland has domestic rates instead of council tax; ask Land & Property Services.';
    case 'Channel Islands':
      return 'The Channel Islands levy their own rates, not council tax.';
    case 'Isle of Man':
      return 'The Isle of Man levies its own rates, not council tax.';
    default:
      return authorityCode === null
        ? 'This postcode belongs to no place (a PO box or a business mailing), so no authority can be told; send that of the property.'
        : undefined;
  }
}

/** An older directory of postcodes may have the code of a council that has since been merged into one other. */
function findAuthority(authorities: Authorities, code: string) {
  const [successor, ...others] = authorities.findAbolished(code)?.successors ?? [];
  return authorities.find(code) ?? (others.length === 0 ? authorities.find(successor ?? '') : undefined);
}
