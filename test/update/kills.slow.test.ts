// kill -9 while files come, while they are loaded and while the release is switched: the next update ends as if there had
// been none. `npm run faults -- update` does it at two hundred steps.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type Killing, openKilling, spread } from './killing.ts';

let killing: Killing;
const ends: (() => void)[] = [];
before(async () => {
  killing = await openKilling({ after: (end) => void ends.push(end) }, ['onspd', 'bikepoint', 'bank-rate']);
});
after(() => {
  for (const end of ends) end();
});

const phases = [
  {
    name: 'while files come',
    isOf: (step: string) => step.includes('updates/files') && !isRemoval(step),
    kills: 8,
  },
  { name: 'while they are loaded', isOf: (step: string) => step.includes('releases/.building-'), kills: 8 },
  {
    name: 'while the release is switched and the files are removed',
    isOf: (step: string) => / releases\/(?!\.)|updates\/state/.test(step) || isRemoval(step),
    kills: 4,
  },
];
const isRemoval = (step: string) => /^rmSync updates\/files\/[^/]+$/.test(step);

for (const { name, isOf, kills } of phases) {
  test(`killed at any of ${kills} steps ${name}, the next update ends with the data of one that was not disturbed`, async () => {
    const chosen = spread(killing.steps.filter(isOf), kills);
    assert.equal(chosen.length, kills);
    await killing.killAt(chosen);
  });
}

test('SIGTERM while files are loaded ends it: the release before stays, and the next update ends well', async () => {
  // After them a file is still to be read, so that the signal is heard before the release is switched.
  const steps = [
    'mkdirSync .building-*',
    'openSync .building-*/bank-rate.part',
    'fsyncSync .building-*/postcodes.part',
  ];
  await killing.stopAt(steps.map((step) => step.replace(' ', ' releases/')));
});
