// Bank Rate since 1975, the same everywhere; below it, where a reader wants that, what homes of the place cost meanwhile.

import { Button } from '../../components/button.tsx';
import { Chart } from '../../components/chart.tsx';
import { Choice } from '../../components/form.tsx';
import { Figures } from '../../components/parts.tsx';
import { dayText } from '../../formats.ts';
import { setQuery, useQuery } from '../../router.ts';
import { bankRateCall } from '../calls/place-calls.ts';
import { toldOf, useCall } from '../calls/use-call.ts';
import { Panel } from '../panel.tsx';
import { useCost } from '../payer.ts';
import type { PanelsWish } from '../place.ts';
import { type Range, type RateHistory, spanOf, spans, stepsIn } from './history.ts';
import { PricesMeanwhile } from './prices-meanwhile.tsx';

export function BankRatePanel({ place }: PanelsWish) {
  const called = useCall(bankRateCall);
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
  const cost = useCost('/area/sold-prices/trend', '/area/sold-prices');
  return (
    <Button onPress={() => setQuery({ 'rate-beside': isBeside ? undefined : 'prices' }, { as: 'push' })}>
      {isBeside ? 'Hide prices' : `Show prices below (${cost === 'free' ? cost : `up to ${cost}`})`}
    </Button>
  );
}
