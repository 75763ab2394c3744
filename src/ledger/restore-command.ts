// The command that brings a ledger back, as the operator types it. It always names the home: whoever reads the advice may
// stand elsewhere than the service did.

import path from 'node:path';

/** `file` undefined where only the operator knows which backup is the newest. */
export function restoreCommand(home: string, file?: string): string {
  const backup = file === undefined ? 'FILE' : shellWord(path.resolve(file));
  return `domesday ledger restore ${backup} --home ${shellWord(path.resolve(home))}`;
}

const shellWord = (text: string): string =>
  /^[\w@%+=:,./\\-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
