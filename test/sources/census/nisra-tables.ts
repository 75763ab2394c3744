// The three tables of Northern Ireland's builder, for two data zones.

import { nisraCsv } from './files.ts';

export const one = 'N20000001';
export const two = 'N20000002';

export const years = (zone: string, counts: Readonly<Record<number, number>>) =>
  Array.from({ length: 86 }, (_, age) => {
    const label = age === 85 ? '85 and over' : String(age);
    return [zone, age, label, counts[age] ?? 0] as const;
  });
export const ages = nisraCsv('Age', [...years(one, { 10: 20, 40: 30 }), ...years(two, { 70: 5 })]);
const sizeLabels = [
  '1 person',
  ...Array.from({ length: 6 }, (_, at) => `${at + 2} people`),
  '8 or more people',
];
export const sizes = nisraCsv(
  'Household Size - 8 Categories',
  sizeLabels.map((label, at) => [one, at + 1, label, at === 0 || at === 7 ? 2 : 0]),
);
export const activity = nisraCsv('Economic Activity - 7 Categories A', [
  [one, -8, 'No code required', 20],
  [one, 1, 'Economically active (excluding full-time students): Employee', 10],
  [one, 2, 'Economically active (excluding full-time students): Self-employed', 3],
  [one, 3, 'Economically active (excluding full-time students): Unemployed', 1],
  [one, 4, 'Economically active and a full-time student: In employment', 2],
  [one, 5, 'Economically active and a full-time student: Unemployed', 1],
  [one, 6, 'Economically inactive: Retired', 13],
]);
