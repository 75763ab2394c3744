// Which sales are asked for: the parameters that every endpoint of sold prices reads, and what they mean to the table.

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
import { propertyTypes } from '../../tables/sales/kinds.ts';
import type { SaleFilter } from '../../tables/sales/select/select.ts';
import { monthsBefore } from '../../uk/calendar.ts';
import { parseArea, parseOutcode, parseSector } from '../../uk/postcode.ts';
import { type Division, type Geography, geographyOf } from './geography.ts';

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
