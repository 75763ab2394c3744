// Where sales are asked for, and why there can be none: the register is of England and Wales, and ends on a day.

import type { Context } from '../../contract/endpoint.ts';
import { openPostcodes, type PostcodeRow } from '../../tables/postcodes/postcodes.ts';
import { openSales } from '../../tables/sales/sales.ts';
import type { SaleFilter } from '../../tables/sales/select/select.ts';
import { formatDay } from '../../uk/calendar.ts';
import { type PackedRange, type Postcode, packPostcode, parsePostcode } from '../../uk/postcode.ts';
import {
  isBorderArea,
  isPostcodeArea,
  nationInWords,
  nationOfArea,
  sandboxArea,
} from '../../uk/postcode-areas.ts';

type Release = Context['release'];

/** What every endpoint of sold prices rests on, and when it costs nothing. */
export const registerOfSales = {
  freeWhere:
    'the register cannot have a sale there (Scotland, Northern Ireland, the Channel Islands, the Isle of Man, letters that are no postcode area), if no sale in the area is loaded, or if the period begins after the newest loaded sale. X-Data-Coverage says why',
  datasets: ['price-paid'],
  needs: [
    {
      dataset: 'postcodes',
      fields: [],
      also: 'why a Scottish postcode in a border area has no sales, in X-Data-Coverage,',
    },
  ],
} as const;

/** An outcode or a sector. */
export type Division = { readonly text: string; readonly packed: PackedRange };

export type Geography = {
  readonly area: string;
  readonly packed: PackedRange | undefined;
  /** Undefined where the whole area is asked for. */
  readonly outcode: string | undefined;
  readonly contains: (postcode: string) => boolean;
};

/** The finest that was sent counts. */
export function geographyOf(sent: {
  readonly area: string | undefined;
  readonly postcode: Postcode | undefined;
  readonly outcode: Division | undefined;
  readonly sector: Division | undefined;
}): Geography | undefined {
  if (sent.postcode !== undefined) {
    const { area, outcode, text } = sent.postcode;
    const from = packPostcode(sent.postcode);
    return { area, outcode, packed: { from, to: from + 1 }, contains: (postcode) => postcode === text };
  }
  const division = sent.sector ?? sent.outcode;
  if (division !== undefined) {
    const { text, packed } = division;
    const outcode = text.split(' ')[0] ?? text;
    const area = parsePostcode(`${outcode}0AA`)?.area ?? outcode;
    return { area, outcode, packed, contains: (postcode) => postcode.startsWith(text) };
  }
  const { area } = sent;
  return area === undefined
    ? undefined
    : { area, outcode: undefined, packed: undefined, contains: () => true };
}

/** Why there is no sale whatever else was asked for: the register has none of the place, or none of it or of that time is
 *  loaded. */
export function whyNone(
  release: Release,
  geography: Geography,
  { fromDay }: Pick<SaleFilter, 'fromDay'>,
): string | undefined {
  const { area } = geography;
  const notLoaded = openSales(release).find(area) === undefined ? `no sale in ${area} is loaded` : undefined;
  return whyNever(release, geography) ?? notLoaded ?? whyTooLate(release, fromDay);
}

function whyTooLate(release: Release, fromDay: number): string | undefined {
  const newest = release.findDataset('price-paid')?.asOf;
  if (newest === undefined || newest >= formatDay(fromDay)) return undefined;
  return `the loaded sales end on ${newest}, before the period begins`;
}

/** Why the register can have none, whatever is loaded. */
function whyNever(release: Release, geography: Geography): string | undefined {
  const { area } = geography;
  if (release.manifest.kind === 'sandbox') {
    if (area !== sandboxArea) return `a test key knows only sales in the fictional area ${sandboxArea}`;
    return isScottish(release, geography) ? notOf('Scotland') : undefined;
  }
  if (area === sandboxArea) return `${sandboxArea} is the fictional area of test keys`;
  if (!isPostcodeArea(area)) return `no place has a postcode that begins with ${area}`;
  const nation = nationOfArea(area) ?? (isInScotland(release, geography) ? 'Scotland' : undefined);
  return nation && notOf(nation);
}

const notOf = (nation: Parameters<typeof nationInWords>[0]): string =>
  `the register of sales covers England and Wales, not ${nationInWords(nation)}`;

/** On the border the directory tells, where it has all postcodes of an outcode: one that is loaded in part has whole areas. */
function isInScotland(release: Release, geography: Geography): boolean {
  const extent = release.findDataset('postcodes')?.extent;
  const isTold = extent === 'complete' || extent === 'partial';
  return isTold && isBorderArea(geography.area) && isScottish(release, geography);
}

/** By every postcode of it that is loaded. */
function isScottish(release: Release, { outcode, contains }: Geography): boolean {
  if (outcode === undefined || release.findDataset('postcodes') === undefined) return false;
  const nations = new Set<PostcodeRow['nation']>();
  for (const { postcode, nation } of openPostcodes(release).inOutcode(outcode)) {
    if (contains(postcode)) nations.add(nation);
  }
  return nations.size === 1 && nations.has('Scotland');
}
