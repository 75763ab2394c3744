// For work beside a service, which may take its time: it gets the processor while nothing else wants it, and leaves the disk room.

import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { constants, setPriority } from 'node:os';

/** What files may be fetched at, and a release read and written: a third of what the smallest disks of cloud machines are allowed. */
export const gentleBytesPerSecond = 40_000_000;

/** For the start of a process: its threads have it from the beginning. */
export const lowestPriority = constants.priority.PRIORITY_LOW;

/** Of this process. Where there is no `chrt`, its low priority has to do: the kernel lets that finish its slice of a few
 *  milliseconds before an answer that has just become possible, and an idle process not. */
export async function giveWay(): Promise<void> {
  setPriority(lowestPriority);
  const pid = String(process.pid);
  await run('chrt', ['--all-tasks', '--idle', '--pid', '0', pid]);
  const half = upperHalfOfProcessors();
  if (half !== undefined) await run('taskset', ['--all-tasks', '--cpu-list', '--pid', half, pid]);
}

/** An idle process still empties the caches of the processor that it runs on, and a service beside it waits for its memory: one
 *  half is left to the service. Undefined where the system does not say, or there is only one. */
function upperHalfOfProcessors(): string | undefined {
  if (process.platform !== 'linux') return undefined;
  const allowed = /^Cpus_allowed_list:\s*(\S+)$/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1] ?? '';
  const processors = allowed.split(',').flatMap((range) => {
    const [first = Number.NaN, last = first] = range.split('-').map(Number);
    return Array.from({ length: last - first + 1 || 0 }, (_, at) => first + at);
  });
  return processors.length < 2 ? undefined : processors.slice(Math.ceil(processors.length / 2)).join(',');
}

async function run(program: string, args: readonly string[]): Promise<void> {
  const change = spawn(program, args, { stdio: 'ignore' });
  await new Promise((resolve) => change.once('error', resolve).once('close', resolve));
}
