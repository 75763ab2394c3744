// Processor time of running processes, as Linux counts it.

import { readdirSync, readFileSync } from 'node:fs';

/** Of the system's clock that counts it. */
const ticksPerSecond = 100;

/** User and system time of a stat file, in microseconds. The name before it may hold spaces. */
function microsecondsIn(file: string): number {
  const text = readFileSync(file, 'utf8');
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  return ((Number(fields[11]) + Number(fields[12])) * 1e6) / ticksPerSecond;
}

export const mainThread = (pid: number): number => microsecondsIn(`/proc/${pid}/task/${pid}/stat`);

export const allThreads = (pid: number): number => microsecondsIn(`/proc/${pid}/stat`);

/** Of a process and those it started, as far as they still run. */
export function withChildren(pid: number): number {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ');
  return [pid, ...children.filter((child) => child !== '').map(Number)]
    .filter((each) => readdirSync('/proc').includes(String(each)))
    .reduce((sum, each) => sum + allThreads(each), 0);
}
