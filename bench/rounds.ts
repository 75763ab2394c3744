// Rounds that take turns: whatever else the machine does falls on all sides, and ratios are of one round each.

export const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN;

/** The value below which such a share of all lies. */
export const quantile = (values: readonly number[], share: number): number =>
  values.toSorted((a, b) => a - b)[Math.floor(share * (values.length - 1))] ?? Number.NaN;

/** Asks every side once a round, in the other order each time, because who comes second may find another machine. */
export async function inTurns<Side extends string, Result>(
  sides: readonly Side[],
  rounds: number,
  run: (side: Side) => Result | Promise<Result>,
): Promise<(side: Side) => readonly Result[]> {
  const results = new Map<Side, Result[]>(sides.map((side) => [side, []]));
  for (let round = 0; round < rounds; round += 1)
    for (const side of round % 2 === 0 ? sides : sides.toReversed()) results.get(side)?.push(await run(side));
  return (side) => results.get(side) ?? [];
}

export type Ratio = { readonly median: number; readonly lowest: number; readonly highest: number };

/** Of each value by the one of the same round. */
export function ratioOf(values: readonly number[], by: readonly number[]): Ratio {
  const ratios = values.map((value, round) => value / (by[round] ?? Number.NaN));
  return { median: median(ratios), lowest: Math.min(...ratios), highest: Math.max(...ratios) };
}

export const showRatio = ({ median: middle, lowest, highest }: Ratio): string =>
  `${middle.toFixed(2)} (rounds ${lowest.toFixed(2)} to ${highest.toFixed(2)})`;

/** Milliseconds of processor time, garbage collection included; the clock would also count what other programs do. */
export function processorMs(run: () => void): number {
  const begun = process.cpuUsage();
  run();
  const { user, system } = process.cpuUsage(begun);
  return (user + system) / 1000;
}
