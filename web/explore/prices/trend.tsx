// What homes cost there, month by month: the median with the middle half of the sales around it, and beside it another place.

import type { ComponentChildren } from 'preact';
import { Chart } from '../../components/chart.tsx';
import { EmptyState } from '../../components/notice.tsx';
import { Figures } from '../../components/parts.tsx';
import { Table } from '../../components/table.tsx';
import {
  countText,
  dayText,
  monthText,
  numberText,
  percentText,
  poundsText,
  shortPounds,
} from '../../formats.ts';
import { Panel } from '../panel.tsx';
import { type Called, toldOf } from '../use-call.ts';
import { changeOf, type Sales, type Trend, types, whyNoPrice } from './figures.ts';
import type { SaleWish } from './question.ts';

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
  readonly controls: ComponentChildren;
};

export function TrendPanel({ here, beside, wish, controls }: TrendWish) {
  return (
    <Panel
      id="prices"
      title={`Sold prices in ${here.name}`}
      called={here.trend}
      also={[here.sales, ...(beside === undefined ? [] : [beside.trend, beside.sales])]}
      room={640}
      controls={controls}
    >
      {(trend, { coverage }) =>
        coverage?.startsWith('none') === true ? (
          <NoRegister name={here.name} />
        ) : (
          <div class="stack">
            {beside === undefined ? (
              <Headline trend={trend} sales={here.sales} />
            ) : (
              <SideBySide places={[here, beside]} />
            )}
            {beside?.trend.kind === 'refused' ? (
              <p class="lacking">
                {beside.name} has no answer: {beside.trend.message}
              </p>
            ) : null}
            {trend.totalResults === 0 ? (
              <EmptyState title="No matching sales">
                The register has no sale in {here.name} that matches, from {dayText(trend.from)} to{' '}
                {dayText(trend.to)}. Look further back, or remove a filter.
              </EmptyState>
            ) : (
              <TrendChart here={here.name} trend={trend} beside={beside} wish={wish} />
            )}
          </div>
        )
      }
    </Panel>
  );
}

/** The words of the answer say why; these say where prices of such a place would come from. */
export function NoRegister({ name }: { readonly name: string }) {
  return (
    <EmptyState title={`No sale in ${name} is in this register`}>
      HM Land Registry publishes every sale in England and Wales as Price Paid Data. Scotland’s sales are kept
      by Registers of Scotland, Northern Ireland’s by Land &amp; Property Services; neither publishes them one
      by one.
    </EmptyState>
  );
}

function Headline({ trend, sales }: { readonly trend: Trend; readonly sales: Asked['sales'] }) {
  const told = toldOf(sales);
  const change = changeWords(trend.months);
  return (
    <Figures
      figures={[
        { label: 'Median price', value: medianWords(sales), note: rangeWords(told) },
        {
          label: 'Sales',
          value: numberText(trend.totalResults),
          note: `${dayText(trend.from)} to ${dayText(trend.to)}`,
        },
        { label: 'Change in a year', ...change },
      ]}
    />
  );
}

function medianWords(sales: Asked['sales']): string {
  switch (sales.kind) {
    case 'loading':
      return '…';
    case 'refused':
      return 'no answer';
    case 'answered':
      return sales.told.totalResults === 0 ? 'no sales' : poundsText(sales.told.summary.medianPrice);
  }
}

function rangeWords(told: Sales | undefined): string {
  if (told === undefined) return 'half of the sales cost less';
  return told.totalResults === 0 ? '' : middleWords(told.summary);
}

/** Quartiles are asked for. */
const middleWords = ({ quartiles, priceRange }: Sales['summary']): string =>
  quartiles === undefined
    ? `from ${shortPounds(priceRange.min)} to ${shortPounds(priceRange.max)}`
    : `half sold for ${shortPounds(quartiles.lower)} to ${shortPounds(quartiles.upper)}`;

function changeWords(months: Trend['months']): { readonly value: string; readonly note: string } {
  const change = changeOf(months);
  if (change.kind === 'unknown') return { value: 'not known', note: change.why };
  const sign = change.share > 0 ? '+' : change.share < 0 ? '−' : '±';
  return {
    value: `${sign}${percentText(Math.abs(change.share))}`,
    note: `last ${change.months} known months against the same months a year before`,
  };
}

function SideBySide({ places }: { readonly places: readonly Asked[] }) {
  const rows: readonly { readonly what: string; readonly of: (place: Asked) => string }[] = [
    { what: 'Median price', of: ({ sales }) => medianWords(sales) },
    {
      what: 'Price range',
      of: ({ sales }) => {
        const told = toldOf(sales);
        return told === undefined || told.totalResults === 0
          ? '–'
          : `${shortPounds(told.summary.priceRange.min)}–${shortPounds(told.summary.priceRange.max)}`;
      },
    },
    { what: 'Sales', of: ({ trend }) => told(trend, ({ totalResults }) => numberText(totalResults)) },
    { what: 'Change in a year', of: ({ trend }) => told(trend, ({ months }) => changeWords(months).value) },
  ];
  return (
    <Table
      caption="Sold prices side by side"
      columns={[
        { title: 'Figure', kind: 'name', cell: ({ what }) => what },
        ...places.map((place) => ({
          title: place.name,
          kind: 'number' as const,
          cell: (row: (typeof rows)[number]) => row.of(place),
        })),
      ]}
      rows={rows}
      keyOf={({ what }) => what}
    />
  );
}

function told(trend: Asked['trend'], words: (trend: Trend) => string): string {
  switch (trend.kind) {
    case 'loading':
      return '…';
    case 'refused':
      return 'no answer';
    case 'answered':
      return words(trend.told);
  }
}

const kindWords = {
  D: 'detached',
  S: 'semi-detached',
  T: 'terraced',
  F: 'flats',
  O: 'other kinds',
} as const satisfies Readonly<Record<(typeof types)[number], string>>;

type TrendChartWish = {
  readonly here: string;
  readonly trend: Trend;
  readonly beside: Asked | undefined;
  readonly wish: SaleWish;
};

function TrendChart({ here, trend, beside, wish }: TrendChartWish) {
  const { months } = trend;
  const other = beside === undefined ? undefined : toldOf(beside.trend);
  const kind = types.find((type) => type === wish.type);
  const what = kind === undefined ? 'all kinds' : kindWords[kind];
  const medians = (of: Trend) => of.months.map(({ medianPrice }) => medianPrice);
  return (
    <Chart
      title={`Median price by month, ${what}`}
      note={
        other === undefined
          ? 'The band holds the middle half of each month’s sales. The latest months are incomplete: sales are registered late.'
          : 'The latest months are incomplete: sales are registered late.'
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
                band: {
                  lowerName: 'Lower quartile',
                  lower: months.map(({ lowerQuartile }) => lowerQuartile),
                  upperName: 'Upper quartile',
                  upper: months.map(({ upperQuartile }) => upperQuartile),
                },
              },
            ]
          : [
              { name: here, values: medians(trend) },
              { name: beside.name, values: medians(other) },
            ]
      }
      format={poundsText}
      axisText={shortPounds}
      nullWords={(at) => whyOf(months[at])}
      hatched={(at) => months[at]?.count === null}
      heightPixels={300}
    />
  );
}

const whyOf = (month: Trend['months'][number] | undefined): string =>
  month === undefined ? 'not asked for' : whyNoPrice(month);
