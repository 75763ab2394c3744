// Commands in messages, as their reader has to type them. Every room writes a command between backticks, `domesday check`;
// only here is it known how this program was started, and on which home.

import { realpathSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { settings } from '../config.ts';
import { errorCode } from '../errno.ts';
import { shellWord } from '../ledger/restore-command.ts';

type Start = {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly args: readonly string[];
  /** Where it was typed. */
  readonly folder: string;
};

const program = path.join(import.meta.dirname, '../../bin/domesday.js');

export function asTyped(text: string, start: Start): string {
  return text.replace(/`domesday ([^`]+)`/g, (_, words: string) => {
    const home = /^(?:help|releases keygen)\b|--(?:help|home)\b/.test(words) ? '' : homeOption(start);
    return `\`${programWords(start)} ${words}${home}\``;
  });
}

function programWords({ env, folder }: Start): string {
  // npm puts folders of its own before the PATH that the reader has.
  if (env.npm_lifecycle_event !== undefined || folder === path.dirname(path.dirname(program)))
    return 'npx domesday';
  const isInstalled = (env.PATH ?? '')
    .split(path.delimiter)
    .some((place) => isOurs(path.join(place, 'domesday')));
  return isInstalled ? 'domesday' : `node ${shellWord(program)}`;
}

function isOurs(file: string): boolean {
  try {
    return realpathSync(file) === realpathSync(program);
  } catch (error) {
    if (errorCode(error) !== undefined) return false;
    throw error;
  }
}

function homeOption({ env, args }: Start): string {
  const options = { [settings.home.flag]: { type: 'string' } } as const;
  const { values } = parseArgs({ args: [...args], options, strict: false, allowPositionals: true });
  const given = values[settings.home.flag] ?? env[settings.home.env];
  return typeof given === 'string' && given !== '' ? ` --${settings.home.flag} ${shellWord(given)}` : '';
}
