// The home folder as commands meet it: present, readable, writable, or one line that says what to do.

import { accessSync, constants, existsSync, mkdirSync, statSync } from 'node:fs';
import { CommandRefused } from './command.ts';

/** Makes the folder when it is absent, and returns the outermost one that it made. */
export function prepareHome(home: string): string | undefined {
  let made: string | undefined;
  try {
    // Accounts, keys and what customers asked for are the owner's alone.
    made = mkdirSync(home, { recursive: true, mode: 0o700 });
    accessSync(home, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (error) {
    throw new CommandRefused(
      `The home folder ${home} cannot be used (${reasonOf(error)}); correct its rights, or name another with DOMESDAY_HOME or --home.`,
    );
  }
  if (!statSync(home).isDirectory()) {
    throw new CommandRefused(`The home ${home} is not a folder; name another with DOMESDAY_HOME or --home.`);
  }
  return made;
}

/** For commands that only look at a home, or change what is in it. */
export function requireHome(home: string): void {
  if (existsSync(home)) return;
  throw new CommandRefused(
    `There is no home folder ${home}; name the right one with DOMESDAY_HOME or --home, or start the service once with domesday serve.`,
  );
}

function reasonOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : String(error);
}
