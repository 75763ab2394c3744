// What homes of the place cost while Bank Rate changed. Where all sales of thirty years fit in one answer, a month has one or two: their
// medians would be dots without a line, and those of years are worked out of the sales. Elsewhere it is the months of the trend.

import type { ApiAnswer } from '../../api/call.ts';
import { Chart } from '../../components/chart.tsx';
import { countText, monthText, poundsText, shortPounds } from '../../formats.ts';
import { type Called, toldOf, useCall } from '../calls/use-call.ts';
import { Panel } from '../panel.tsx';
import type { Place } from '../place.ts';
import { allSalesOf, gapMeaning, silenceOfSales, whyNoPrice, yearPricesOf } from '../prices/figures.ts';
import { NoSales, toldAbove } from '../prices/no-sales.tsx';
import { salesAtOnce, withinText } from '../prices/question.ts';
import type { Range } from './history.ts';

type Asked = { readonly outcode: string; readonly months: number };

type MeanwhileWish = { readonly place: Place; readonly range: Range };

export function PricesMeanwhile({ place, range }: MeanwhileWish) {
  const asked = { outcode: withinText(place, 'outcode'), months: 360 };
  const trend = useCall({ path: '/area/sold-prices/trend', params: asked });
  const total = toldOf(trend)?.totalResults ?? 0;
  return total > 0 && total <= salesAtOnce ? (
    <ByYear asked={asked} trend={trend} range={range} />
  ) : (
    <ByMonth name={asked.outcode} trend={trend} range={range} />
  );
}

const panelOf = (name: string) => ({
  id: 'prices-meanwhile',
  title: `Prices in ${name} meanwhile`,
  room: { desk: 430, phone: 500 },
});

/** How every chart of this panel looks. */
const look = { kind: 'line', format: poundsText, axisText: shortPounds, heightPixels: 260 } as const;

const register = 'At most the last 30 years: the register begins in 1995.';

type ByYearWish = {
  readonly asked: Asked;
  readonly trend: Called<'/area/sold-prices/trend'>;
  readonly range: Range;
};

function ByYear({ asked, trend, range }: ByYearWish) {
  const sales = useCall({ path: '/area/sold-prices', params: { ...asked, limit: salesAtOnce } });
  const all = allSalesOf(toldOf(trend), toldOf(sales));
  // A sale may have been loaded between the two answers.
  if (sales.kind === 'answered' && all === undefined)
    return <ByMonth name={asked.outcode} trend={trend} range={range} />;
  return (
    <Panel {...panelOf(asked.outcode)} called={sales} also={[trend]}>
      {({ properties }, { coverage }) => {
        const years = yearPricesOf(properties).filter(({ year }) => middleOf(year) >= range[0]);
        return (
          <Chart
            {...look}
            title={`Median price by year in ${asked.outcode}`}
            note={[
              register,
              'The first and the last year are not whole.',
              ...(years.some(({ count }) => count === 0) ? [gapMeaning('year', coverage)] : []),
            ].join(' ')}
            labels={years.map(({ year, count }) => withCount(String(year), count))}
            labelTitle="Year"
            along={{ kind: 'time', at: years.map(({ year }) => middleOf(year)), range }}
            series={[{ name: 'Median', values: years.map(({ medianPrice }) => medianPrice) }]}
            nullWords={(at) => whyOf(years[at], coverage)}
            hatched={() => false}
          />
        );
      }}
    </Panel>
  );
}

type ByMonthWish = Omit<ByYearWish, 'asked'> & { readonly name: string };

function ByMonth({ name, trend, range }: ByMonthWish) {
  return (
    <Panel {...panelOf(name)} called={trend} coverage={toldAbove(trend)}>
      {(told, answer) => {
        const silence = silenceOfSales(answer);
        if (silence !== undefined)
          return <NoSales name={name} silence={silence} when={`within ${told.period}`} />;
        return <MonthChart name={name} answer={answer} range={range} />;
      }}
    </Panel>
  );
}

type MonthChartWish = {
  readonly name: string;
  readonly answer: ApiAnswer<'/area/sold-prices/trend'>;
  readonly range: Range;
};

function MonthChart({ name, answer: { told, coverage }, range }: MonthChartWish) {
  const months = told.months.filter(({ month }) => startOf(month) >= range[0]);
  return (
    <Chart
      {...look}
      title={`Median price by month in ${name}`}
      note={register}
      labels={months.map(({ month, count }) => withCount(monthText(month), count))}
      labelTitle="Month"
      along={{ kind: 'time', at: months.map(({ month }) => startOf(month)), range }}
      series={[{ name: 'Median', values: months.map(({ medianPrice }) => medianPrice) }]}
      nullWords={(at) => whyOf(months[at], coverage)}
      hatched={(at) => months[at]?.count === null}
    />
  );
}

const whyOf = (priced: { readonly count: number | null } | undefined, coverage: string | null): string =>
  priced === undefined ? 'not asked for' : whyNoPrice(priced, coverage);

const withCount = (when: string, count: number | null): string =>
  count === null || count === 0 ? when : `${when}, ${countText(count, 'sale')}`;

const startOf = (month: string): number => Date.parse(`${month}-01T00:00:00Z`);
const middleOf = (year: number): number => Date.UTC(year, 6);
