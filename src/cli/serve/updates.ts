// What the home remembers of its updates, as the service tells it; and when the service runs the next one by itself.

import { createHash } from 'node:crypto';
import path from 'node:path';
import type { UpdateTime } from '../../config/values.ts';
import type { Settings } from '../../config.ts';
import type { Updates } from '../../contract/updates.ts';
import { dayMs, minuteMs } from '../../time.ts';
import { formatLondonMidnight, londonToday } from '../../uk/calendar.ts';
import { readUpdateState, type UpdateState } from '../../update/state.ts';

/** Callers without a key ask for it. */
const readAtMostEveryMs = 1_000;
/** A run that should have been, while nobody served, is made up for so long after the start. */
export const catchUpMs = minuteMs;
const jitterMinutes = 60;

type Told = Pick<Settings, 'home' | 'update'>;

export function openUpdates(settings: Told, now: () => number): () => Updates {
  const { home, update } = settings;
  let read = { atMs: Number.NEGATIVE_INFINITY, state: readUpdateState(home) };
  const firstMs = update === undefined ? 0 : firstRunMs(update, home, now(), catchUpMs);
  return () => {
    const nowMs = now();
    if (Math.abs(nowMs - read.atMs) >= readAtMostEveryMs) {
      read = { atMs: nowMs, state: readUpdateState(home) };
    }
    const nextMs = update === undefined || nowMs < firstMs ? firstMs : nextRunMs(update, home, nowMs);
    return told(read.state, update === undefined ? null : new Date(nextMs).toISOString());
  };
}

function told({ publications, lastRun }: UpdateState, nextRun: string | null): Updates {
  return {
    publications: Object.entries(publications).map(
      ([publication, { dataset, checkedAt, changedAt, failing }]) => ({
        dataset,
        publication,
        lastChecked: checkedAt ?? null,
        lastChanged: changedAt ?? null,
        failingSince: failing?.since ?? null,
        failingBecause: failing?.why ?? null,
      }),
    ),
    lastRun:
      lastRun === undefined
        ? null
        : {
            startedAt: lastRun.startedAt,
            endedAt: lastRun.endedAt,
            outcome: lastRun.outcome,
            release: lastRun.release,
          },
    nextRun,
  };
}

/** The next moment of the setting, by the clocks of the UK. Homes differ by up to an hour, so that not all services of a
 *  country ask in the same minute. */
export function nextRunMs({ every, minuteOfDay }: UpdateTime, home: string, nowMs: number): number {
  const shiftMs = (minuteOfDay + jitterOf(home)) * minuteMs;
  for (let day = londonToday(nowMs) - 1; ; day += 1) {
    const atMs = Date.parse(formatLondonMidnight(day)) + shiftMs;
    if (atMs > nowMs && (every === 'day' || isSunday(day))) return atMs;
  }
}

/** At the start of a service: so soon where a run is overdue. */
export function firstRunMs(time: UpdateTime, home: string, nowMs: number, soonMs: number): number {
  const { lastRun } = readUpdateState(home);
  const periodMs = time.every === 'day' ? dayMs : 7 * dayMs;
  const sinceMs = nowMs - Date.parse(lastRun?.startedAt ?? '');
  const isRecent = sinceMs >= 0 && sinceMs < periodMs + jitterMinutes * minuteMs;
  return isRecent ? nextRunMs(time, home, nowMs) : nowMs + soonMs;
}

/** Day 3 was the first Sunday of 1970. */
const isSunday = (day: number): boolean => (day - 3) % 7 === 0;

const jitterOf = (home: string): number =>
  createHash('sha256').update(path.resolve(home)).digest().readUInt32BE() % jitterMinutes;
