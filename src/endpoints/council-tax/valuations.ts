// What the two property endpoints share: the countries they cover, and the homes of a postcode, from the loaded
// valuation lists or from the public site.

import { type Context, qualify } from '../../contract/endpoint.ts';
import { type Refusal, refuse } from '../../contract/refusal.ts';
import type { DatasetName } from '../../datasets.ts';
import { type Authorities, type Authority, openAuthorities } from '../../tables/council-tax/authorities.ts';
import { openPostcodes, type PostcodeRow } from '../../tables/postcodes/postcodes.ts';
import { listedHomes, openValuations, type Valuation } from '../../tables/valuations.ts';
import { isWholeOfHomes } from '../../tables/whole.ts';
import type { Postcode } from '../../uk/postcode.ts';
import type { SiteHome } from '../../upstream/valuation-pages.ts';
import type { SiteResult } from '../../upstream/valuation-site.ts';
import { findInUse } from '../postcodes/refusal.ts';
import { refuseWithoutBands } from './countries.ts';
import { authorityOf } from './place.ts';

type Release = Context['release'];

export const listNote =
  'Entries come from the valuation lists that councils publish and the operator has loaded, without deleted entries. A list is only as recent as its own date. The operator can also switch on the public valuation site, whose terms forbid commercial use. The service then asks that site about councils without a loaded list.';

/** A postcode in use in England or Wales, or where no country is known. */
export function findRow(release: Release, postcode: Postcode) {
  const row = openPostcodes(release).find(postcode);
  const unbanded = row && refuseWithoutBands(postcode, row.nation);
  return unbanded ?? findInUse(release, postcode);
}

/** A home, from whichever source has it. */
export type Home = Pick<Valuation, 'address' | 'band' | 'reference' | 'uprn' | 'effective'> & {
  /** Of the list that has it, where that is known; a postcode can lie on both sides of a border. */
  readonly authority: Authority | undefined;
  /** On the public site. */
  readonly record: SiteHome | undefined;
};

type Coverage =
  | {
      readonly kind: 'covered';
      readonly homes: readonly Home[];
      /** Datasets that the homes come from; none where the live site told them. */
      readonly cites: readonly DatasetName[];
      /** Of a list that is loaded in part, what is there. */
      readonly lacking: string | undefined;
    }
  | Shortfall;

/** Nobody was asked, since no source has the homes there, or only a part of a list that may have them elsewhere; or the live site
 *  could not be asked, or not to the end. */
export type Shortfall = {
  readonly message: string;
  /** As of `Coverage`; undefined for the usual datasets of the endpoint. */
  readonly cites: readonly DatasetName[] | undefined;
  /** As of `Coverage`. */
  readonly lacking?: string;
} & (
  | {
      readonly kind: 'uncovered';
      /** Undefined where no list has such places. */
      readonly reason: Unlisted | undefined;
    }
  | { readonly kind: 'failed' | 'incomplete'; readonly retryAfterSeconds: number }
);

/** Why the lists that are loaded do not say what is there. */
type Unlisted = 'LIST_NOT_LOADED' | 'LIST_PARTIAL';

/** `code` is kept for a source that was asked and failed: asking again does not load a list. */
export function refuseShortfall<
  const Code extends 'CANDIDATE_LOOKUP_FAILED' | 'PROPERTY_LOOKUP_INCOMPLETE' | 'VOA_ERROR',
>(code: Code, shortfall: Shortfall): Refusal<Code> | Refusal<'COUNCIL_TAX_NOT_FOUND'> {
  const { message } = shortfall;
  if (shortfall.kind !== 'uncovered') {
    return refuse(code, message, { retryAfterSeconds: shortfall.retryAfterSeconds });
  }
  const { reason } = shortfall;
  return refuse('COUNCIL_TAX_NOT_FOUND', message, reason === undefined ? {} : { reason });
}

/** A result, resting on what the coverage rests on. */
export const citeCoverage = <Result>({ cites, lacking }: Coverage, result: Result) => {
  if (cites === undefined) return result;
  const shortage = lacking === undefined ? undefined : ({ extent: 'partial', why: lacking } as const);
  return qualify({ datasets: cites, shortage }, result);
};

/** Where anybody can look up a band. */
const bandSearchPage = 'https://www.gov.uk/council-tax-bands';

/** From the lists where they have the postcode or all of its authority, else from the live site, else from any list. */
export async function coverageOf(
  { release, valuationSite: site }: Pick<Context, 'release' | 'valuationSite'>,
  postcode: Postcode,
  row: PostcodeRow,
): Promise<Coverage> {
  const authorities = openAuthorities(release);
  const authority = authorityOf(authorities, row);
  const listed = release.findDataset('valuations') && listingOf(release, authority, row);
  if (release.findDataset('valuations') !== undefined) {
    const entries = openValuations(release).entriesOf(postcode);
    const isListed = listed !== undefined && (entries.length > 0 || listed.lacking === undefined);
    if (isListed || (entries.length > 0 && site === undefined)) {
      const homes = entries.map((entry) => homeOfEntry(authorities, entry));
      return { kind: 'covered', homes, cites: ['valuations'], lacking: listed?.lacking };
    }
  }
  if (site !== undefined) return fromSite(await site.homesOf(postcode.text), authorities, row);
  const uncovered = { kind: 'uncovered', cites: undefined } as const;
  if (row.authorityCode === null && 'kind' in authority) {
    return { ...uncovered, message: authority.message, reason: undefined };
  }
  const whose = 'kind' in authority ? 'the council of this postcode' : authority.fullName;
  if (listed?.lacking !== undefined) {
    const message = `Only a part of the valuation list of ${whose} is loaded, and it has no home in this postcode; look up the band at ${bandSearchPage}.`;
    const { lacking } = listed;
    return { kind: 'uncovered', message, reason: 'LIST_PARTIAL', cites: ['valuations'], lacking };
  }
  const message = `This service has no valuation list of ${whose}; look up the band at ${bandSearchPage}.`;
  return { ...uncovered, message, reason: 'LIST_NOT_LOADED' };
}

/** What the lists have of an authority, `lacking` where that is not nearly all; undefined where they have nothing. */
function listingOf(
  release: Release,
  authority: Authority | Refusal,
  { authorityCode }: PostcodeRow,
): { readonly lacking: string | undefined } | undefined {
  const known = 'kind' in authority ? undefined : authority;
  const homes = listedHomes(release);
  const listed = homes.get(known?.code ?? '') ?? homes.get(authorityCode ?? '');
  if (listed === undefined) return undefined;
  if (isWholeOfHomes(listed, known?.dwellings ?? null)) return { lacking: undefined };
  const [have, all] = [listed, known?.dwellings].map((count) => count?.toLocaleString('en-GB'));
  const ofAll = all === undefined ? '' : ` of some ${all}`;
  return {
    lacking: `the loaded valuation list has ${have}${ofAll} homes of ${known?.fullName ?? 'the council'}`,
  };
}

const homeOfEntry = (authorities: Authorities, entry: Valuation): Home => ({
  ...entry,
  authority: entry.list.authority === '' ? undefined : authorities.find(entry.list.authority),
  record: undefined,
});

function fromSite(
  result: SiteResult<readonly SiteHome[]>,
  authorities: Authorities,
  { nation }: PostcodeRow,
): Coverage {
  if (result.kind !== 'answered') return siteFailure(result);
  const country = nation === 'Wales' ? 'Wales' : 'England';
  // The same address twice with one band is one answer, not two that fit equally well.
  const records = new Map<string, SiteHome>();
  for (const record of result.value.toReversed()) records.set(`${record.address}|${record.band}`, record);
  const homes = [...records.values()].reverse().map((record) => ({
    address: record.address,
    band: record.band,
    reference: '',
    uprn: 0,
    effective: undefined,
    authority: authorities.findByName(country, record.authority),
    record,
  }));
  return { kind: 'covered', homes, cites: [], lacking: undefined };
}

type SiteFault = Exclude<SiteResult<unknown>, { kind: 'answered' }>;

const siteFailure = ({ kind, retrySeconds }: SiteFault): Shortfall => ({
  kind,
  message:
    kind === 'failed'
      ? 'The public valuation site does not answer as it should; send the call again after Retry-After.'
      : 'The public valuation site gave only part of an answer; send the call again after Retry-After.',
  retryAfterSeconds: retrySeconds,
  cites: [],
});

/** Adds what the site tells only on the page of the home itself. */
export async function withRecord(home: Home, { valuationSite: site }: Pick<Context, 'valuationSite'>) {
  if (home.record === undefined || site === undefined) return { kind: 'whole', home } as const;
  const result = await site.detailsOf(home.record);
  // The table came, so that the look-up stopped half-way.
  if (result.kind !== 'answered') return siteFailure({ ...result, kind: 'incomplete' });
  return { kind: 'whole', home: { ...home, ...result.value } } as const;
}

export const authorityOfHome = (authorities: Authorities, { authority }: Home, row: PostcodeRow) =>
  authority ?? authorityOf(authorities, row);

export const fullAddress = ({ address }: Pick<Home, 'address'>, postcode: Postcode): string =>
  `${address}, ${postcode.text}`;
