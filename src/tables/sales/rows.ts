// The sales of one area as columns, before they are put in order and after they are read back: what the loader and the
// encoder hand each other.

export const noPostcode = 0xffff_ffff;
export const idBytes = 16;
export const placeFields = 5;

/** Texts by number. A place is five numbers: its street, then locality, town, district, county in `names`. */
export type SaleWords = {
  readonly paons: readonly string[];
  readonly saons: readonly string[];
  readonly streets: readonly string[];
  readonly names: readonly string[];
  readonly places: Uint32Array;
};

/** Sales of one area in any order. */
export type SaleRows = {
  readonly days: Uint16Array;
  readonly prices: Uint32Array;
  readonly flags: Uint8Array;
  /** Packed, or `noPostcode`. */
  readonly postcodes: Uint32Array;
  readonly places: Uint32Array;
  readonly paons: Uint32Array;
  readonly saons: Uint32Array;
  /** 16 bytes each. */
  readonly ids: Uint8Array;
};
