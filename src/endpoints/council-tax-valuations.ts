// What the two property endpoints share: the countries they cover, and the entries that the loaded valuation lists
// have in a postcode.

import { type Context, refuse } from '../contract/endpoint.ts';
import { type Authorities, type Authority, openAuthorities } from '../tables/authorities.ts';
import { openPostcodes, type PostcodeRow } from '../tables/postcodes.ts';
import { openValuations, type Valuation, valuationsDataset } from '../tables/valuations.ts';
import type { Postcode } from '../uk/postcode.ts';
import { authorityOf, refusePostcode } from './council-tax-place.ts';

type Release = Context['release'];

export const listNote =
  "Entries come from the valuation lists that councils publish and the operator has loaded; deleted entries are left out. A council's list is no more recent than its own date.";

/** A postcode in use in England or Wales, or where no country is known. */
export function findRow(release: Release, postcode: Postcode) {
  const row = openPostcodes(release).find(postcode);
  if (row === undefined) return refusePostcode(undefined);
  const reason = whyUnsupported(row);
  if (reason !== undefined) return refuse('PROPERTY_LEVEL_COUNTRY_UNSUPPORTED', reason);
  return row.terminated === null ? row : refusePostcode(row.terminated);
}

function whyUnsupported({ nation }: PostcodeRow): string | undefined {
  switch (nation) {
    case 'Scotland':
      return 'Property-level council tax covers England and Wales only; use /council-tax/lookup for the amounts of a Scottish postcode.';
    case 'Northern Ireland':
      return 'Property-level council tax covers England and Wales only; Northern Ireland has domestic rates instead, ask Land & Property Services.';
    case 'Channel Islands':
    case 'Isle of Man':
      return `Property-level council tax covers England and Wales only; this postcode lies in the ${nation}, with rates of its own.`;
    default:
      return undefined;
  }
}

export type Coverage =
  | { readonly kind: 'covered'; readonly entries: readonly Valuation[] }
  /** Nothing is known of the homes there; `reason` says what can be done. */
  | { readonly kind: 'uncovered'; readonly reason: string };

/** Covered where the list of the postcode's authority is loaded, or any list has the postcode. */
export function coverageOf(release: Release, postcode: Postcode, row: PostcodeRow): Coverage {
  const authorities = openAuthorities(release);
  const authority = authorityOf(authorities, row);
  if (release.findDataset(valuationsDataset) !== undefined) {
    const valuations = openValuations(release);
    const entries = valuations.entriesOf(postcode);
    if (entries.length > 0) return { kind: 'covered', entries };
    const isListed = [...valuations.authorities].some(
      (code) =>
        code === row.authorityCode || (!('kind' in authority) && authorities.find(code) === authority),
    );
    if (isListed) return { kind: 'covered', entries };
  }
  const whose = 'kind' in authority ? 'the council of this postcode' : authority.fullName;
  const reason =
    row.authorityCode === null && 'kind' in authority
      ? authority.message
      : `No valuation list of ${whose} is loaded; the operator can load the list that the council publishes with "domesday ingest".`;
  return { kind: 'uncovered', reason };
}

/** That of the list which has the home, where it says; a postcode can lie on both sides of a border. */
export function authorityOfEntry(authorities: Authorities, { list }: Valuation, row: PostcodeRow) {
  const own: Authority | undefined = list.authority === '' ? undefined : authorities.find(list.authority);
  return own ?? authorityOf(authorities, row);
}

export const fullAddress = ({ address }: Valuation, postcode: Postcode): string =>
  `${address}, ${postcode.text}`;
