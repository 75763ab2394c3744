// What commands about accounts and keys change is in the audit log of the account, where its owners read it.

import type { Event } from '../../people/people.ts';
import { CommandRefused, type Io } from '../command.ts';
import { withPeople } from './open-people.ts';

/** The change is made already: a log that cannot be written is told, and undoes nothing. */
export async function recordChanges(
  io: Io,
  home: string | undefined,
  changes: readonly Event[],
): Promise<void> {
  try {
    await withPeople(io, { home, ifMissing: 'make' }, async ({ audit }) => {
      for (const change of changes) await audit.write({ kind: 'command' }, change);
    });
  } catch (error) {
    if (!(error instanceof CommandRefused)) throw error;
    io.err(`The change is made, but the audit log of the account lacks it: ${error.message}\n`);
  }
}
