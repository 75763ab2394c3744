// Calls or credits over days, whole or split.

import { useState } from 'preact/hooks';
import type { UsageRowView } from '../../../src/portal/views.ts';
import { Chart } from '../../components/chart.tsx';
import { Choice } from '../../components/form.tsx';
import { Answered } from '../../components/notice.tsx';
import { Part } from '../../components/parts.tsx';
import { dayText } from '../../formats.ts';
import {
  type DaySeries,
  inBars,
  inWeeks,
  type Measure,
  type Part as PartName,
  perDay,
  seriesOf,
} from './sums.ts';
import { useUsage } from './use-usage.ts';

type Split = 'none' | PartName;

const splits = [
  { value: 'none', label: 'Not split' },
  { value: 'endpoint', label: 'By endpoint' },
  { value: 'key', label: 'By key' },
  { value: 'status', label: 'By status' },
] as const;

const measures = [
  { value: 'calls', label: 'Calls' },
  { value: 'credits', label: 'Credits' },
] as const;

/** More days than this are shown by week. */
const daysMost = 100;

type OverDaysWish = {
  readonly accountId: string;
  readonly days: readonly string[];
  /** By day and status: what is split otherwise is asked for. */
  readonly rows: readonly UsageRowView[];
  readonly nameOfKey: (keyId: string) => string;
};

export function OverDays({ accountId, days, rows, nameOfKey }: OverDaysWish) {
  const [measure, setMeasure] = useState<Measure>('calls');
  const [split, setSplit] = useState<Split>('none');
  const nameOf = split === 'key' ? nameOfKey : (name: string) => name;
  const whole = { name: measureNames[measure], values: perDay(rows, days, measure) };
  return (
    <Part title="Over time">
      <div class="stack">
        <div class="filters">
          <Choice label="Show" value={measure} options={measures} onValue={setMeasure} />
          <Choice label="Split" value={split} options={splits} onValue={setSplit} />
        </div>
        {split === 'none' ? <Bars days={days} measure={measure} series={[whole]} /> : null}
        {split === 'status' ? (
          <Bars
            days={days}
            measure={measure}
            series={seriesOf(rows, { part: split, measure, days, nameOf })}
          />
        ) : null}
        {split === 'endpoint' || split === 'key' ? (
          <SplitBars accountId={accountId} days={days} measure={measure} part={split} nameOf={nameOf} />
        ) : null}
      </div>
    </Part>
  );
}

const measureNames = { calls: 'Calls', credits: 'Credits' } as const;

type BarsWish = {
  readonly days: readonly string[];
  readonly measure: Measure;
  /** A value for each day. */
  readonly series: readonly DaySeries[];
};

function Bars({ days, measure, series }: BarsWish) {
  const isWeekly = days.length > daysMost;
  const bars = isWeekly ? inWeeks(days) : days.map((day) => [day]);
  return (
    <Chart
      title={`${measureNames[measure]} a ${isWeekly ? 'week' : 'day'}`}
      labelTitle={isWeekly ? 'Week from' : 'Day'}
      labels={bars.map(([first = '']) => dayText(first))}
      series={series.map(({ name, values }) => ({ name, values: inBars(values, bars) }))}
    />
  );
}

type SplitBarsWish = {
  readonly accountId: string;
  readonly days: readonly string[];
  readonly measure: Measure;
  readonly part: PartName;
  readonly nameOf: (name: string) => string;
};

function SplitBars({ accountId, days, measure, part, nameOf }: SplitBarsWish) {
  const asked = useUsage({ accountId, days, by: `day,${part}` });
  return (
    <Answered of={asked} lines={8}>
      {({ rows }) => (
        <Bars days={days} measure={measure} series={seriesOf(rows, { part, measure, days, nameOf })} />
      )}
    </Answered>
  );
}
