// Of which day the stops of an area are. Areas come together in one list or each in its own, so that each has a day; an older
// list of an area is told from one in which nothing has changed for months.

import type { AreaDays } from '../../tables/transport/stops.ts';
import { formatDay } from '../../uk/calendar.ts';

const laterOf = (a: number | undefined, b: number | undefined): number | undefined =>
  a === undefined || b === undefined ? (a ?? b) : Math.max(a, b);

type Told = { readonly listed: number | undefined; readonly changed: number | undefined };

/** What the rows of the files tell. */
export class DaysOfAreas {
  /** The newest change in all files; undefined where no row tells one. */
  newest: number | undefined;
  readonly #areas = new Map<string, Told>();
  /** Of the file that is being read. */
  readonly #changed = new Map<string, number | undefined>();

  /** A stop of the area, with the day on which it was changed. */
  add(area: string, day: number | undefined): void {
    this.#changed.set(area, laterOf(this.#changed.get(area), day));
  }

  /** Each area of a list is of the day of the list. */
  endFile(): void {
    const listed = [...this.#changed.values()].reduce(laterOf, undefined);
    for (const [area, changed] of this.#changed) {
      const known = this.#areas.get(area);
      this.#areas.set(area, {
        listed: laterOf(known?.listed, listed),
        changed: laterOf(known?.changed, changed),
      });
    }
    this.newest = laterOf(this.newest, listed);
    this.#changed.clear();
  }

  /** By area; `day` for lists whose rows tell none. */
  orElse(day: number): Map<string, AreaDays> {
    return new Map(
      [...this.#areas].map(([area, { listed, changed }]) => [area, { listed: listed ?? day, changed }]),
    );
  }
}

type Age = {
  readonly area: string;
  readonly age: 'older' | 'not older' | 'not known';
  /** The day that the area is known to be of. */
  readonly listed: number;
  readonly lost?: string;
};

/** A list of some areas may have had no change for months. One of an earlier day is older where the loaded one of the same
 *  area has later changes. */
export function compareDays(area: string, before: AreaDays, now: AreaDays): Age {
  const listed = Math.max(before.listed, now.listed);
  if (now.listed >= before.listed) return { area, age: 'not older', listed };
  if (before.changed === undefined || now.changed === undefined) return { area, age: 'not known', listed };
  if (now.changed >= before.changed) return { area, age: 'not older', listed };
  const lost = `changes of area ${area} from ${formatDay(now.changed)} to ${formatDay(before.changed)}`;
  return { area, age: 'older', listed, lost };
}
