// The sales of one area as plain columns of rows: what the loader hands to the encoder, and what it reads back from a
// release to build on.

/** Instead of a packed postcode, where the register has none. */
export const noPostcode = 0xffff_ffff;
export const idBytes = 16;
/** A place is five codes: its street, then locality, town, district and county in `names`. */
export const placeFields = 5;

/** The texts that the codes of rows stand for. */
export type SaleWords = {
  readonly paons: readonly string[];
  readonly saons: readonly string[];
  readonly streets: readonly string[];
  readonly names: readonly string[];
  /** `placeFields` codes a place. */
  readonly places: Uint32Array;
};

/** Sales of one area, in any order. */
export type SaleRows = {
  readonly days: Uint16Array;
  readonly prices: Uint32Array;
  readonly flags: Uint8Array;
  /** Packed, or `noPostcode`. */
  readonly postcodes: Uint32Array;
  readonly places: Uint32Array;
  readonly paons: Uint32Array;
  readonly saons: Uint32Array;
  /** `idBytes` each. */
  readonly ids: Uint8Array;
};

type Codes = Uint16Array | Uint32Array;

/** Sales in their lasting order, with the words that their codes stand for. */
export type AreaSales = {
  readonly rows: Omit<SaleRows, 'places' | 'paons' | 'saons'> & {
    readonly places: Codes;
    readonly paons: Codes;
    readonly saons: Codes;
  };
  readonly words: SaleWords;
};

export function emptyRows(length: number): SaleRows {
  return {
    days: new Uint16Array(length),
    prices: new Uint32Array(length),
    flags: new Uint8Array(length),
    postcodes: new Uint32Array(length),
    places: new Uint32Array(length),
    paons: new Uint32Array(length),
    saons: new Uint32Array(length),
    ids: new Uint8Array(length * idBytes),
  };
}

export const noSales: AreaSales = {
  rows: emptyRows(0),
  words: { paons: [], saons: [], streets: [], names: [], places: new Uint32Array(0) },
};
