// On which days the services of a GTFS feed run, and the Tuesday that stands for them: no holiday, and a day on which
// nearly every route runs.

import { dayOf } from '../../uk/calendar.ts';

/** How many Tuesdays are compared, from the first of the feed's validity on. */
const tuesdaysCompared = 8;
const daysAWeek = 7;
/** 1970-01-06. */
const firstTuesday = 5;

export type Span = { readonly from: number; readonly to: number };

/** YYYYMMDD; undefined where it is no date. */
export function parseGtfsDay(text: string): number | undefined {
  const found = /^(\d{4})(\d\d)(\d\d)$/.exec(text.trim());
  return found === null ? undefined : dayOf(Number(found[1]), Number(found[2]), Number(found[3]));
}

const isTuesday = (day: number) => (day - firstTuesday) % daysAWeek === 0;
const tuesdayFrom = (day: number) => day + ((((firstTuesday - day) % daysAWeek) + daysAWeek) % daysAWeek);

type Exception = { readonly service: number; readonly day: number; readonly form: 'added' | 'removed' };

export class GtfsCalendar {
  /** Service id → its number. */
  readonly #numbers = new Map<string, number>();
  /** Tuesdays from and to; services that run on no Tuesday are not here. */
  readonly #weekly = new Map<number, Span>();
  readonly #exceptions: Exception[] = [];
  #first = Number.POSITIVE_INFINITY;
  #last = Number.NEGATIVE_INFINITY;

  addService(id: string, span: Span, onTuesdays: 'runs' | 'rests'): void {
    const service = this.numberOf(id);
    this.#widen(span.from, span.to);
    if (onTuesdays === 'runs') this.#weekly.set(service, span);
  }

  addException(id: string, day: number, form: Exception['form']): void {
    const service = this.numberOf(id);
    this.#widen(day, day);
    if (isTuesday(day)) this.#exceptions.push({ service, day, form });
  }

  numberOf(id: string): number {
    const known = this.#numbers.get(id);
    if (known !== undefined) return known;
    this.#numbers.set(id, this.#numbers.size);
    return this.#numbers.size - 1;
  }

  get isEmpty(): boolean {
    return this.#numbers.size === 0;
  }

  /** For a feed that does not say when it is valid: the span of its services, from the day of the file on if that is
   *  within it. */
  spanAround(day: number): Span {
    const latest = Math.max(this.#first, this.#last - daysAWeek * tuesdaysCompared);
    return { from: Math.min(Math.max(day, this.#first), latest), to: this.#last };
  }

  /** The first Tuesdays of a span. */
  tuesdaysOf({ from, to }: Span): readonly number[] {
    const first = tuesdayFrom(from);
    return Array.from({ length: tuesdaysCompared }, (_, week) => first + week * daysAWeek).filter(
      (day) => day <= to,
    );
  }

  /** Numbers of the services that run on a day. */
  servicesOn(day: number): ReadonlySet<number> {
    const running = new Set<number>();
    for (const [service, { from, to }] of this.#weekly) if (from <= day && day <= to) running.add(service);
    for (const { service, day: at, form } of this.#exceptions) {
      if (at !== day) continue;
      if (form === 'added') running.add(service);
      else running.delete(service);
    }
    return running;
  }

  #widen(from: number, to: number): void {
    this.#first = Math.min(this.#first, from);
    this.#last = Math.max(this.#last, to);
  }
}
