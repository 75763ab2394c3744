// Calls are counted by the hour: when the last one was is known no closer.

import { sinceText } from '../formats.ts';

const hourMs = 3_600_000;

export const hourText = (hour: number): string =>
  Date.now() - hour < hourMs ? 'this hour' : sinceText(hour);
