// An update of the data that an operator begins on a page: `domesday update` as a process of its own. What it says is kept in the
// home, so that every answering thread can tell it.

import { spawn } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { setPriority } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Settings } from '../../config.ts';
import { errorCode } from '../../errno.ts';
import { isObject, parseJson } from '../../json.ts';
import type { Loading, LoadingDesk } from '../../portal/views.ts';
import { updatesFolder } from '../../update/state.ts';
import { lowestPriority } from '../give-way.ts';
import { flagsOf } from './updater.ts';

const linesMost = 12;

type Kept = { readonly pid: number; readonly startedAtMs: number; readonly lines: readonly string[] };

export function openLoading(
  settings: Settings,
  now: () => number,
): LoadingDesk & { readonly stop: () => void } {
  const file = path.join(updatesFolder(settings.home), 'page.json');
  let stop = () => {};
  return {
    mayBegin: settings.releasesUrl === undefined ? 'yes' : 'a replica loads nothing',
    progress: () => told(readKept(file)),
    begin: () => {
      if (told(readKept(file))?.state === 'running') return 'running already';
      const main = fileURLToPath(new URL('../main.ts', import.meta.url));
      const child = spawn(process.execPath, [main, 'update', ...flagsOf(settings)], {
        stdio: ['ignore', 'ignore', 'pipe'],
      });
      const { pid } = child;
      if (pid === undefined) return 'failed';
      setPriority(pid, lowestPriority);
      stop = () => void child.kill('SIGTERM');
      const startedAtMs = now();
      let said = '';
      const keep = () => {
        const lines = said.split('\n').filter((line) => line !== '');
        writeFileSync(file, JSON.stringify({ pid, startedAtMs, lines: lines.slice(-linesMost) }));
      };
      mkdirSync(path.dirname(file), { recursive: true });
      keep();
      child.stderr.setEncoding('utf8').on('data', (text: string) => {
        said = `${said}${text}`.slice(-8_192);
        keep();
      });
      child.on('error', ({ message }) => {
        said += `${message}\n`;
        keep();
      });
      child.on('close', (status) => {
        said += `${status === 0 ? 'Everything is up to date.' : status === 3 ? 'Some datasets keep their old data.' : 'The update ended; the data stays as it was.'}\n`;
        keep();
      });
      return 'begun';
    },
    stop: () => stop(),
  };
}

function readKept(file: string): Kept | undefined {
  try {
    const kept = parseJson(readFileSync(file, 'utf8'));
    if (!isObject(kept)) return undefined;
    const { pid, startedAtMs, lines } = kept;
    const isWhole = typeof pid === 'number' && typeof startedAtMs === 'number' && Array.isArray(lines);
    return isWhole ? { pid, startedAtMs, lines: lines.map(String) } : undefined;
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}

const told = (kept: Kept | undefined): Loading | null =>
  kept === undefined
    ? null
    : {
        state: isAlive(kept.pid) ? 'running' : 'ended',
        startedAtMs: kept.startedAtMs,
        lines: kept.lines,
      };

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return errorCode(error) === 'EPERM';
  }
}
