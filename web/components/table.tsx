// A table that is sorted by its headings where that helps. On a narrow screen it scrolls within itself, or shows each row as a card
// or as a few lines.

import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';

export type Column<Row> = {
  readonly title: string;
  readonly cell: (row: Row) => ComponentChildren;
  /** What it is sorted by; without it the heading cannot be pressed. */
  readonly by?: (row: Row) => string | number;
  /** `number` stands at the right, with digits below each other; `name` heads its row. */
  readonly kind?: 'text' | 'number' | 'name' | 'actions';
  /** Where rows are lines: at the right of the name. */
  readonly inLines?: 'beside the name';
};

type Sorting = { readonly column: string; readonly order: 'ascending' | 'descending' };

type TableWish<Row> = {
  /** Says what the table is, for whoever hears it. */
  readonly caption: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  readonly keyOf: (row: Row) => string;
  readonly sorted?: Sorting;
  /** Rows shown at first; a button shows as many more. */
  readonly page?: number;
  /** On a narrow screen. Cards are for rows that have much to do in them. Lines are for rows that speak for themselves: only
   *  numbers have their headings there. */
  readonly narrow?: 'scrolls' | 'cards' | 'lines';
};

export function Table<Row>({
  caption,
  columns,
  rows,
  keyOf,
  sorted,
  page = 100,
  narrow = 'scrolls',
}: TableWish<Row>) {
  const [sorting, setSorting] = useState<Sorting | undefined>(sorted);
  const [most, setMost] = useState(page);
  const shown = sortRows(rows, columns, sorting).slice(0, most);
  return (
    <>
      <section
        class={narrow === 'scrolls' ? 'table-frame' : `table-frame ${narrow}-when-narrow`}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard.
        tabIndex={0}
        aria-label={caption}
      >
        <table>
          <caption class="unseen">{caption}</caption>
          <thead>
            <tr>
              {columns.map((column) => (
                <Heading key={column.title} column={column} sorting={sorting} onSort={setSorting} />
              ))}
            </tr>
          </thead>
          <tbody>
            {shown.map((row) => (
              <tr key={keyOf(row)}>
                {columns.map(({ title, cell, kind = 'text', inLines }) =>
                  kind === 'name' ? (
                    <th key={title} scope="row">
                      {cell(row)}
                    </th>
                  ) : (
                    <td
                      key={title}
                      class={inLines === undefined ? `cell-${kind}` : `cell-${kind} beside`}
                      data-title={title}
                    >
                      {cell(row)}
                    </td>
                  ),
                )}
              </tr>
            ))}
          </tbody>
        </table>
      </section>
      {rows.length <= most ? null : (
        <p class="more">
          <button type="button" class="button plain small" onClick={() => setMost(most + page)}>
            Show {Math.min(page, rows.length - most)} more of {rows.length}
          </button>
        </p>
      )}
    </>
  );
}

function Heading<Row>({
  column: { title, by, kind = 'text' },
  sorting,
  onSort,
}: {
  readonly column: Column<Row>;
  readonly sorting: Sorting | undefined;
  readonly onSort: (sorting: Sorting) => void;
}) {
  const isBy = sorting?.column === title;
  if (by === undefined)
    return (
      <th scope="col" class={`cell-${kind}`}>
        {kind === 'actions' ? <span class="unseen">{title}</span> : title}
      </th>
    );
  // Numbers are looked through from the largest down.
  const first = kind === 'number' ? 'descending' : 'ascending';
  const other = sorting?.order === 'ascending' ? 'descending' : 'ascending';
  return (
    <th scope="col" class={`cell-${kind}`} aria-sort={isBy ? sorting.order : 'none'}>
      <button
        type="button"
        class="sort"
        onClick={() => onSort({ column: title, order: isBy ? other : first })}
      >
        {title}
        <span class="arrow" aria-hidden="true">
          {isBy ? (sorting.order === 'ascending' ? '↑' : '↓') : '↕'}
        </span>
      </button>
    </th>
  );
}

function sortRows<Row>(
  rows: readonly Row[],
  columns: readonly Column<Row>[],
  sorting: Sorting | undefined,
): readonly Row[] {
  const by = columns.find(({ title }) => title === sorting?.column)?.by;
  if (by === undefined || sorting === undefined) return rows;
  const sign = sorting.order === 'ascending' ? 1 : -1;
  return rows.toSorted((a, b) => sign * compare(by(a), by(b)));
}

function compare(a: string | number, b: string | number): number {
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  return String(a).localeCompare(String(b), 'en-GB');
}
