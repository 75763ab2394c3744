// Sends the process a signal at a chosen step. A step is what it is about to do to the disk, such as "renameSync
// releases/current". To be called before what is watched is imported.

import fs from 'node:fs';
import fsPromises, { type FileHandle } from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import path from 'node:path';

/** Steps below the folder; without one to stop at, the set has them all in the end. */
export function signalAtStep(
  folder: string,
  signalAt: string | undefined,
  signal: string,
): ReadonlySet<string> {
  const steps = new Set<string>();

  /** Called before it is done. */
  function about(to: string, place: string): void {
    const relative = path.relative(folder, place);
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
  const realCopy = fsPromises.copyFile;
  Reflect.set(fsPromises, 'copyFile', (from: string, to: string) => {
    about('copyFile', to);
    return realCopy(from, to);
  });
  syncBuiltinESMExports();
  return steps;
}
