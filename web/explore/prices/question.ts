// Which sales are asked for: what stands in the query of the page, and what the API is asked for it.

import { poundsText } from '../../formats.ts';
import type { Place } from '../place.ts';

export const withins = ['postcode', 'sector', 'outcode', 'area'] as const;
export type Within = (typeof withins)[number];

/** As they stand in the query: whatever is wrong with them, the API says. Empty where nothing is chosen. */
export type SaleWish = {
  readonly within: Within;
  readonly months: string;
  readonly type: string;
  readonly minPrice: string;
  readonly maxPrice: string;
  readonly street: string;
  readonly newBuild: string;
  readonly category: string;
  readonly sort: string;
  readonly order: string;
  readonly offset: string;
};

/** Names in the query of the page, where other panels have names of their own. */
const names = {
  within: 'sales-in',
  months: 'sales-months',
  type: 'type',
  minPrice: 'min-price',
  maxPrice: 'max-price',
  street: 'street',
  newBuild: 'new-build',
  category: 'category',
  sort: 'sort',
  order: 'order',
  offset: 'offset',
} as const;

/** What is asked of a place where nothing is chosen. */
export const usual: SaleWish = {
  within: 'outcode',
  months: '24',
  type: '',
  minPrice: '',
  maxPrice: '',
  street: '',
  newBuild: '',
  category: '',
  sort: '',
  order: '',
  offset: '',
};

export function saleWishIn(query: URLSearchParams): SaleWish {
  const value = (name: keyof SaleWish) => query.get(names[name]) ?? usual[name];
  return {
    within: withins.find((each) => each === query.get(names.within)) ?? usual.within,
    months: value('months'),
    type: value('type'),
    minPrice: value('minPrice'),
    maxPrice: value('maxPrice'),
    street: value('street'),
    newBuild: value('newBuild'),
    category: value('category'),
    sort: value('sort'),
    order: value('order'),
    offset: value('offset'),
  };
}

/** What the query of the page becomes; what is usual is left out of it. */
export const queryOf = (wish: SaleWish): Readonly<Record<string, string | undefined>> => ({
  [names.within]: besideUsual(wish, 'within'),
  [names.months]: besideUsual(wish, 'months'),
  [names.type]: besideUsual(wish, 'type'),
  [names.minPrice]: besideUsual(wish, 'minPrice'),
  [names.maxPrice]: besideUsual(wish, 'maxPrice'),
  [names.street]: besideUsual(wish, 'street'),
  [names.newBuild]: besideUsual(wish, 'newBuild'),
  [names.category]: besideUsual(wish, 'category'),
  [names.sort]: besideUsual(wish, 'sort'),
  [names.order]: besideUsual(wish, 'order'),
  [names.offset]: besideUsual(wish, 'offset'),
});

const besideUsual = (wish: SaleWish, name: keyof SaleWish): string | undefined =>
  wish[name] === usual[name] ? undefined : wish[name];

/** Without the filters, what is asked stays the same where it is: the place, and how far back. */
export const withoutFilters = ({ within, months }: SaleWish): SaleWish => ({ ...usual, within, months });

/** "PO33 2RX", "PO33 2", "PO33" or "PO". */
export function withinText({ postcode, area }: Place, within: Within): string {
  const outcode = area.split(' ')[0] ?? area;
  switch (within) {
    case 'postcode':
      return postcode;
    case 'sector':
      return postcode.slice(0, -2);
    case 'outcode':
      return outcode;
    case 'area':
      return /^[A-Z]+/i.exec(outcode)?.[0] ?? outcode;
  }
}

/** Which sales are left, above their figures: "Only flats of £200,000 to £400,000, new builds." Empty where it is all of them. */
export function onlyWords(wish: SaleWish): string {
  const kind = kindNouns[wish.type] ?? '';
  const rest = [
    priceWords(wish),
    wish.street === '' ? '' : `, street “${wish.street}”`,
    wish.newBuild === 'true' ? ', new builds' : '',
    categoryWords[wish.category] ?? '',
  ].join('');
  return kind === '' && rest === '' ? '' : `Only ${kind === '' ? 'sales' : kind}${rest}.`;
}

/** "all 87 sales of flats" */
export function salesNoun(wish: SaleWish): string {
  const kind = kindNouns[wish.type];
  const isFurther = onlyWords({ ...wish, type: '' }) !== '';
  return `${isFurther ? 'matching ' : ''}sales${kind === undefined ? '' : ` of ${kind}`}`;
}

const kindNouns: Readonly<Record<string, string>> = {
  D: 'detached homes',
  S: 'semi-detached homes',
  T: 'terraced homes',
  F: 'flats',
  O: 'other kinds of property',
};

const categoryWords: Readonly<Record<string, string>> = {
  A: ', on the open market',
  B: ', repossessions and similar',
};

function priceWords({ minPrice, maxPrice }: SaleWish): string {
  if (minPrice === '' && maxPrice === '') return '';
  if (maxPrice === '') return ` of ${poundsText(Number(minPrice))} or more`;
  if (minPrice === '') return ` of ${poundsText(Number(maxPrice))} or less`;
  return ` of ${poundsText(Number(minPrice))} to ${poundsText(Number(maxPrice))}`;
}

type Question = Readonly<Record<string, string | number>>;

export const trendParams = (place: Place, wish: SaleWish): Question => ({
  [wish.within]: withinText(place, wish.within),
  months: wish.months,
  street: wish.street,
  type: wish.type,
  minPrice: wish.minPrice,
  maxPrice: wish.maxPrice,
  newBuild: wish.newBuild,
  category: wish.category,
});

/** As many as an answer can have. */
export const salesAtOnce = 500;

export const salesParams = (place: Place, wish: SaleWish): Question => ({
  [wish.within]: withinText(place, wish.within),
  months: wish.months,
  limit: salesAtOnce,
  include: 'quartiles',
  street: wish.street,
  type: wish.type,
  minPrice: wish.minPrice,
  maxPrice: wish.maxPrice,
  newBuild: wish.newBuild,
  category: wish.category,
  sort: wish.sort,
  order: wish.order,
  offset: wish.offset,
});
