// `domesday update` as a process that gets a signal at a chosen step: node update-process.ts HOME FROM SOURCES [STEP SIGNAL]. A step
// is what the process is about to do to the disk, such as "renameSync releases/current". Without one it lists them all.

import fs from 'node:fs';
import fsPromises, { type FileHandle } from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import path from 'node:path';

const [home = '', from = '', names = '', signalAt, signal = ''] = process.argv.slice(2);
const steps = new Set<string>();

/** Called before it is done. */
function about(to: string, place: string): void {
  const relative = path.relative(home, place);
  if (relative.startsWith('..')) return;
  // Ids of releases and of files that are written aside differ from run to run.
  const step = `${to} ${relative.replaceAll(/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|\d{4}-\d\d-\d\dT\d{4}Z-[0-9a-f]{6}/g, '*')}`;
  if (step === signalAt && !steps.has(step)) process.kill(process.pid, signal);
  steps.add(step);
}

const places = new Map<number, string>();
const placeOf = (target: unknown): string =>
  typeof target === 'number' ? (places.get(target) ?? '/') : String(target);

for (const name of [
  'openSync',
  'writeSync',
  'fsyncSync',
  'renameSync',
  'linkSync',
  'copyFileSync',
  'mkdirSync',
  'rmSync',
] as const) {
  const real = fs[name];
  Reflect.set(fs, name, (...args: readonly unknown[]) => {
    const target =
      name === 'renameSync' || name === 'linkSync' || name === 'copyFileSync' ? args[1] : args[0];
    const isRead = name === 'openSync' && (args[1] === undefined || args[1] === 'r');
    if (!isRead) about(name, placeOf(target));
    const result: unknown = Reflect.apply(real, fs, args);
    if (name === 'openSync' && typeof result === 'number') places.set(result, String(target));
    return result;
  });
}

const realOpen = fsPromises.open;
Reflect.set(fsPromises, 'open', async (place: string, ...args: [string | number, number?]) => {
  about('open', place);
  const handle: FileHandle = await realOpen(place, ...args);
  for (const name of ['write', 'sync', 'truncate'] as const) {
    const real = handle[name];
    Reflect.set(handle, name, (...given: readonly unknown[]) => {
      about(name, place);
      return Reflect.apply(real, handle, given);
    });
  }
  return handle;
});
syncBuiltinESMExports();

// What is imported from here on sees the file system as it is above.
const { runUpdateIn } = await import('./desk.ts');
const ended = await runUpdateIn(home, from, names.split(','));
process.stdout.write(JSON.stringify({ ...ended, steps: [...steps] }));
