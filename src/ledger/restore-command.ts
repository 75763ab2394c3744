// The command that brings a ledger back, between backticks as every command in a message. It always names the home: whoever
// reads the advice may stand elsewhere than the service did.

import path from 'node:path';

type Wish = {
  /** Absent where only the operator knows which backup is the newest. */
  readonly file?: string;
  readonly option?: '--other-ledger';
};

export function restoreCommand(home: string, { file, option }: Wish = {}): string {
  const backup = file === undefined ? 'FOLDER' : shellWord(path.resolve(file));
  const words = ['domesday restore', backup, ...(option === undefined ? [] : [option])];
  return `\`${words.join(' ')} --home ${shellWord(path.resolve(home))}\``;
}

/** One word of a shell command, as it is typed. */
export const shellWord = (text: string): string =>
  /^[\w@%+=:,./\\-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
