// The figures of the service. Counting is an addition to a plain number, since every request pays for it; what can be asked
// for at any time is asked for only when somebody reads. exposition.ts writes them.

import { defined } from '../out-of-range.ts';
import { type LabelsOf, type MetricName, type MetricRow, metricTable, type NameOf } from './table.ts';

export class Counter {
  value = 0;

  add(more: number): void {
    this.value += more;
  }
}

export class Histogram {
  readonly bounds: readonly number[];
  /** Per bucket, not cumulative; the last one is +Inf. */
  readonly buckets: number[];
  sum = 0;

  constructor(bounds: readonly number[]) {
    this.bounds = bounds;
    this.buckets = Array.from({ length: bounds.length + 1 }, () => 0);
  }

  observe(value: number): void {
    const { bounds, buckets } = this;
    let place = 0;
    while (place < bounds.length && value > defined(bounds[place])) place += 1;
    buckets[place] = defined(buckets[place]) + 1;
    this.sum += value;
  }
}

/** By the labels as they are written; none is the empty text. */
type Series<T> = Map<string, T>;

/** What was counted, and read just now. */
export type MetricsSnapshot = {
  readonly numbers: ReadonlyMap<string, ReadonlyMap<string, number>>;
  readonly histograms: ReadonlyMap<string, ReadonlyMap<string, Pick<Histogram, 'buckets' | 'sum'>>>;
};

/** Tells the present value of a gauge. */
export type SetGauge = <Name extends NameOf<'gauge'>>(
  name: Name,
  value: number,
  ...labels: LabelsOf<Name>
) => void;

type ReadGauges = (set: SetGauge) => void | Promise<void>;

export class Metrics {
  readonly #counters = new Map<string, Series<Counter>>();
  readonly #histograms = new Map<string, Series<Histogram>>();
  readonly #readers: ReadGauges[] = [];

  /** Whoever counts often keeps what this returns. */
  counter<Name extends NameOf<'counter'>>(name: Name, ...labels: LabelsOf<Name>): Counter {
    return findOrMake(this.#counters, name, labelText(name, labels), () => new Counter());
  }

  histogram<Name extends NameOf<'histogram'>>(name: Name, ...labels: LabelsOf<Name>): Histogram {
    const { buckets } = metricTable[name];
    return findOrMake(this.#histograms, name, labelText(name, labels), () => new Histogram(buckets));
  }

  /** Gauges are read anew each time: what `read` does not tell then is absent. */
  onRead(read: ReadGauges): void {
    this.#readers.push(read);
  }

  async snapshot(): Promise<MetricsSnapshot> {
    const numbers = new Map<string, Series<number>>();
    const set: SetGauge = (name, value, ...labels) =>
      seriesOf(numbers, name).set(labelText(name, labels), value);
    for (const read of this.#readers) {
      try {
        await read(set);
      } catch {
        // What cannot be read is missing, and counted; the other figures are the more needed then.
        this.counter('domesday_figures_failed_total').add(1);
      }
    }
    for (const [name, series] of this.#counters) {
      for (const [labels, { value }] of series) seriesOf(numbers, name).set(labels, value);
    }
    return { numbers, histograms: this.#histograms };
  }
}

function seriesOf<T>(families: Map<string, Series<T>>, name: string): Series<T> {
  const known = families.get(name);
  if (known !== undefined) return known;
  const made: Series<T> = new Map();
  families.set(name, made);
  return made;
}

function findOrMake<T>(families: Map<string, Series<T>>, name: string, labels: string, make: () => T): T {
  const series = seriesOf(families, name);
  const known = series.get(labels);
  if (known !== undefined) return known;
  const made = make();
  series.set(labels, made);
  return made;
}

/** As they stand between the braces. */
function labelText(name: MetricName, [values]: readonly Readonly<Record<string, string>>[]): string {
  const row: MetricRow = metricTable[name];
  return row.labels.map((label) => `${label}="${escaped(defined(values?.[label]))}"`).join();
}

const escaped = (value: string): string =>
  value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');
