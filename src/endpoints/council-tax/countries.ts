// Places without council tax, or without bands by property. Nearly all are known by the letters of the postcode, so that they
// are told the same whether or not such postcodes are loaded.

import { refuse } from '../../contract/refusal.ts';
import type { Nation } from '../../tables/postcodes/postcodes-table.ts';
import type { Postcode } from '../../uk/postcode.ts';
import { nationOfArea } from '../../uk/postcode-areas.ts';

const ratesInstead: Readonly<Record<string, string>> = {
  BT: 'Northern Ireland has domestic rates instead of council tax; ask Land & Property Services.',
  JE: 'Jersey has its own domestic rates instead of council tax; ask the parish.',
  GY: 'Guernsey has its own domestic rates instead of council tax; ask the States of Guernsey.',
  IM: 'The Isle of Man has its own domestic rates instead of council tax; ask its Treasury.',
};

export function refuseWithoutCouncilTax({ area }: Postcode) {
  const reason = ratesInstead[area];
  return reason === undefined ? undefined : refuse('COUNCIL_TAX_NOT_FOUND', reason);
}

/** By the letters; on the border to Scotland they do not tell, and `nation` has what the directory says. */
export function refuseWithoutBands({ area }: Postcode, nation?: Nation | null) {
  const covered = 'Property-level council tax covers England and Wales only';
  const reason = ratesInstead[area];
  if (reason !== undefined) return refuse('PROPERTY_LEVEL_COUNTRY_UNSUPPORTED', `${covered}. ${reason}`);
  if (nation !== 'Scotland' && nationOfArea(area) !== 'Scotland') return undefined;
  const message = `${covered}; use /council-tax/lookup for the amounts of a Scottish postcode.`;
  return refuse('PROPERTY_LEVEL_COUNTRY_UNSUPPORTED', message);
}
