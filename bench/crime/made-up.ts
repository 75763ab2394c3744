// A made-up country of crime: seeded points, denser in towns, and incidents at them by month, category, outcome.

export const months = 36;
export const firstMonth = 12 * 2022;
export const categoryCount = 14;
export const outcomeCount = 12;
export const forceCount = 44;

export const london = { latitudeDegrees: 51.5135, longitudeDegrees: -0.1 };
/** Towns: latitude, longitude, spread in degrees, share of the points. */
const towns: readonly (readonly [number, number, number, number])[] = [
  [51.5135, -0.1, 0.03, 0.03],
  [51.5135, -0.1, 0.1, 0.13],
  [52.48, -1.89, 0.08, 0.05],
  [53.48, -2.24, 0.08, 0.05],
  [53.8, -1.55, 0.08, 0.04],
  [55.0, -1.6, 0.06, 0.03],
  [51.45, -2.58, 0.06, 0.03],
  [52.95, -1.15, 0.06, 0.03],
  [50.9, -1.4, 0.06, 0.02],
];

export type MadeUpPoint = {
  readonly latitudeMicro: number;
  readonly longitudeMicro: number;
  readonly force: number;
};

export function makePoint(random: () => number): MadeUpPoint {
  let rest = random();
  for (const [index, [latitude, longitude, spread, share]] of towns.entries()) {
    rest -= share;
    if (rest >= 0) continue;
    const reach = spread * Math.sqrt(-2 * Math.log(1 - random()));
    const angle = 2 * Math.PI * random();
    return {
      latitudeMicro: Math.round((latitude + reach * Math.sin(angle)) * 1e6),
      longitudeMicro: Math.round((longitude + (reach * Math.cos(angle)) / 0.62) * 1e6),
      force: index,
    };
  }
  const latitude = 50.5 + 4.5 * random();
  return {
    latitudeMicro: Math.round(latitude * 1e6),
    longitudeMicro: Math.round((-4 + 5 * random()) * 1e6),
    force: towns.length + Math.floor(((latitude - 50.5) / 4.5) * (forceCount - towns.length)),
  };
}

/** Most points see an incident now and then, a few see many; the mean is `mean`. */
export function makeCount(random: () => number, mean: number): number {
  return Math.floor(-mean * Math.log(1 - random()) + random());
}

export const makeOutcome = (random: () => number): number =>
  random() < 0.3 ? 0 : 1 + Math.floor(outcomeCount * random() ** 2);
export const makeCategory = (random: () => number): number => Math.floor(categoryCount * random() ** 1.5);
