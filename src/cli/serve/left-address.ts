// Where the service of a home was last reached. It leaves that in the home, so that links which a command beside it prints lead
// there, whichever port the service was given.

import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { errorCode } from '../../errno.ts';

const fileIn = (home: string): string => path.join(home, 'address');

/** A service that cannot leave it, as on a full disk, serves all the same. */
export function leaveAddress(home: string, url: string, report: (fault: unknown) => void): void {
  const draft = `${fileIn(home)}.new`;
  try {
    writeFileSync(draft, `${url}\n`, { mode: 0o600 });
    renameSync(draft, fileIn(home));
  } catch (fault) {
    report(fault);
  }
}

/** Undefined where no service was ever reached there. */
export function findAddress(home: string): string | undefined {
  try {
    return URL.parse(readFileSync(fileIn(home), 'utf8').trim())?.origin;
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}

// Where a browser on the machine of the service finds it.
export function localUrl(host: string, port: number): string {
  const isEverywhere = host === '0.0.0.0' || host === '::';
  if (isEverywhere) return `http://127.0.0.1:${port}`;
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
}
