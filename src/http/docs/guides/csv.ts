// Guide: answers as tables.

import { answerText, type Guide, get, heading, list, text } from '../blocks.ts';

export const csv: Guide = {
  name: 'csv',
  title: 'CSV',
  summary: 'Every endpoint answers a table for spreadsheets and databases, for the same price.',
  blocks: () => [
    text('Send `Accept: text/csv`, and you get a table instead of JSON:'),
    get('/bank-rates', { limit: 2 }, { Accept: 'text/csv' }),
    answerText('date,rate\n2025-12-18,3.75\n2025-08-07,4\n', { 'Content-Type': 'text/csv; charset=utf-8' }),
    text(
      'An endpoint with a list gives a row for each item. Every other endpoint gives a single row. Each page of the [reference](/docs/reference) lists the columns, and OpenAPI has them in `x-csv`.',
    ),
    heading('How the table is written'),
    list(
      'UTF-8 without a byte order mark, with a line of titles. Lines end with CR LF.',
      'A title says where the value stands in the JSON, such as `councilTaxBands.band_a`. The columns of an endpoint are always the same.',
      'What is unknown is empty. So is what the JSON leaves out.',
      'A list within a row is one column with its JSON, such as `schools.topSchools`.',
      'A text that a spreadsheet would run as a formula (it begins with =, +, -, @, a tab or a line break) gets an apostrophe in front. Numbers are never changed.',
    ),
    heading('What stays JSON'),
    text(
      'Errors and batches are always JSON. A table has no place for totals either: ask for JSON if you need them. The headers say what a call cost and what the data lacks, as for JSON.',
    ),
    heading('Pages'),
    text('Long tables come in pages, with the next one in `Link`: see [Paging](/docs/guides/paging).'),
    heading('Excel'),
    text(
      'Excel takes a file without a byte order mark for another encoding when you open it by a double click. Use Data › From Text/CSV instead, and choose “65001: Unicode (UTF-8)”.',
    ),
  ],
};
