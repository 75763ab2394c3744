// What homes cost there, month by month: the median with the middle half of the sales around it, and beside it another place.

import type { ComponentChildren } from 'preact';
import type { ApiAnswer } from '../../api/call.ts';
import { Chart } from '../../components/chart.tsx';
import { Figures } from '../../components/parts.tsx';
import { Table } from '../../components/table.tsx';
import { countText, monthText, numberText, percentText, poundsText, shortPounds } from '../../formats.ts';
import { type Called, toldOf } from '../calls/use-call.ts';
import { Panel } from '../panel.tsx';
import {
  allSalesOf,
  type Change,
  changeOf,
  comparedMonths,
  gapMeaning,
  type Sales,
  silenceOfSales,
  spanWords,
  type Trend,
  types,
  whyNoPrice,
} from './figures.ts';
import { NoSales, toldAbove } from './no-sales.tsx';
import { onlyWords, type SaleWish } from './question.ts';

/** What is asked of one place. */
export type Asked = {
  /** "PO33". */
  readonly name: string;
  readonly trend: Called<'/area/sold-prices/trend'>;
  readonly sales: Called<'/area/sold-prices'>;
};

type TrendWish = {
  readonly here: Asked;
  readonly beside: Asked | undefined;
  readonly wish: SaleWish;
  /** Null where nothing can be chosen. */
  readonly controls: ComponentChildren;
};

export function TrendPanel({ here, beside, wish, controls }: TrendWish) {
  return (
    <Panel
      id="prices"
      title={`Sold prices in ${[...new Set([here.name, beside?.name ?? here.name])].join(' and ')}`}
      called={here.trend}
      also={[here.sales, ...(beside === undefined ? [] : [beside.trend, beside.sales])]}
      room={{ desk: 690, phone: 890 }}
      coverage={toldAbove(here.trend)}
      controls={controls}
    >
      {(_, answer) => {
        const silence = silenceOfSales(answer);
        return (
          <div class="stack">
            {controls === null ? null : <Only wish={wish} />}
            {beside !== undefined ? (
              <SideBySide places={[here, beside]} />
            ) : silence === undefined || silence.kind === 'none' ? (
              <Headline answer={answer} sales={here.sales} />
            ) : null}
            {beside === undefined ? null : <LackingBeside beside={beside} />}
            {silence === undefined ? (
              <TrendChart here={here.name} answer={answer} beside={beside} wish={wish} />
            ) : (
              <NoSales name={here.name} silence={silence} when={`from ${spanWords(answer)}`} />
            )}
          </div>
        );
      }}
    </Panel>
  );
}

/** Which sales all figures below are of. */
function Only({ wish }: { readonly wish: SaleWish }) {
  const words = onlyWords(wish);
  return words === '' ? null : <p class="only-sales">{words}</p>;
}

function LackingBeside({ beside: { name, trend } }: { readonly beside: Asked }) {
  if (trend.kind === 'loading') return null;
  if (trend.kind === 'refused')
    return (
      <p class="lacking">
        {name} has no answer: {trend.message}
      </p>
    );
  const silence = silenceOfSales(trend);
  return silence === undefined || silence.kind === 'none' ? null : (
    <p class="lacking">
      Sales in {name} are not known: {silence.why}.
    </p>
  );
}

type HeadlineWish = {
  readonly answer: ApiAnswer<'/area/sold-prices/trend'>;
  readonly sales: Asked['sales'];
};

function Headline({ answer, sales }: HeadlineWish) {
  const { told: trend } = answer;
  return (
    <Figures
      figures={[
        { label: 'Median price', value: medianWords(sales), note: rangeWords(sales) },
        {
          label: 'Sales',
          value: numberText(trend.totalResults),
          note: spanWords(answer),
        },
        { label: 'Change in a year', ...changeFigure(trend, sales) },
      ]}
    />
  );
}

const medianWords = (sales: Asked['sales']): string =>
  toldWords(sales, 'no sales', ({ summary }) => poundsText(summary.medianPrice));

/** While they load it keeps its line. */
function rangeWords(sales: Asked['sales']): string {
  if (sales.kind === 'loading') return 'half of the sales cost less';
  if (sales.kind === 'refused') return 'the sales could not be read';
  return sales.told.totalResults === 0 ? '' : middleWords(sales.told.summary);
}

/** Quartiles are asked for. */
const middleWords = ({ quartiles, priceRange }: Sales['summary']): string =>
  quartiles === undefined
    ? `from ${shortPounds(priceRange.min)} to ${shortPounds(priceRange.max)}`
    : `half sold for ${shortPounds(quartiles.lower)} to ${shortPounds(quartiles.upper)}`;

function changeFigure(
  trend: Trend,
  sales: Asked['sales'],
): { readonly value: string; readonly note: string } {
  // Until the sales are there nobody knows by which of them it is told.
  if (sales.kind === 'loading') return { value: '…', note: '' };
  if (sales.kind === 'refused') return { value: 'not known', note: 'the sales could not be read' };
  const all = allSalesOf(trend, toldOf(sales));
  const change = changeOf(trend, all);
  if (change.kind === 'unknown') return { value: 'not known', note: change.why };
  const { now, before } = change;
  return {
    value: changeText(change),
    note: `${countText(now.sales, 'sale')} in the last ${comparedMonths} known months against ${numberText(before.sales)} a year before; ${measures[all === undefined ? 'some' : 'all']} ${poundsText(now.pounds)} against ${poundsText(before.pounds)}`,
  };
}

/** What is compared, by whether every sale is at hand. */
const measures = {
  all: 'median of the sales',
  some: 'mean of the monthly medians, weighted by sales',
} as const;

const changeText = ({ share }: Extract<Change, { kind: 'known' }>): string =>
  `${share > 0 ? '+' : share < 0 ? '−' : '±'}${percentText(Math.abs(share))}`;

/** "34 against 29". */
function comparedWords(change: Change): string {
  const [now, before] =
    change.kind === 'known' ? [change.now.sales, change.before.sales] : (change.compared ?? []);
  if (now === undefined || before === undefined) return '–';
  return `${change.kind === 'known' ? '' : 'too few: '}${numberText(now)} against ${numberText(before)}`;
}

function SideBySide({ places }: { readonly places: readonly Asked[] }) {
  // Both are told by the same measure, unless one has no answer.
  const lists = places.map(({ trend, sales }) => allSalesOf(toldOf(trend), toldOf(sales)));
  const isWhole = places.every(
    ({ trend, sales }, at) => trend.kind === 'refused' || sales.kind === 'refused' || lists[at] !== undefined,
  );
  const rows: readonly { readonly what: string; readonly of: (place: Asked, at: number) => string }[] = [
    { what: 'Median price', of: ({ sales }) => medianWords(sales) },
    {
      what: 'Price range',
      of: ({ sales }) =>
        sales.kind === 'refused'
          ? '–'
          : toldWords(
              sales,
              '–',
              ({ summary: { priceRange } }) => `${poundsText(priceRange.min)}–${poundsText(priceRange.max)}`,
            ),
    },
    {
      what: 'Sales',
      of: ({ trend }) => toldWords(trend, '0', ({ totalResults }) => numberText(totalResults)),
    },
    {
      what: 'Change in a year',
      of: ({ trend, sales }, at) => {
        if (places.some((each) => each.sales.kind === 'loading')) return '…';
        if (sales.kind === 'refused') return 'no answer';
        return toldWords(trend, 'not known', (told) => {
          const change = changeOf(told, isWhole ? lists[at] : undefined);
          return change.kind === 'unknown' ? 'not known' : changeText(change);
        });
      },
    },
    {
      what: 'Sales that it compares',
      of: ({ trend }) => toldWords(trend, '–', (told) => comparedWords(changeOf(told, undefined))),
    },
  ];
  return (
    <>
      <Table
        caption="Sold prices side by side"
        columns={[
          { title: 'Figure', kind: 'name', cell: ({ what }) => what },
          ...places.map((place, at) => ({
            title: place.name,
            kind: 'number' as const,
            cell: (row: (typeof rows)[number]) => row.of(place, at),
          })),
        ]}
        rows={rows}
        keyOf={({ what }) => what}
      />
      <p class="soft">
        The change in a year compares the {measures[isWhole ? 'all' : 'some']} in the last {comparedMonths}{' '}
        known months with that in the same months a year before.
      </p>
    </>
  );
}

/** `none` is said where it was looked for; what is not known says so. */
function toldWords<Path extends '/area/sold-prices' | '/area/sold-prices/trend'>(
  called: Called<Path>,
  none: string,
  words: (told: ApiAnswer<Path>['told']) => string,
): string {
  switch (called.kind) {
    case 'loading':
      return '…';
    case 'refused':
      return 'no answer';
    case 'answered': {
      const silence = silenceOfSales(called);
      if (silence === undefined) return words(called.told);
      return silence.kind === 'none' ? none : silence.kind;
    }
  }
}

const kindWords = {
  D: 'detached',
  S: 'semi-detached',
  T: 'terraced',
  F: 'flats',
  O: 'other kinds',
} as const satisfies Readonly<Record<(typeof types)[number], string>>;

/** The median of one or two sales says more of them than of the place. */
const salesOfLine = 3;

const monthsApart = ({ months }: Trend): readonly number[] =>
  months.flatMap(({ count }, at) => (count !== null && count < salesOfLine ? [at] : []));

/** What the lines of the chart cannot say. */
function gapWords(trends: readonly Trend[], coverage: string | null): string {
  const counts = trends.flatMap(({ months }) => months.map(({ count }) => count));
  return [
    ...(counts.includes(0) ? [gapMeaning('month', coverage)] : []),
    ...(counts.includes(1) || counts.includes(2) ? ['A dot apart is a month of one or two sales.'] : []),
    'The latest months are incomplete: sales are registered late.',
  ].join(' ');
}

type TrendChartWish = {
  readonly here: string;
  readonly answer: ApiAnswer<'/area/sold-prices/trend'>;
  readonly beside: Asked | undefined;
  readonly wish: SaleWish;
};

function TrendChart({ here, answer: { told: trend, coverage }, beside, wish }: TrendChartWish) {
  const { months } = trend;
  // Without sales it has no line; why, the table says.
  const listed = beside === undefined ? undefined : toldOf(beside.trend);
  const other = listed?.totalResults === 0 ? undefined : listed;
  const kind = types.find((type) => type === wish.type);
  const what = kind === undefined ? 'all kinds' : kindWords[kind];
  const medians = (of: Trend) => of.months.map(({ medianPrice }) => medianPrice);
  return (
    <Chart
      title={`Median price by month, ${what}`}
      note={
        other === undefined
          ? `The band holds the middle half of each month’s sales. ${gapWords([trend], coverage)}`
          : gapWords([trend, other], coverage)
      }
      labels={months.map(
        ({ month, count }) =>
          `${monthText(month)}${count === null || count === 0 ? '' : `, ${countText(count, 'sale')}`}`,
      )}
      labelTitle="Month"
      kind="line"
      along={{ kind: 'time', at: months.map(({ month }) => Date.parse(`${month}-01T00:00:00Z`)) }}
      series={
        other === undefined || beside === undefined
          ? [
              {
                name: 'Median',
                values: medians(trend),
                apart: monthsApart(trend),
                band: {
                  lowerName: 'Lower quartile',
                  lower: months.map(({ lowerQuartile }) => lowerQuartile),
                  upperName: 'Upper quartile',
                  upper: months.map(({ upperQuartile }) => upperQuartile),
                },
              },
            ]
          : [
              { name: here, values: medians(trend), apart: monthsApart(trend) },
              { name: beside.name, values: medians(other), apart: monthsApart(other) },
            ]
      }
      format={poundsText}
      axisText={shortPounds}
      nullWords={(at) => whyOf(months[at], coverage)}
      hatched={(at) => months[at]?.count === null}
      heightPixels={300}
    />
  );
}

const whyOf = (month: Trend['months'][number] | undefined, coverage: string | null): string =>
  month === undefined ? 'not asked for' : whyNoPrice(month, coverage);
