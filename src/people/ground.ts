// What every part of this room stands on.

import type { Records } from '../records/records.ts';

export type Ground = {
  readonly records: Records;
  readonly now: () => number;
};

export const minuteMs = 60_000;
export const hourMs = 60 * minuteMs;
export const dayMs = 24 * hourMs;
