// The columns of councils' valuation lists, which every council names in its own way, found by name.

import type { CsvRow } from '../../ingest/read/csv.ts';

const named = {
  band: /^(?:(?:COUNCIL|CT|VALUATION|CURRENT|TAX|COUNCILTAX|VO|VOA)*BAND(?:CODE|LETTER|ING)?)$/,
  postcode: /^(?:PROPERTY|PROP|ADDRESS|ADDR)?(?:POSTCODE|PCODE|PCDS?|POSTALCODE)$/,
  uprn: /^UPRN$/,
  reference:
    /^(?:PROP(?:ERTY)?REF(?:ERENCE)?(?:NO|NUMBER)?|(?:LA|BA|VO|CT|LOCALAUTHORITY|BILLINGAUTHORITY)?REF(?:ERENCE)?(?:NO|NUMBER)?)$/,
  effective:
    /^(?:BANDFROM|BANDSTART(?:DATE)?|(?:BAND)?EFFECTIVE(?:DATE|FROM)?|DATEEFFECTIVE|EFFDATE|WITHEFFECTFROM|WEF)$/,
  status: /^(?:PROPERTY|ENTRY|RECORD|LIST|BAND)?STATUS$/,
  deleted: /^(?:IS)?DELETED$/,
  ended: /^(?:BANDTO|BANDEND(?:DATE)?|DELETED(?:DATE|ON)|DATEDELETED|ENDDATE|DELETIONDATE)$/,
  authority: /^(?:(?:LOCAL|BILLING)?AUTHORITYCODE|LAD(?:CD|\d\dCD)?|LACODE|ONSCODE|GSSCODE|GSS)$/,
} as const;
const addressColumn = /^(?:FULL|PROPERTY|PROP)?ADDR(?:ESS)?(?:LINE)?(\d*)$/;

export type ListColumns = { readonly [Name in keyof typeof named]: number } & {
  /** In their order. */
  readonly address: readonly number[];
  /** As the file writes them. */
  readonly header: readonly string[];
};

const plain = (name: string) => name.toUpperCase().replace(/[^A-Z0-9]/g, '');

/** −1 for a column that is not there. */
export function findColumns(header: readonly string[]): ListColumns {
  const names = header.map(plain);
  const find = (pattern: RegExp) => names.findIndex((name) => pattern.test(name));
  const address = names
    .map((name, index) => ({ index, part: addressColumn.exec(name)?.[1] }))
    .flatMap(({ index, part }) => (part === undefined ? [] : [{ index, part: Number(part) }]))
    .sort((a, b) => a.part - b.part);
  return {
    band: find(named.band),
    postcode: find(named.postcode),
    uprn: find(named.uprn),
    reference: find(named.reference),
    effective: find(named.effective),
    status: find(named.status),
    deleted: find(named.deleted),
    ended: find(named.ended),
    authority: find(named.authority),
    address: address.map(({ index }) => index),
    header,
  };
}

/** Looks like a list of homes with their bands, even where a column that it needs is missing. */
export function looksLikeList({ address, band, uprn, reference }: ListColumns): boolean {
  return address.length > 0 && (band !== -1 || (uprn !== -1 && reference !== -1));
}

/** What a list lacks to be usable, for the operator. */
export function missingColumn({ band, postcode, uprn, header }: ListColumns): string | undefined {
  const found = `its columns are ${header.map((name) => name.trim()).join(', ')}`;
  if (band === -1) return `has no column for the band (BAND, CT_BAND, COUNCIL TAX BAND …); ${found}`;
  if (postcode === -1 && uprn === -1) {
    return `has neither a column POSTCODE nor a column UPRN to find postcodes by; ${found}`;
  }
  return undefined;
}

export const textAt = (row: CsvRow, column: number): string => (column === -1 ? '' : row.text(column).trim());

/** One line, its columns joined by commas. */
export function addressAt(row: CsvRow, { address }: ListColumns): string {
  return address
    .flatMap((column) => row.text(column).split(','))
    .map((part) => part.replace(/\s+/g, ' ').trim())
    .filter((part) => part !== '')
    .join(', ');
}

/** Lists tell in one of three ways that a home is in them no more. */
export function statusOf(
  status: string,
  deleted: string,
  ended: string,
): 'live' | 'deleted entry' | 'status is not known' {
  if (ended !== '') return 'deleted entry';
  const isLive = /^(?:L|LIVE|A|ACTIVE|CURRENT|IN LIST)?$/i.test(status);
  const isDeleted = /^(?:D|DEL|DELETED|REMOVED|CEASED|INACTIVE|HISTORIC|HISTORICAL|DEMOLISHED)$/i.test(
    status,
  );
  if (isDeleted || /^(?:Y|YES|TRUE|T|1)$/i.test(deleted)) return 'deleted entry';
  return isLive && /^(?:N|NO|FALSE|F|0)?$/i.test(deleted) ? 'live' : 'status is not known';
}
