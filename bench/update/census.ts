// A made-up table of Census 2021 as Nomis publishes it, for any areas.

import type { nomisTables } from '../../src/sources/census/england-wales.ts';

type NomisTable = Pick<(typeof nomisTables)[number], 'id' | 'columns'>;

export function nomisText(
  { id, columns }: NomisTable,
  count: number,
  codeOf: (index: number) => string,
  random: () => number,
): string {
  const below = (limit: number) => Math.floor(random() * limit);
  const lines = [`"date","geography","geography code",${columns.map((name) => `"${name}"`).join(',')}`];
  for (let index = 0; index < count; index += 1) {
    const values = columns.map(() => (id === 'TS006' ? `${1 + below(9000)}.${below(10)}` : 1 + below(400)));
    lines.push(`"2021","${codeOf(index)}","${codeOf(index)}",${values.join(',')}`);
  }
  return `${lines.join('\n')}\n`;
}
