// What kind of sale one is: its property type, whether it is newly built, its category and its tenure, as texts of the
// register and as bits.

/** Every sale belongs to one class, told by its type, whether it is newly built, and its category. */
export const propertyTypes = ['D', 'S', 'T', 'F', 'O'] as const;
export type PropertyType = (typeof propertyTypes)[number];
export const classCount = propertyTypes.length * 4;
export const classMask = 31;
export const estateShift = 5;
export const estates = ['F', 'L', 'U'] as const;
export type Estate = (typeof estates)[number];

export type SaleKind = {
  readonly type: PropertyType;
  readonly age: 'new' | 'old';
  /** A: at market value to a private buyer; B: repossessions, buy-to-let, companies. */
  readonly category: 'A' | 'B';
};

export const classOf = ({ type, age, category }: SaleKind): number =>
  propertyTypes.indexOf(type) * 4 + (age === 'new' ? 2 : 0) + (category === 'B' ? 1 : 0);

/** What is asked of a sale's kind; undefined: nothing. */
export type WantedKinds = { readonly [Member in keyof SaleKind]: SaleKind[Member] | undefined };

/** The same in bits: a class is wanted if it does not differ from `value` in a bit of `care`. */
export type KindMatch = { readonly care: number; readonly value: number };

export function kindMatchOf({ type, age, category }: WantedKinds): KindMatch {
  const value = classOf({ type: type ?? 'D', age: age ?? 'old', category: category ?? 'A' });
  const care =
    (type === undefined ? 0 : 0b11100) | (age === undefined ? 0 : 0b10) | (category === undefined ? 0 : 1);
  return { care, value };
}

export const typeIndexOf = (saleClass: number): number => saleClass >> 2;
export const isNewClass = (saleClass: number): boolean => (saleClass & 2) !== 0;
export const flagsOf = (saleClass: number, estate: Estate): number =>
  saleClass | (estates.indexOf(estate) << estateShift);

/** The bits of a class: three for the type, one for newly built, one for category B. */
export const kindPlanes = 5;
export const newPlane = 1;
export const categoryPlane = 0;
export const typePlane = 2;
