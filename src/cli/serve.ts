// `domesday serve`: reads its settings and sees to the sample; serve/until-signal.ts does the rest.

import path from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { readSettings, settings as settingTable } from '../config.ts';
import { type Lock, takeLock } from '../lock.ts';
import { ensureSample } from './bundled/bundled.ts';
import { buildQuickly } from './bundled/kept.ts';
import { type Command, CommandRefused, readArgs, WrongUsage } from './command.ts';
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
an account "demo" with one live and one test key, which are printed this once. One home has one service: a second
is refused while the first runs; all other commands may run beside it.

Options (a flag wins over the environment):
${optionLines}

Signals: SIGTERM or SIGINT finishes what is in flight and stops, and so does the end of the npm that started it; SIGHUP looks at once whether another release
was made current (it is noticed without, too).
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
    prepareHome(settings.home);
    const lock = await takeHome(settings.home);
    // A first start copies the sample, or a thread builds it while everything that answers is loaded here.
    const [{ serveUntilSignal }] = await Promise.all([
      import('./serve/until-signal.ts'),
      ensureSample(settings.home, io.now(), buildQuickly),
    ]);
    await serveUntilSignal(settings, io);
    lock.release();
  },
};

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
