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
  .map(({ flag, placeholder, env, fallback, unset, help }) => {
    const option = `--${flag} ${placeholder}`.padEnd(30);
    return `  ${option} ${help}\n${' '.repeat(33)}Environment: ${env}. Default: ${fallback ?? unset ?? 'none'}.`;
  })
  .join('\n');

const help = `domesday serve: starts the service. It answers requests until you stop it.

Usage: domesday serve [OPTIONS]

With an empty home folder, it first loads the bundled sample data. If it listens on this machine alone, it also makes an
account "demo" with a live key and a test key, and prints the keys once. With DOMESDAY_RELEASES_URL it is a replica: it
loads no sample, and it is ready when it has fetched its first release. Only one service can run on a home folder. All
other commands can run at the same time.

Options (a flag overrides the environment variable):
${optionLines}

Signals: SIGTERM or SIGINT stops the service after DOMESDAY_DRAIN_SECONDS, once it has answered the calls in progress. If
npm started the service, the end of npm does the same. SIGHUP makes the service check at once whether the current release
has changed; without it, the service notices by itself.
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
      `${settingTable.update.env} and ${settingTable.releasesUrl.env} are both set, but a replica serves published releases and never updates by itself. Unset one of them; run updates where releases are published.`,
    );
  const { openReplicaPlace, sampleToServe } = await import('./releases/place.ts');
  openReplicaPlace(settings, io);
  const sample = sampleToServe(settings.home);
  if (sample !== undefined)
    throw new CommandRefused(
      `The home folder ${settings.home} has the bundled sample, which a replica must not serve; choose an empty one with DOMESDAY_HOME or --home, or remove ${sample}.`,
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
    `Another service runs on the home folder ${home}, or a command works on it; stop it first, or choose another home with DOMESDAY_HOME or --home. Removing service.lock does not help: the lock ends with the process that holds it.`,
  );
}
