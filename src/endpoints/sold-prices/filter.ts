// Which sales are asked for: the parameters that every endpoint of sold prices reads, and what they mean to the table.

import type { Context, qualify } from '../../contract/endpoint.ts';
import {
  choice,
  flag,
  optionalPostcode,
  optionalText,
  optionalWholeNumber,
  type Param,
  type ParamValues,
  wholeNumber,
} from '../../contract/params.ts';
import { refuse } from '../../contract/refusal.ts';
import { nullable, optional, string } from '../../contract/shape.ts';
import { openPostcodes, type PostcodeRow } from '../../tables/postcodes/postcodes.ts';
import { propertyTypes } from '../../tables/sales/kinds.ts';
import { openSales } from '../../tables/sales/sales.ts';
import type { SalesSegment } from '../../tables/sales/segment.ts';
import type { SaleFilter } from '../../tables/sales/select/select.ts';
import { formatDay, monthsBefore } from '../../uk/calendar.ts';
import {
  type PackedRange,
  type Postcode,
  packPostcode,
  parseArea,
  parseOutcode,
  parsePostcode,
  parseSector,
} from '../../uk/postcode.ts';
import {
  isBorderArea,
  isPostcodeArea,
  nationInWords,
  nationOfArea,
  sandboxArea,
} from '../../uk/postcode-areas.ts';

const highestPrice = 0xffff_ffff;

const area: Param<string | undefined, 'INVALID_AREA'> = {
  description: 'Postcode area: one or two letters. Send this, `postcode`, `sector` or `outcode`.',
  example: { sandbox: 'ZZ', live: 'PO' },
  required: false,
  schema: { type: 'string' },
  parse: (text) => {
    if (text === undefined) return { ok: true, value: undefined };
    const value = parseArea(text);
    return value === undefined
      ? { ok: false, code: 'INVALID_AREA', expected: 'a postcode area of one or two letters, for example SW' }
      : { ok: true, value };
  },
};

// Where sales are asked for, and why there can be none: the register is of England and Wales, and ends on a day.

type Release = Context['release'];

/** What every endpoint of sold prices rests on, and when it costs nothing. */
export const registerOfSales = {
  freeWhere:
    'the register cannot have a sale there (Scotland, Northern Ireland, the Channel Islands, the Isle of Man, letters that are no postcode area), if no sale in the area is loaded, if the period begins after the newest loaded sale of the area, or if nothing matches and only a sample or a part of the register is loaded. X-Data-Coverage says why',
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
type Division = { readonly text: string; readonly packed: PackedRange };

type Geography = {
  readonly area: string;
  readonly packed: PackedRange | undefined;
  /** Undefined where the whole area is asked for. */
  readonly outcode: string | undefined;
  readonly contains: (postcode: string) => boolean;
};

/** The finest that was sent counts. */
function geographyOf(sent: {
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

/** What an answer of so many sales rests on. Nothing is known of an area after its own newest sale: files may end earlier for
 *  it than for others. */
export function groundsOf(
  release: Release,
  geography: Geography,
  { fromDay }: Pick<SaleFilter, 'fromDay'>,
  totalResults: number,
): { readonly knownTo: number | undefined } & Parameters<typeof qualify>[0] {
  const segment = openSales(release).find(geography.area);
  const asOf = segment && formatDay(segment.newestDay);
  const why = totalResults > 0 ? undefined : whyNone(release, geography, fromDay);
  if (why !== undefined) {
    return { knownTo: undefined, asOf, shortage: { extent: 'none', why }, charge: 'free' };
  }
  const lacking = segment && whatIsLacking(release, geography.area, segment);
  const shortage = lacking === undefined ? undefined : ({ extent: 'partial', why: lacking } as const);
  return { knownTo: segment?.newestDay, asOf, shortage };
}

/** Why it is not known whether there was a sale: the register has none of the place, or none of it, of that time, or only
 *  a part is loaded. */
function whyNone(release: Release, geography: Geography, fromDay: number): string | undefined {
  const { area } = geography;
  const segment = openSales(release).find(area);
  return (
    whyNever(release, geography) ??
    (segment === undefined
      ? `no sale in ${area} is loaded`
      : (whyTooLate(area, segment, fromDay) ?? whyInPart(release, area, segment)))
  );
}

const whyTooLate = (area: string, { newestDay }: SalesSegment, fromDay: number): string | undefined =>
  newestDay < fromDay
    ? `the loaded sales in ${area} end on ${formatDay(newestDay)}, before the period begins`
    : undefined;

/** What is not in a sample or a part may well have been sold. */
function whyInPart(release: Release, area: string, segment: SalesSegment): string | undefined {
  if (release.findDataset('price-paid')?.extent === 'sample') {
    return `only a sample of the sales in ${area} is loaded`;
  }
  const part = partOf(release, area, segment);
  return part && `only a part of the register is loaded: ${part}`;
}

/** Of an area that has sales. Which are missing cannot be told of a place, so every answer says what is there. */
function whatIsLacking(release: Release, area: string, segment: SalesSegment): string | undefined {
  const part = partOf(release, area, segment);
  if (part !== undefined) return `loaded: ${part}`;
  const to = formatDay(segment.newestDay);
  const isBehind = to.slice(0, 7) < (release.findDataset('price-paid')?.asOf ?? '').slice(0, 7);
  return isBehind ? `the loaded sales in ${area} end on ${to}` : undefined;
}

/** What there is of an area, where the register is not whole. */
function partOf(release: Release, area: string, { newestDay, length }: SalesSegment): string | undefined {
  const sales = release.findDataset('price-paid');
  if (sales?.extent !== 'partial') return undefined;
  const to = formatDay(newestDay);
  if (openSales(release).standing === 'complete')
    return `${Object.values(sales.coverage)[0]}, in ${area} to ${to}`;
  const count = `${length.toLocaleString('en-GB')} sale${length === 1 ? '' : 's'}`;
  return `${count} of postcode area ${area}, to ${to}; the complete register is not loaded`;
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

function division(
  description: string,
  expected: string,
  parse: (text: string) => Division | undefined,
): Param<Division | undefined, 'INVALID_PARAMETER'> {
  return {
    description,
    required: false,
    schema: { type: 'string' },
    parse: (text) => {
      if (text === undefined) return { ok: true, value: undefined };
      const value = parse(text);
      return value === undefined ? { ok: false, code: 'INVALID_PARAMETER', expected } : { ok: true, value };
    },
  };
}

const price = (description: string) =>
  optionalWholeNumber({ description, min: 0, max: highestPrice, fault: 'INVALID_PARAMETER' });

/** Where, and how far back. */
export const placeParams = {
  area,
  postcode: optionalPostcode({
    description: 'Full postcode. Only sales in exactly this postcode count. The area follows from it.',
    fault: 'INVALID_AREA',
  }),
  outcode: division(
    'First half of a postcode, such as `PO30`. Only its sales count.',
    'the first half of a postcode, for example PO30',
    parseOutcode,
  ),
  sector: division(
    'Postcode sector with its space, such as `PO30 1`. Only its sales count.',
    'a postcode sector with its space, for example PO30 1',
    parseSector,
  ),
  street: optionalText({ description: 'Part of the street name, in upper or lower case.' }),
  months: wholeNumber({
    description: 'Number of months to look back from today.',
    min: 1,
    max: 360,
    fallback: 24,
    outside: 'clamp',
    fault: 'INVALID_PARAMETER',
  }),
} as const;

/** What a reader of an example must know: the sales of the fictional town keep their days. */
export const periodMoves =
  'The period counts back from the day of the call, so the same call on another day gives other figures.';

/** Which of the sales there. */
export const kindParams = {
  type: choice(propertyTypes, {
    description:
      'Property type: D (detached), S (semi-detached), T (terraced), F (flat or maisonette) or O (other).',
    fault: 'INVALID_PROPERTY_TYPE',
  }),
  minPrice: price('Lowest price in pounds.'),
  maxPrice: price('Highest price in pounds.'),
  newBuild: flag({ description: '`true`: only new builds.' }),
  category: choice(['A', 'B'], {
    description: '`A`: sold at market value to a private buyer. `B`: all other sales.',
    fault: 'INVALID_PARAMETER',
  }),
} as const;

type Wish = ParamValues<typeof placeParams & typeof kindParams>;

export const withGeography = <W extends Wish>(wish: W) => {
  const geography = geographyOf(wish);
  return geography === undefined ? refuse('MISSING_AREA_OR_POSTCODE') : { ...wish, geography };
};

export const filterOf = (wish: Wish & { readonly geography: Geography }, today: number): SaleFilter => ({
  fromDay: monthsBefore(today, wish.months),
  toDay: today,
  kinds: { type: wish.type, age: wish.newBuild ? 'new' : undefined, category: wish.category },
  minPrice: wish.minPrice ?? 0,
  maxPrice: wish.maxPrice ?? highestPrice,
  postcodes: wish.geography.packed,
  street: wish.street,
});

/** What was asked for, as every answer repeats it. */
export const placeMembers = {
  area: string({ description: 'Postcode area of the sales.' }),
  outcode: optional(string({ description: 'The outcode. Present if you sent `outcode`.' })),
  sector: optional(string({ description: 'The sector. Present if you sent `sector`.' })),
  postcode: nullable(string({ description: 'The postcode. Null if you sent none.' })),
  street: nullable(string({ description: 'The street as you sent it. Null if you sent none.' })),
  period: string({ description: 'How far back the sales go.', examples: ['24 months'] }),
} as const;

export const describePlace = (wish: Wish & { readonly geography: Geography }) => ({
  area: wish.geography.area,
  ...(wish.outcode && { outcode: wish.outcode.text }),
  ...(wish.sector && { sector: wish.sector.text }),
  postcode: wish.postcode?.text ?? null,
  street: wish.street ?? null,
  period: `${wish.months} months`,
});
