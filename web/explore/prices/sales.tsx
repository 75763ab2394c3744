// Every sale: by day and price, how prices are spread, and as a table that can be saved.

import { useState } from 'preact/hooks';
import { callForTable } from '../../api/call.ts';
import { Button } from '../../components/button.tsx';
import { binsOf } from '../../components/chart/bins.ts';
import { type ScatterPoint, scatterOf } from '../../components/chart/drawing.ts';
import { ChartFrame } from '../../components/chart/frame.tsx';
import { Chart } from '../../components/chart.tsx';
import { EmptyState, Notice } from '../../components/notice.tsx';
import { fileName, saveFile } from '../../components/save-file.ts';
import { type Column, numberColumn, Table } from '../../components/table.tsx';
import { dayText, numberText, poundsText, shortPounds } from '../../formats.ts';
import { setQuery } from '../../router.ts';
import type { Called } from '../calls/use-call.ts';
import { OfFirst, Panel } from '../panel.tsx';
import { useCost, usePayer } from '../payer.ts';
import type { PanelsWish } from '../place.ts';
import { addressText, type Sale, type Sales, silenceOfSales, typeNames, types } from './figures.ts';
import { StillNoSales, toldAbove } from './no-sales.tsx';
import { queryOf, type SaleWish, salesAtOnce, salesNoun, withinText } from './question.ts';

type SalesWish = {
  /** "ZZ1". */
  readonly name: string;
  readonly called: Called<'/area/sold-prices'>;
  readonly wish: SaleWish;
};

export function SalesPanel({ name, called, wish, place, beside }: SalesWish & PanelsWish) {
  return (
    <Panel
      id="sales"
      title={`Every sale in ${name}`}
      called={called}
      room={{ desk: 1240, phone: 2250 }}
      coverage={toldAbove(called)}
      controls={<OtherSales name={name} wish={wish} place={place} beside={beside} />}
    >
      {(sales, answer) => {
        const silence = silenceOfSales(answer);
        if (silence !== undefined) return <StillNoSales name={name} silence={silence} />;
        if (sales.returned === 0)
          return (
            <EmptyState
              title="No more sales"
              action={
                <Button onPress={() => setQuery(queryOf({ ...wish, offset: '' }), { as: 'push' })}>
                  First sales
                </Button>
              }
            >
              There are {numberText(sales.totalResults)}, and this page begins after them.
            </EmptyState>
          );
        return (
          <div class="stack">
            <Charts sales={sales} wish={wish} />
            <SaleTable name={name} called={called} sales={sales} wish={wish} />
          </div>
        );
      }}
    </Panel>
  );
}

/** Two places may lie in one district, whose sales these are. */
function OtherSales({ name, wish, place, beside }: Pick<SalesWish, 'name' | 'wish'> & PanelsWish) {
  const other = beside === undefined ? name : withinText(beside, wish.within);
  if (beside === undefined || other === name) return null;
  return (
    <OfFirst
      place={place}
      beside={beside}
      id="sales"
      said={`These are the sales in ${name} alone.`}
      sought={`those in ${other}`}
    />
  );
}

/** Fewer say nothing of how prices are spread. */
const fewestSpread = 8;

function Charts({ sales, wish }: { readonly sales: Sales; readonly wish: SaleWish }) {
  const { properties } = sales;
  const occurring = types.filter((type) => properties.some(({ propertyType }) => propertyType === type));
  return (
    <div class="sale-charts">
      <ByDay
        title={`Price by day, ${partWords(sales, wish)}`}
        points={properties.map((sale) => ({
          atMs: Date.parse(`${sale.date}T00:00:00Z`),
          value: sale.price,
          group: occurring.indexOf(sale.propertyType),
          words: () => `${typeNames[sale.propertyType].toLowerCase()}, ${addressText(sale)}`,
        }))}
        kinds={occurring.map((type) => typeNames[type])}
      />
      {properties.length < fewestSpread ? null : (
        <Spread
          title={`Spread of prices, ${partWords(sales, wish)}`}
          prices={properties.map(({ price }) => price)}
        />
      )}
    </div>
  );
}

/** "all 87 sales of flats", "sales 1 to 500 of 1,234". */
const partWords = ({ offset, returned, totalResults }: Sales, wish: SaleWish): string =>
  returned === totalResults
    ? `all ${numberText(totalResults)} ${salesNoun(wish)}`
    : `${salesNoun(wish)} ${numberText(offset + 1)} to ${numberText(offset + returned)} of ${numberText(totalResults)}`;

function columnsOf(order: 'by heading' | 'by the service'): readonly Column<Sale>[] {
  const by = (of: (sale: Sale) => string | number) => (order === 'by heading' ? { by: of } : {});
  return [
    { title: 'Day', cell: ({ date }) => dayText(date), ...by(({ date }) => date) },
    {
      title: 'Price',
      kind: 'number',
      inLines: 'beside the name',
      cell: ({ price }) => poundsText(price),
      ...by(({ price }) => price),
    },
    { title: 'Address', kind: 'name', cell: (sale) => <Address sale={sale} />, ...by(addressText) },
    {
      title: 'Kind',
      cell: ({ propertyType }) => typeNames[propertyType],
      ...by(({ propertyType }) => typeNames[propertyType]),
    },
    {
      title: 'Tenure',
      cell: ({ estateType }) => estateType ?? 'not said',
      ...by(({ estateType }) => estateType ?? ''),
    },
    {
      title: 'New build',
      cell: ({ newBuild }) => <NewBuild is={newBuild ? 'yes' : 'no'} />,
      ...by(({ newBuild }) => Number(newBuild)),
    },
  ];
}

/** Its postcode is not broken in two. */
function Address({ sale }: { readonly sale: Sale }) {
  const text = addressText(sale);
  const end = text.endsWith(sale.postcode) ? text.length - sale.postcode.length : text.length;
  return (
    <>
      {text.slice(0, end)}
      <span class="in-one-line">{text.slice(end)}</span>
    </>
  );
}

/** Where a row is lines, only a new building says so. */
function NewBuild({ is }: { readonly is: 'yes' | 'no' }) {
  return (
    <>
      <span class="if-wide">{is}</span>
      {is === 'yes' ? <span class="if-narrow">new build</span> : null}
    </>
  );
}

const rowsAtFirst = 12;

function SaleTable({ name, called, sales, wish }: SalesWish & { readonly sales: Sales }) {
  const isWhole = sales.returned === sales.totalResults;
  return (
    <>
      <Table
        // Another order of the service is another table.
        key={`${wish.sort} ${wish.order}`}
        caption={`Sales in ${name}: ${partWords(sales, wish)}`}
        columns={columnsOf(isWhole ? 'by heading' : 'by the service')}
        rows={sales.properties.map((sale, at) => ({ ...sale, at }))}
        keyOf={({ at }) => String(at)}
        sorted={{
          column: wish.sort === 'price' ? 'Price' : 'Day',
          order: wish.order === 'asc' ? 'ascending' : 'descending',
        }}
        narrow="headed lines"
        page={rowsAtFirst}
      />
      <div class="sale-actions">
        {isWhole ? null : <Pages sales={sales} wish={wish} />}
        <SaveSales name={name} called={called} sales={sales} wish={wish} />
      </div>
    </>
  );
}

function Pages({
  sales: { offset, returned, totalResults },
  wish,
}: {
  readonly sales: Sales;
  readonly wish: SaleWish;
}) {
  const cost = useCost('/area/sold-prices');
  const go = (to: number) =>
    setQuery(queryOf({ ...wish, offset: to === 0 ? '' : String(to) }), { as: 'push' });
  return (
    <>
      {offset === 0 ? null : (
        <Button size="small" onPress={() => go(Math.max(0, offset - salesAtOnce))}>
          Previous sales ({cost})
        </Button>
      )}
      {offset + returned >= totalResults ? null : (
        <Button size="small" onPress={() => go(offset + returned)}>
          Next sales ({cost})
        </Button>
      )}
    </>
  );
}

function SaveSales({ name, called, sales, wish }: SalesWish & { readonly sales: Sales }) {
  const payer = usePayer();
  const cost = useCost('/area/sold-prices');
  const [fault, setFault] = useState<string | undefined>(undefined);
  const save = async () => {
    setFault(undefined);
    const made = await payer.key();
    const table = made.kind === 'refused' ? made : await callForTable(called.call, made.key);
    if (table.kind === 'refused') return setFault(table.message);
    saveFile(`${fileName(`sold prices ${name} ${partWords(sales, wish)}`)}.csv`, table.csv);
  };
  return (
    <>
      <Button size="small" onPress={save}>
        Save these sales as CSV ({cost})
      </Button>
      {fault === undefined ? null : <Notice tone="bad">{fault}</Notice>}
    </>
  );
}

const barsWanted = 14;

function Spread({ title, prices }: { readonly title: string; readonly prices: readonly number[] }) {
  const bins = binsOf(prices, barsWanted);
  const step = (bins[1]?.from ?? 1) - (bins[0]?.from ?? 0);
  return (
    <Chart
      title={title}
      labels={bins.map(
        ({ from, to }) => `${shortPounds(from)} ${to === undefined ? 'and more' : `to ${shortPounds(to)}`}`,
      )}
      labelTitle="Price"
      series={[{ name: 'Sales', values: bins.map(({ count }) => count) }]}
      along={{ kind: 'number', at: bins.map(({ from }) => from + step / 2), text: shortPounds }}
      axisText={numberText}
      heightPixels={280}
    />
  );
}

type ByDayWish = {
  readonly title: string;
  readonly points: readonly ScatterPoint[];
  /** At most five; each has its own shape. */
  readonly kinds: readonly string[];
};

/** Each is found by the pointer or the arrow keys and told in words. */
function ByDay({ title, points: unsorted, kinds }: ByDayWish) {
  const points = unsorted.toSorted((a, b) => a.atMs - b.atMs).map((point, at) => ({ ...point, at }));
  const { drawing, edge, above } = scatterOf(points, kinds, shortPounds);
  return (
    <ChartFrame
      title={title}
      note={above === 0 ? undefined : aboveWords(above, shortPounds(edge))}
      drawing={drawing}
      meaning={JSON.stringify([points, kinds])}
      heightPixels={280}
      words={(at) => pointWords(points[at])}
      keys="shapes"
      table={() => (
        <Table caption={title} columns={pointColumns(kinds)} rows={points} keyOf={({ at }) => String(at)} />
      )}
    />
  );
}

const aboveWords = (count: number, edge: string): string =>
  count === 1
    ? `One above ${edge} is shown at the upper edge.`
    : `${count} above ${edge} are shown at the upper edge.`;

const dayOf = ({ atMs }: ScatterPoint): string => dayText(new Date(atMs).toISOString().slice(0, 10));

const pointWords = (point: ScatterPoint | undefined): string =>
  point === undefined ? '' : `${dayOf(point)}: ${poundsText(point.value)}, ${point.words()}`;

const pointColumns = (kinds: readonly string[]): readonly Column<ScatterPoint>[] => [
  { title: 'Day', kind: 'name', by: ({ atMs }) => atMs, cell: dayOf },
  numberColumn('Price', ({ value }) => value, poundsText),
  { title: 'Kind', cell: ({ group }) => kinds[group] },
  { title: 'Property', cell: ({ words }) => words() },
];
