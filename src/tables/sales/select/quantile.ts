// The one definition of a quantile of prices. Of n prices in rising order it lies at the place (n − 1) × share, counted from
// 0; between two prices it is interpolated in a straight line, as spreadsheets do (QUARTILE.INC).

export function quantileOf(total: number, share: number, priceAt: (rank: number) => number): number {
  const rank = (total - 1) * share;
  const lower = priceAt(Math.floor(rank));
  if (Number.isInteger(rank)) return lower;
  const upper = priceAt(Math.ceil(rank));
  return lower + (upper - lower) * (rank - Math.floor(rank));
}
