// Census tables in the exact official layouts, for a handful of areas.

const quote = (text: string) => `"${text}"`;

/** A table of Nomis: quoted texts, bare numbers, one header row. */
export function nomisCsv(
  columns: readonly string[],
  rows: Readonly<Record<string, readonly (number | string)[]>>,
  date = '2021',
): string {
  const header = ['date', 'geography', 'geography code', ...columns].map(quote).join(',');
  const lines = Object.entries(rows).map(([code, values]) =>
    [quote(date), quote(code), quote(code), ...values].join(','),
  );
  return `${[header, ...lines].join('\n')}\n`;
}

const value = '; measures: Value';

export const ts001Columns = ['Total', 'Lives in a household', 'Lives in a communal establishment'].map(
  (name) => `Residence type: ${name}${value}`,
);
export const ts006Columns = [`Population Density: Persons per square kilometre${value}`];
export const ts007aColumns = [
  'Age: Total',
  'Age: Aged 4 years and under',
  ...Array.from({ length: 16 }, (_, at) => `Age: Aged ${5 * at + 5} to ${5 * at + 9} years`),
  'Age: Aged 85 years and over',
];
export const ts017Columns = [
  'Total: All household spaces',
  '0 people in household',
  '1 person in household',
  ...Array.from({ length: 6 }, (_, at) => `${at + 2} people in household`),
  '8 or more people in household',
].map((name) => `Household size: ${name}${value}`);
export const ts041Columns = [`Number of households: Number of households${value}`];
const status = 'Economic activity status:';
export const ts066Columns = [
  `${status} Total: All usual residents aged 16 years and over`,
  `${status} Economically active (excluding full-time students)`,
  `${status} Economically active (excluding full-time students):In employment`,
  `${status} Economically active and a full-time student`,
  `${status} Economically active and a full-time student:In employment`,
];

/** Nineteen ages: all, then bands with `counts` of them. */
export const ages = (...counts: readonly number[]): readonly number[] => {
  const bands = Array.from({ length: 18 }, (_, at) => counts[at] ?? 0);
  return [bands.reduce((a, b) => a + b, 0), ...bands];
};

/** A table of Scotland's Census: byte order mark, titles, a header in several rows, footnotes, Windows line ends. */
export function scottishCsv(
  title: string,
  header: readonly (readonly string[])[],
  rows: Readonly<Record<string, readonly (number | string)[]>>,
): string {
  const cell = (text: number | string) => (/[",]/.test(String(text)) ? `"${text}"` : String(text));
  const lines: readonly (readonly (number | string)[])[] = [
    [title],
    ["Scotland's Census 2022 - National Records of Scotland", ''],
    ['All people'],
    [],
    ...header,
    ...Object.entries(rows).map(([code, values]) => [code, ...values]),
    [],
    ['Source: National Records of Scotland, 2024'],
    ['© Crown copyright 2024, see terms, conditions'],
  ];
  return `\ufeff${lines.map((line) => line.map(cell).join(',')).join('\r\n')}\r\n`;
}

/** A table of the NISRA builder: one row per data zone and category. */
export function nisraCsv(
  variable: string,
  rows: readonly (readonly [zone: string, code: number, label: string, count: number | string])[],
): string {
  const header = `Census 2021 Data Zone Code,Census 2021 Data Zone Label,${variable} Code,${variable} Label,Count`;
  const lines = rows.map(([zone, code, label, count]) => `${zone},Zone ${zone},${code},"${label}",${count}`);
  return `${[header, ...lines].join('\n')}\n`;
}
