// What kind of sale one is: property type, newly built or not, category and tenure, as the register's letters and as
// the bits of one byte, the *flags*. The lower five bits are the *class*: all but the tenure.

import { defined } from '../../out-of-range.ts';

export const propertyTypes = ['D', 'S', 'T', 'F', 'O'] as const;
export type PropertyType = (typeof propertyTypes)[number];
export const estates = ['F', 'L', 'U'] as const;
export type Estate = (typeof estates)[number];

type SaleKind = {
  readonly type: PropertyType;
  readonly age: 'new' | 'old';
  /** A: at market value to a private buyer; B: repossessions, buy-to-let, companies. */
  readonly category: 'A' | 'B';
};

/** The bits of a class: the category, newly built, and three for the type. Bits of one meaning are a *plane*. */
export const kindPlanes = 5;
export const categoryPlane = 0;
export const newPlane = 1;
export const typePlane = 2;
export const classCount = propertyTypes.length * 4;
export const classMask = 31;
const estateShift = 5;

export const classOf = ({ type, age, category }: SaleKind): number =>
  (propertyTypes.indexOf(type) << typePlane) |
  ((age === 'new' ? 1 : 0) << newPlane) |
  ((category === 'B' ? 1 : 0) << categoryPlane);

/** From the index of the type, bits for newly built and for category B, and the index of the estate. */
export const packFlags = (type: number, isNew: 0 | 1, isB: 0 | 1, estate: number): number =>
  (type << typePlane) | (isNew << newPlane) | (isB << categoryPlane) | (estate << estateShift);

/** The index of the type in `propertyTypes`. */
export const typeIndexOf = (saleClass: number): number => saleClass >> typePlane;

export const propertyTypeOf = (flags: number): PropertyType =>
  defined(propertyTypes[typeIndexOf(flags & classMask)]);
export const isNewlyBuilt = (flags: number): boolean => ((flags >>> newPlane) & 1) === 1;
export const estateOf = (flags: number): Estate => defined(estates[flags >>> estateShift]);

/** What is asked of a sale's kind; undefined: nothing. */
export type WantedKinds = { readonly [Member in keyof SaleKind]: SaleKind[Member] | undefined };

/** The question in bits: a class is wanted if it agrees with `wanted` in every bit of `mask`. */
export type KindMatch = { readonly mask: number; readonly wanted: number };

export const anyKind: KindMatch = { mask: 0, wanted: 0 };

export function kindMatchOf({ type, age, category }: WantedKinds): KindMatch {
  const wanted = classOf({ type: type ?? 'D', age: age ?? 'old', category: category ?? 'A' });
  const mask =
    (type === undefined ? 0 : 0b111 << typePlane) |
    (age === undefined ? 0 : 1 << newPlane) |
    (category === undefined ? 0 : 1 << categoryPlane);
  return { mask, wanted };
}
