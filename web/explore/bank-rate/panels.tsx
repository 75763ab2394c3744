// Bank Rate since 1975, the same everywhere; below it, where a reader wants that, what homes of the place cost meanwhile.

import { Button } from '../../components/button.tsx';
import { Chart } from '../../components/chart.tsx';
import { Choice } from '../../components/form.tsx';
import { Figures } from '../../components/parts.tsx';
import { countText, dayText, monthText, poundsText, shortPounds } from '../../formats.ts';
import { setQuery, useQuery } from '../../router.ts';
import { Panel } from '../panel.tsx';
import type { PanelsWish, Place } from '../place.ts';
import { useCost } from '../prices/cost.ts';
import { silenceOfSales, whyNoPrice } from '../prices/figures.ts';
import { NoSales } from '../prices/no-sales.tsx';
import { withinText } from '../prices/question.ts';
import { toldOf, useCall } from '../use-call.ts';
import { type RateHistory, spanOf, spans, stepsIn } from './history.ts';

export function BankRatePanel({ place }: PanelsWish) {
  const called = useCall('/bank-rates', { limit: 500 });
  const query = useQuery();
  const span = spans.find(({ value }) => value === query.get('rate'))?.value ?? 'all';
  const isBeside = query.get('rate-beside') === 'prices';
  const history = toldOf(called);
  return (
    <>
      <Panel id="bank-rate" title="Bank Rate" called={called} room={{ desk: 612, phone: 677 }}>
        {(told) => (
          <div class="stack">
            <Rate history={told} />
            <div class="rate-controls">
              <Choice
                label="Period"
                value={span}
                options={spans}
                onValue={(value) => setQuery({ rate: value === 'all' ? undefined : value }, { as: 'push' })}
              />
              <PricesSwitch isBeside={isBeside} />
            </div>
            <RateChart history={told} range={spanOf(told, span, today())} />
          </div>
        )}
      </Panel>
      {history !== undefined && isBeside ? (
        <PricesMeanwhile place={place} range={spanOf(history, span, today())} />
      ) : null}
    </>
  );
}

const dayMs = 86_400_000;
/** Its beginning, so that the chart stays the same meanwhile. */
const today = (): number => Math.floor(Date.now() / dayMs) * dayMs;

const rateText = (rate: number): string => `${rate}%`;

function Rate({ history: { current, rateChanges } }: { readonly history: RateHistory }) {
  const [, before] = rateChanges;
  return (
    <Figures
      figures={[
        {
          label: current.label,
          value: rateText(current.rate),
          note: `since ${dayText(current.effectiveFrom)}`,
        },
        ...(before === undefined
          ? []
          : [{ label: 'Previous rate', value: rateText(before.rate), note: `from ${dayText(before.date)}` }]),
      ]}
    />
  );
}

type Range = readonly [fromMs: number, toMs: number];

function RateChart({ history, range }: { readonly history: RateHistory; readonly range: Range }) {
  const steps = stepsIn(history, range[0]);
  return (
    <Chart
      title="Bank Rate, percent a year"
      labels={steps.map(({ date }) => `From ${dayText(date)}`)}
      labelTitle="From"
      kind="step"
      along={{ kind: 'time', at: steps.map(({ date }) => Date.parse(`${date}T00:00:00Z`)), range }}
      series={[{ name: 'Percent a year', values: steps.map(({ rate }) => rate) }]}
      format={rateText}
      axisText={rateText}
      heightPixels={260}
    />
  );
}

function PricesSwitch({ isBeside }: { readonly isBeside: boolean }) {
  const cost = useCost('/area/sold-prices/trend');
  return (
    <Button onPress={() => setQuery({ 'rate-beside': isBeside ? undefined : 'prices' }, { as: 'push' })}>
      {isBeside ? 'Hide prices' : `Show prices below (${cost})`}
    </Button>
  );
}

function PricesMeanwhile({ place, range }: { readonly place: Place; readonly range: Range }) {
  const name = withinText(place, 'outcode');
  const called = useCall('/area/sold-prices/trend', { outcode: name, months: 360 });
  return (
    <Panel
      id="prices-meanwhile"
      title={`Prices in ${name} meanwhile`}
      called={called}
      room={{ desk: 380, phone: 420 }}
    >
      {(trend, answer) => {
        const silence = silenceOfSales(answer);
        if (silence !== undefined)
          return <NoSales name={name} silence={silence} when={`within ${trend.period}`} />;
        const months = trend.months.filter(({ month }) => startOf(month) >= range[0]);
        return (
          <Chart
            title={`Median price by month in ${name}`}
            note="At most the last 30 years: the register begins in 1995."
            labels={months.map(
              ({ month, count }) =>
                `${monthText(month)}${count === null || count === 0 ? '' : `, ${countText(count, 'sale')}`}`,
            )}
            labelTitle="Month"
            kind="line"
            along={{ kind: 'time', at: months.map(({ month }) => startOf(month)), range }}
            series={[{ name: 'Median', values: months.map(({ medianPrice }) => medianPrice) }]}
            format={poundsText}
            axisText={shortPounds}
            nullWords={(at) =>
              months[at] === undefined ? 'not asked for' : whyNoPrice(months[at], answer.coverage)
            }
            hatched={(at) => months[at]?.count === null}
            heightPixels={260}
          />
        );
      }}
    </Panel>
  );
}

const startOf = (month: string): number => Date.parse(`${month}-01T00:00:00Z`);
