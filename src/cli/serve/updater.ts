// Updates of the data that the service runs by itself: `domesday update` as a process of its own, at low priority, so that
// reading gigabytes never delays an answer. The service notices the new release as it notices any.

import { spawn } from 'node:child_process';
import { setPriority } from 'node:os';
import { fileURLToPath } from 'node:url';
import type { UpdateTime } from '../../config/values.ts';
import type { Settings } from '../../config.ts';
import type { Log } from '../../http/observe/log.ts';
import { hourMs } from '../../time.ts';
import type { Io } from '../command.ts';
import { lowestPriority } from '../give-way.ts';
import { firstRunMs, nextRunMs } from './updates.ts';

/** Of what it writes; its last words count. */
const mostSaid = 8_192;
/** Timers of longer than some 24 days fire at once. */
const longestTimerMs = hourMs;

type Running = { readonly stop: () => void; readonly ended: Promise<void> };

type Updating = {
  readonly time: UpdateTime;
  readonly settings: Settings;
  readonly io: Pick<Io, 'env' | 'now'>;
  readonly log: Log;
  /** After the start, where a run is overdue. */
  readonly soonMs: number;
};

/** Returns what ends it, with the update that runs. */
export function updateByItself({ time, settings, io, log, soonMs }: Updating): () => Promise<void> {
  const { env, now } = io;
  let running: Running | undefined;
  let timer: NodeJS.Timeout | undefined;
  const wait = (untilMs: number) => {
    const leftMs = untilMs - now();
    timer = setTimeout(
      () => (leftMs > longestTimerMs ? wait(untilMs) : begin()),
      Math.min(Math.max(leftMs, 0), longestTimerMs),
    );
    timer.unref();
  };
  const begin = () => {
    log.info('an update of the data begins');
    running = runUpdate(settings, env, log);
    void running.ended.then(() => {
      running = undefined;
      wait(nextRunMs(time, settings.home, now()));
    });
  };
  wait(firstRunMs(time, settings.home, now(), soonMs));
  return async () => {
    clearTimeout(timer);
    running?.stop();
    await running?.ended;
    clearTimeout(timer);
  };
}

const statuses: Readonly<Record<number, string>> = {
  0: 'the update ended: everything is up to date',
  1: 'the update failed, and the data stays as it was',
  3: 'the update ended, and some datasets keep their old data',
};

function runUpdate(settings: Settings, env: Io['env'], log: Log): Running {
  const main = fileURLToPath(new URL('../main.ts', import.meta.url));
  const child = spawn(process.execPath, [main, 'update', ...flagsOf(settings)], {
    env: { ...env, ...rhythmOf(settings) },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  if (child.pid !== undefined) setPriority(child.pid, lowestPriority);
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said = `${said}${text}`.slice(-mostSaid);
  });
  const ended = new Promise<void>((resolve) => {
    child.on('error', (error) => {
      log.fault('an update of the data could not be started', error);
      resolve();
    });
    child.on('close', (status) => {
      const what = statuses[status ?? -1] ?? `the update was ended (${status ?? 'by a signal'})`;
      const level = status === 0 ? 'info' : 'warn';
      const reason = reasonIn(said);
      log[level](status === 0 || reason === undefined ? what : `${what}: ${reason}`);
      resolve();
    });
  });
  return { stop: () => void child.kill('SIGTERM'), ended };
}

/** The last line that is no part of a stack: after a fault of the program, Node writes one, and then its own version. */
const reasonIn = (said: string): string | undefined =>
  said.split('\n').findLast((line) => /^\S/.test(line) && !line.startsWith('Node.js v'));

/** Has no flag of its own there. */
const rhythmOf = ({ updateRhythm }: Settings): Readonly<Record<string, string>> =>
  updateRhythm === undefined
    ? {}
    : { DOMESDAY_UPDATE_RHYTHM: [...updateRhythm].map(([name, days]) => `${name}=${days}`).join() };

/** Flags of the service are no environment of the update. As JSON: nobody reads the terms that it would tell. */
export const flagsOf = ({
  home,
  updateSet,
  updateFrom,
  updateAddresses,
  acceptLicences,
}: Settings): readonly string[] => [
  ...['--json', '--gently', '--home', home, '--set', updateSet],
  ...(updateFrom === undefined ? [] : ['--from', updateFrom]),
  ...(acceptLicences === undefined ? [] : ['--accept-licences', [...acceptLicences].join(',')]),
  ...(updateAddresses === undefined
    ? []
    : ['--address', [...updateAddresses].map(([name, address]) => `${name}=${address}`).join(',')]),
];
