// The ground of the explorer's map over a home with the country loaded: how much of the thread's processor time a tile takes, how
// large it is, and how long anybody else waits for the work that is done once a release.

import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setImmediate } from 'node:timers/promises';
import { brotliCompressSync } from 'node:zlib';
import { openBackdrop } from '../../src/backdrop/backdrop.ts';
import { worldOf } from '../../src/backdrop/tile-address.ts';
import { openHome } from '../../src/release/store.ts';
import { layouts } from '../../src/tables/index.ts';

const [nation] = process.argv.slice(2);
if (nation === undefined) throw new Error('Name a home with the country loaded: npm run backdrop -- HOME');

const release = openHome(nation, layouts).releases.openCurrent();
const places = [
  ['City of London', 51.5155, -0.0922],
  ['Westminster', 51.4975, -0.1357],
  ['Croydon', 51.3762, -0.0982],
  ['Birmingham', 52.4862, -1.8904],
  ['Manchester', 53.4808, -2.2426],
  ['Newport', 51.5545, -3.0271],
  ['Glasgow', 55.8642, -4.2518],
  ['Lerwick', 60.1545, -1.1494],
] as const;

const delay = monitorEventLoopDelay({ resolution: 1 });
delay.enable();
const begunMs = performance.now();
const backdrop = openBackdrop(release);
await backdrop.tile({ z: 6, x: 31, y: 21 });
await setImmediate();
delay.disable();
console.log(
  `Cells of postcodes, names and the country's grid, once a release: ${(performance.now() - begunMs).toFixed(0)} ms in turns, the longest ${(delay.max / 1e6).toFixed(1)} ms`,
);

for (const z of [6, 9, 12] as const) {
  const lines: {
    readonly ms: number;
    readonly bytes: number;
    readonly sent: number;
    readonly name: string;
  }[] = [];
  for (const [name, latitude, longitude] of places) {
    const world = worldOf(latitude, longitude);
    const [x, y] = [Math.floor(world.x * 2 ** z), Math.floor(world.y * 2 ** z)];
    for (const [right, down] of [
      [0, 0],
      [1, 0],
      [-1, 0],
      [0, 1],
      [0, -1],
      [1, 1],
    ] as const) {
      const started = process.threadCpuUsage();
      const tile = await backdrop.tile({ z, x: x + right, y: y + down });
      const { user, system } = process.threadCpuUsage(started);
      const ms = (user + system) / 1_000;
      // Kept ones are not counted.
      if (ms > 0.05) lines.push({ ms, bytes: tile.length, sent: brotliCompressSync(tile).length, name });
    }
  }
  const times = lines.map(({ ms }) => ms).sort((a, b) => a - b);
  const slowest = lines.reduce((worst, line) => (line.ms > worst.ms ? line : worst));
  const largest = lines.reduce((most, line) => (line.bytes > most.bytes ? line : most));
  console.log(
    `Zoom ${z}: ${lines.length} tiles, median ${times[times.length >> 1]?.toFixed(2)} ms, slowest ${slowest.ms.toFixed(2)} ms (${slowest.name}); largest ${largest.bytes} bytes, ${largest.sent} compressed (${largest.name})`,
  );
}
