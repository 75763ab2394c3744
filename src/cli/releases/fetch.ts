// `domesday releases fetch`: takes the newest published release into the home, once. A replica's service runs it by itself.

import { readSettings } from '../../config.ts';
import { openAsker } from '../../depot/asking.ts';
import { DepotFault } from '../../depot/fault.ts';
import { noteFault } from '../../depot/state.ts';
import { takeNewest } from '../../depot/take.ts';
import { DiskAllowance } from '../../release/disk-pace.ts';
import { openHome } from '../../release/store.ts';
import { layouts } from '../../tables/index.ts';
import { systemClock } from '../../update/web/clock.ts';
import { Flow } from '../../update/web/flow.ts';
import { counted, type Io, printJson, readArgs, WrongUsage } from '../command.ts';
import { gentleBytesPerSecond, giveWay } from '../give-way.ts';
import { prepareHome } from '../home.ts';
import { openReplicaPlace } from './place.ts';

export async function fetchRelease(args: readonly string[], io: Io): Promise<void> {
  const { values, positionals } = readArgs(args, {
    home: { type: 'string' },
    from: { type: 'string' },
    gently: { type: 'boolean' },
    json: { type: 'boolean' },
  });
  if (positionals[0] !== undefined) throw new WrongUsage(`releases fetch takes no "${positionals[0]}".`);
  const settings = readSettings(io.env, { home: values.home, 'releases-url': values.from });
  const { home, releasesKeep: keep } = settings;
  const { place, keys } = openReplicaPlace(settings, io);
  prepareHome(home);
  const stop = new AbortController();
  const end = () => stop.abort();
  process.once('SIGTERM', end).once('SIGINT', end);
  const asker = openAsker({ place, clock: systemClock, signal: stop.signal });
  try {
    const store = openHome(home, layouts).releases;
    const taking = { asker, home, store, keys, keep };
    if (values.gently === true) await giveWay();
    const outcome = await takeNewest(
      values.gently === true
        ? { ...taking, flow: new Flow(new DiskAllowance(gentleBytesPerSecond), systemClock) }
        : taking,
    );
    if (values.json === true) printJson(io, outcome);
    else {
      const { release, files, filesInAll, bytes } = outcome;
      const weight = `${counted(files, 'file')} of ${filesInAll} fetched, ${counted(bytes, 'byte')}`;
      io.out(
        outcome.kind === 'was here'
          ? `Release ${release} is the newest, and it is already current.\n`
          : `Release ${release} is current (${weight}).\n`,
      );
    }
  } catch (error) {
    // Whoever stops it knows why, and whoever is at work notes what happens.
    const isToNote = error instanceof DepotFault && error.kind !== 'stopped' && error.kind !== 'conflict';
    if (isToNote) noteFault(home, error, io.now());
    throw error;
  } finally {
    place.wire.close();
    process.off('SIGTERM', end).off('SIGINT', end);
  }
}
