// The statutory proportions between council tax bands. Amounts are whole pence.

export const nations = ['England', 'Wales', 'Scotland'] as const;
export type Nation = (typeof nations)[number];

/** In order; I exists in Wales only. */
export const bands = ['A', 'B', 'C', 'D', 'E', 'F', 'G', 'H', 'I'] as const;
export type Band = (typeof bands)[number];

export const nationOfCode = (code: string): Nation | undefined =>
  nations.find((nation) => nation.startsWith(code.charAt(0)) && /^[EWS]\d{8}$/.test(code));

type Ratios = { readonly of: number; readonly parts: readonly number[] };

// Local Government Finance Act 1992, section 5 (as amended for Wales in 2003, when band I came).
const ninths: Ratios = { of: 9, parts: [6, 7, 8, 9, 11, 13, 15, 18] };
const welshNinths: Ratios = { of: 9, parts: [...ninths.parts, 21] };
// Council Tax (Substitution of Proportion) (Scotland) Order 2016: bands E to H weigh more from 2017-18 on.
const scottishParts: Ratios = { of: 360, parts: [240, 280, 320, 360, 473, 585, 705, 882] };
const scottishChange = 2017;
// Wales was revalued on 1 April 2005; band I is charged from then on.
const welshBandI = 2005;

function ratiosOf(nation: Nation, taxYear: number): Ratios {
  if (nation === 'Scotland' && taxYear >= scottishChange) return scottishParts;
  return nation === 'Wales' && taxYear >= welshBandI ? welshNinths : ninths;
}

export const bandsOf = (nation: Nation, taxYear: number): readonly Band[] =>
  bands.slice(0, ratiosOf(nation, taxYear).parts.length);

/** One amount per band of `bandsOf`, each rounded half up to the penny. */
export function deriveBands(nation: Nation, taxYear: number, bandDPence: number): readonly number[] {
  const { of, parts } = ratiosOf(nation, taxYear);
  // In whole numbers, so that a half is exactly a half.
  return parts.map((part) => Math.floor((2 * bandDPence * part + of) / (2 * of)));
}
