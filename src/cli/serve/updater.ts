// Updates of the data that the service runs by itself, or that an operator begins on a page: `domesday update` as a process of its
// own, at low priority, so that reading gigabytes never delays an answer. The service notices the new release as it notices any.

import { spawn } from 'node:child_process';
import { setPriority } from 'node:os';
import { fileURLToPath } from 'node:url';
import type { UpdateTime } from '../../config/values.ts';
import type { Settings } from '../../config.ts';
import type { Log } from '../../http/observe/log.ts';
import type { Loading, LoadingDesk } from '../../portal/views.ts';
import { hourMs } from '../../time.ts';
import type { Io } from '../command.ts';
import { lowestPriority } from '../give-way.ts';
import { firstRunMs, nextRunMs } from './updates.ts';

/** Of what it writes; its last words count. */
const mostSaid = 8_192;
/** Of those, on a page. */
const linesMost = 12;
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
  const { said, stop, ended } = startUpdate(settings, { env: { ...env, ...rhythmOf(settings) } }, () => {});
  const told = async () => {
    const end = await ended;
    if (end instanceof Error) return log.fault('an update of the data could not be started', end);
    const what = statuses[end ?? -1] ?? `the update was ended (${end ?? 'by a signal'})`;
    const reason = reasonIn(said());
    log[end === 0 ? 'info' : 'warn'](end === 0 || reason === undefined ? what : `${what}: ${reason}`);
  };
  return { stop, ended: told() };
}

/** An update that an operator begins. What it says is kept as long as the service runs. */
export function openLoading(
  settings: Settings,
  now: () => number,
): LoadingDesk & { readonly stop: () => void } {
  let loading: Loading | null = null;
  let stop = () => {};
  return {
    mayBegin: settings.releasesUrl === undefined ? 'yes' : 'a replica loads nothing',
    progress: () => loading,
    begin: () => {
      if (loading?.state === 'running') return 'running already';
      const startedAtMs = now();
      const tell = (state: Loading['state'], text: string) => {
        const lines = text.split('\n').filter((line) => line !== '');
        loading = { state, startedAtMs, lines: lines.slice(-linesMost) };
      };
      tell('running', '');
      const update = startUpdate(settings, {}, () => tell('running', update.said()));
      stop = update.stop;
      void update.ended.then((end) => tell('ended', `${update.said()}\n${endOnPage(end)}`));
      return 'begun';
    },
    stop: () => stop(),
  };
}

function endOnPage(end: End): string {
  if (end instanceof Error) return `The update could not be started: ${end.message}`;
  if (end === 0) return 'Everything is up to date.';
  return end === 3 ? 'Some datasets keep their old data.' : 'The update ended; the data stays as it was.';
}

/** Its status, null where a signal ended it; or why it did not begin. */
type End = number | null | Error;

function startUpdate(settings: Settings, own: { readonly env?: Io['env'] }, heard: () => void) {
  const main = fileURLToPath(new URL('../main.ts', import.meta.url));
  const child = spawn(process.execPath, [main, 'update', ...flagsOf(settings)], {
    ...own,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  if (child.pid !== undefined) setPriority(child.pid, lowestPriority);
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said = `${said}${text}`.slice(-mostSaid);
    heard();
  });
  const ended = new Promise<End>((resolve) => child.on('error', resolve).on('close', resolve));
  return { said: () => said, stop: () => void child.kill('SIGTERM'), ended };
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
const flagsOf = ({
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
