// The lock of a home, for commands that must not meet a service on it.

import path from 'node:path';
import { type Lock, takeLock } from '../../lock.ts';
import { CommandRefused } from '../command.ts';
import { lookAt } from '../home.ts';

/** Also where the ledger itself was removed under the service, so that nobody seems to use it. A home that is not there is
 *  more often a slip of typing than meant. */
export function takeHome(home: string, then: 'move' | 'restore'): Lock {
  if (lookAt(home) === 'absent') {
    throw new CommandRefused(
      `There is no folder ${home}; name the right home with ${then === 'move' ? 'FROM or TO' : 'DOMESDAY_HOME or --home'}, or make a new one first: mkdir ${home}`,
    );
  }
  const lock = takeLock(path.join(home, 'service.lock'));
  if (lock !== 'taken') return lock;
  throw new CommandRefused(`A service runs on ${home}; stop it, then ${then} again.`);
}
