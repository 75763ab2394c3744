// `domesday serve`: reads its settings and sees to the sample; serve/until-signal.ts does the rest.

import path from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { readSettings, type Settings, settings as settingTable } from '../config.ts';
import { type Lock, takeLock } from '../lock.ts';
import { ensureSample } from './bundled/bundled.ts';
import { buildQuickly } from './bundled/kept.ts';
import { type Command, CommandRefused, type Io, readArgs, WrongUsage } from './command.ts';
import { prepareHome } from './home.ts';

const optionLines = Object.values(settingTable)
  .map(({ flag, placeholder, env, fallback, help }) => {
    const option = `--${flag} ${placeholder}`.padEnd(30);
    return `  ${option} ${help}\n${' '.repeat(33)}Environment: ${env}. Default: ${fallback ?? 'none'}.`;
  })
  .join('\n');

const help = `domesday serve: answers requests until it is told to stop.

Usage: domesday serve [OPTIONS]

On an empty home folder it first loads the bundled sample data and, where it listens to this machine alone, makes
an account "demo" with one live and one test key, which are printed this once. With DOMESDAY_RELEASES_URL it makes no
sample: it is a replica, and ready when its first release is there. One home has one service: a second
is refused while the first runs; all other commands may run beside it.

Options (a flag wins over the environment):
${optionLines}

Signals: SIGTERM or SIGINT finishes what is in flight and stops, after DOMESDAY_DRAIN_SECONDS, and so does the end of the npm that
started it; SIGHUP looks at once whether another release was made current (it is noticed without, too).
`;

export const serve: Command = {
  name: 'serve',
  help,
  run: async (args, io) => {
    const flagOptions = Object.fromEntries(
      Object.values(settingTable).map(({ flag }) => [flag, { type: 'string' as const }]),
    );
    const { values, positionals } = readArgs(args, flagOptions);
    if (positionals.length > 0) throw new WrongUsage(`serve takes no "${positionals[0]}".`);
    const flags: Record<string, string | undefined> = {};
    for (const [name, value] of Object.entries(values)) if (typeof value === 'string') flags[name] = value;
    const settings = readSettings(io.env, flags);
    if (settings.releasesUrl !== undefined) await refuseUnfitReplica(settings, io);
    prepareHome(settings.home);
    const lock = await takeHome(settings.home);
    // A first start copies the sample, or a thread builds it while everything that answers is loaded here.
    const [{ serveUntilSignal }] = await Promise.all([
      import('./serve/until-signal.ts'),
      settings.releasesUrl === undefined ? ensureSample(settings.home, io.now(), buildQuickly) : undefined,
    ]);
    await serveUntilSignal(settings, io);
    lock.release();
  },
};

/** What would otherwise be noticed only as a replica that never gets ready, or serves what nobody published. */
async function refuseUnfitReplica(settings: Settings, io: Io): Promise<void> {
  if (settings.update !== undefined)
    throw new CommandRefused(
      `${settingTable.update.env} and ${settingTable.releasesUrl.env} are both set: a replica serves what is published and never updates by itself. Unset one; updates belong where releases are published.`,
    );
  const { openReplicaPlace, sampleToServe } = await import('./releases/place.ts');
  openReplicaPlace(settings, io);
  const sample = sampleToServe(settings.home);
  if (sample !== undefined)
    throw new CommandRefused(
      `The home folder ${settings.home} has the bundled sample, which a replica must not serve; name an empty one with DOMESDAY_HOME or --home, or remove ${sample}.`,
    );
}

/** A service that was told to stop a moment ago may still finish what is in flight. */
const patienceMs = 3_000;
const lookEveryMs = 50;

/** Limits and balances are kept in the memory of one service, so that two on one home would each allow the whole. */
async function takeHome(home: string): Promise<Lock> {
  for (let waitedMs = 0; waitedMs <= patienceMs; waitedMs += lookEveryMs) {
    const lock = takeLock(path.join(home, 'service.lock'));
    if (lock !== 'taken') return lock;
    await setTimeout(lookEveryMs);
  }
  throw new CommandRefused(
    `Another service runs on the home folder ${home}; stop it first, or name another home with DOMESDAY_HOME or --home. Removing service.lock does not help: the lock ends with the process that holds it.`,
  );
}
