// An update is killed outright at every step that it takes on the disk, from the first byte to the last note.

import { openKilling, spread } from '../update/killing.ts';
import type { Fault } from './fault.ts';

const sources = [
  'onspd',
  'bikepoint',
  'bank-rate',
  'ofsted',
  'aadf',
  'naptan',
  'census-england-wales',
  'council-tax',
] as const;

async function killUpdates(kills: number): Promise<string> {
  const ends: (() => void)[] = [];
  try {
    const { steps, killAt } = await openKilling({ after: (end) => void ends.push(end) }, sources);
    const chosen = spread(steps, Math.min(kills, steps.length));
    await killAt(chosen);
    return `${chosen.length} kills at ${steps.length} steps; each next run ended well, with the parts of an undisturbed one`;
  } finally {
    for (const end of ends) end();
  }
}

export const killedUpdates: Fault = {
  name: 'kill -9 of an update',
  promise:
    'while files come, while they are loaded, while the release is switched: the next update ends as if there had been none',
  run: (scale) => killUpdates(scale === 'long' ? Number.POSITIVE_INFINITY : 200),
};
