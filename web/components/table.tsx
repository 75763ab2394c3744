// A table that is sorted by its headings where that helps. Where it has little room, on a phone or beside a second place, it scrolls
// within itself, or shows each row as a card or as a few lines.

import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { numberText } from '../formats.ts';

export type Column<Row> = {
  readonly title: string;
  readonly cell: (row: Row) => ComponentChildren;
  /** What it is sorted by; without it the heading cannot be pressed. */
  readonly by?: (row: Row) => string | number;
  /** `number` stands at the right, with digits below each other; `name` heads its row. */
  readonly kind?: 'text' | 'number' | 'name' | 'actions';
  /** Before what it says, where rows are lines and no heading says it: "by". */
  readonly wordInLines?: string;
  /** Where rows are lines or columns: at the right of the name. */
  readonly inLines?: 'beside the name';
};

/** Sorted by its numbers. */
export const numberColumn = <Row,>(
  title: string,
  value: (row: Row) => number,
  text: (value: number) => string = numberText,
): Column<Row> => ({ title, kind: 'number', by: value, cell: (row) => text(value(row)) });

type Sorting = { readonly column: string; readonly order: 'ascending' | 'descending' };

type TableWish<Row> = {
  /** Says what the table is, for whoever hears it. */
  readonly caption: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  readonly keyOf: (row: Row) => string;
  /** The order of the rows as they come; where its column has no `by`, it is only told. */
  readonly sorted?: Sorting;
  /** Rows shown at first; a button shows as many more. */
  readonly page?: number;
  /** Where it has little room. Cards are for rows that have much to do in them. Lines are for rows that speak for themselves: only
   *  numbers have their headings there. Headed lines can be sorted. Columns have the name in a line of its own, and stand below it
   *  in one width, with their headings above all rows. */
  readonly narrow?: keyof typeof narrowClasses;
};

const narrowClasses = {
  scrolls: '',
  cards: 'cards-when-narrow',
  lines: 'lines-when-narrow',
  'headed lines': 'lines-when-narrow headed-when-narrow',
  columns: 'lines-when-narrow headed-when-narrow columns-when-narrow',
} as const;

/** Browsers take the parts of a table for anything once they are laid out in another way. */
const roles = {
  table: { role: 'table' },
  group: { role: 'rowgroup' },
  row: { role: 'row' },
  heading: { role: 'columnheader' },
  name: { role: 'rowheader' },
  cell: { role: 'cell' },
} as const;

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
      {/* biome-ignore lint/a11y/useSemanticElements: no landmark, as every table is there twice beside a second place. */}
      <div
        role="group"
        class={`table-frame ${narrowClasses[narrow]}`}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard.
        tabIndex={0}
        aria-label={caption}
      >
        <table {...roles.table}>
          <caption class="unseen">{caption}</caption>
          <thead {...roles.group}>
            <tr {...roles.row}>
              {columns.map((column) => (
                <Heading key={column.title} column={column} sorting={sorting} onSort={setSorting} />
              ))}
            </tr>
          </thead>
          <tbody {...roles.group}>
            {shown.map((row) => (
              <tr key={keyOf(row)} {...roles.row}>
                {columns.map((column) => (
                  <Cell key={column.title} column={column} row={row} />
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
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

function classOf<Row>({ kind = 'text', inLines }: Column<Row>): string {
  return inLines === undefined ? `cell-${kind}` : `cell-${kind} beside`;
}

function Cell<Row>({ column, row }: { readonly column: Column<Row>; readonly row: Row }) {
  return column.kind === 'name' ? (
    <th scope="row" class={classOf(column)} {...roles.name}>
      {column.cell(row)}
    </th>
  ) : (
    <td class={classOf(column)} data-title={column.title} {...roles.cell}>
      {column.wordInLines === undefined ? null : <span class="if-narrow">{`${column.wordInLines} `}</span>}
      {column.cell(row)}
    </td>
  );
}

function Heading<Row>({
  column,
  sorting,
  onSort,
}: {
  readonly column: Column<Row>;
  readonly sorting: Sorting | undefined;
  readonly onSort: (sorting: Sorting) => void;
}) {
  const { title, by, kind } = column;
  const isBy = sorting?.column === title;
  if (by === undefined)
    return (
      <th
        scope="col"
        class={classOf(column)}
        {...(isBy ? { 'aria-sort': sorting.order } : {})}
        {...roles.heading}
      >
        {kind === 'actions' ? <span class="unseen">{title}</span> : title}
        {isBy ? <Arrow order={sorting.order} /> : null}
      </th>
    );
  // Numbers are looked through from the largest down.
  const first = kind === 'number' ? 'descending' : 'ascending';
  const other = sorting?.order === 'ascending' ? 'descending' : 'ascending';
  return (
    <th scope="col" class={classOf(column)} aria-sort={isBy ? sorting.order : 'none'} {...roles.heading}>
      <button
        type="button"
        class="sort"
        onClick={() => onSort({ column: title, order: isBy ? other : first })}
      >
        {title}
        <Arrow order={isBy ? sorting.order : 'none'} />
      </button>
    </th>
  );
}

const arrows = { ascending: '↑', descending: '↓', none: '↕' } as const;

function Arrow({ order }: { readonly order: keyof typeof arrows }) {
  return (
    <span class="arrow" aria-hidden="true">
      {arrows[order]}
    </span>
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
