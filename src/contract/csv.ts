// Writes tables for callers that accept CSV: RFC 4180, and nothing that a spreadsheet would take for a formula.

type CsvField = string | number | boolean | null;

/** What spreadsheets read as the beginning of a formula. Numbers may begin with a minus. */
const formulaStart = /^[=+\-@\t\r]/;

/** An unknown is empty. A text that begins like a formula gets an apostrophe before it, which spreadsheets hide. */
function writeField(field: CsvField): string {
  if (field === null) return '';
  if (typeof field !== 'string') return String(field);
  const text = formulaStart.test(field) ? `'${field}` : field;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

export function writeCsv(titles: readonly string[], rows: Iterable<readonly CsvField[]>): string {
  let csv = `${titles.join(',')}\r\n`;
  for (const row of rows) csv += `${row.map(writeField).join(',')}\r\n`;
  return csv;
}
