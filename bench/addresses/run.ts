// How long one match takes among 10,000 addresses of one postcode, for ordinary and hostile texts. Prints the median and
// the slowest of each case in milliseconds by the clock, and the slowest in processor time: that counts what Node's other
// threads compile meanwhile, but not what other programs do.

import { matchAddress } from '../../src/uk/address/match.ts';
import { type Figure, report } from '../figures.ts';
import { median } from '../rounds.ts';

const postcode = 'ZZ1 1AA';
const rounds = 21;
const count = 10_000;

const tower = Array.from(
  { length: count },
  (_, at) => `FLAT ${at + 1}, HERON COURT, 12 MERE ROAD, HALVERTON, ${postcode}`,
);
const street = Array.from(
  { length: count },
  (_, at) => `${at + 1} WELLINGTON CRESCENT, HALVERTON, ${postcode}`,
);
const same = Array.from({ length: count }, () => `FLAT 1, HERON COURT, 12 MERE ROAD, HALVERTON, ${postcode}`);
const twins = Array.from(
  { length: count },
  (_, at) => `FLAT 1, HERON ${at} COURT, 12 MERE ROAD, HALVERTON, ${postcode}`,
);
const hostile = Array.from(
  { length: count },
  (_, at) => `\u202eFL\u0300\u0301AT ${at} \ud83c\udfe0\u200d, M\u0113RE RO\u200bAD`,
);
const long = (text: string) => text.repeat(Math.ceil(2048 / text.length)).slice(0, 2048);

const cases: readonly (readonly [string, string, readonly string[]])[] = [
  ['found in a tower', 'Flat 9999, Heron Court, Mere Road', tower],
  ['not in the tower', 'Flat 10001, Heron Court', tower],
  ['flat not given', 'Heron Court, 12 Mere Road', tower],
  ['a slip', '9999 Welington Crescent', street],
  ['another street', '9999 Nelson Crescent', street],
  ['ten thousand times the same', 'flat 1 heron court', same],
  ['ten thousand twins', 'Flat 1, 12 Mere Road, Nowhere', twins],
  ['2 kB of words', long('Flat 1 Heron Court Mere Road '), tower],
  ['2 kB of numbers', long('1 '), tower],
  ['2 kB of commas', long('A,'), tower],
  ['2 kB of ligatures', long('\ufdfa'), tower],
  ['2 kB of marks', `Flat 1${long('\u0301')}`, tower],
  ['hostile list', 'Flat 77, Mere Road', hostile],
];

console.log(`node ${process.version}, ${count} candidates, ${rounds} rounds each`);
const figures: Figure[] = [];
for (const [name, text, candidates] of cases) {
  const times: number[] = [];
  let mostProcessorMs = 0;
  let outcome = '';
  for (let round = 0; round < rounds; round += 1) {
    const [start, used] = [performance.now(), process.cpuUsage()];
    const match = matchAddress(text, postcode, candidates);
    times.push(performance.now() - start);
    mostProcessorMs = Math.max(mostProcessorMs, process.cpuUsage(used).user / 1000);
    outcome = match.kind === 'unmatched' ? match.reason : match.kind;
  }
  const [middle, slowest] = [median(times), Math.max(...times)];
  figures.push({ what: name, value: middle, unit: 'ms', worst: slowest });
  console.log(
    `${name.padEnd(30)} ${middle.toFixed(1).padStart(7)} ${slowest.toFixed(1).padStart(7)} ${mostProcessorMs.toFixed(1).padStart(7)}   ${outcome}`,
  );
}
const worst = figures.reduce((a, b) => ((a.worst ?? 0) > (b.worst ?? 0) ? a : b));
report([{ ...worst, what: `slowest case (${worst.what})`, aim: '≤ 50 ms' }]);
