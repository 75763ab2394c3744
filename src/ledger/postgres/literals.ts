// Lists as PostgreSQL reads them. Its client would take each number for a text, and look through each text three times.

export const bigints = (numbers: readonly (number | null)[]): string =>
  `{${numbers.map((number) => number ?? 'NULL').join(',')}}`;

export const texts = (values: readonly (string | null)[]): string =>
  `{${values.map((value) => (value === null ? 'NULL' : quoted(value))).join(',')}}`;

const quoted = (text: string): string =>
  /["\\]/.test(text) ? `"${text.replace(/["\\]/g, '\\$&')}"` : `"${text}"`;
