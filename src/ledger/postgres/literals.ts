// Lists of whole numbers as PostgreSQL reads them: its client would take each of them for a text that may need quoting.

export const bigints = (numbers: readonly number[]): string => `{${numbers.join(',')}}`;
