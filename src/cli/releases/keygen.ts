// `domesday releases keygen`: a pair of keys with which releases are signed.

import { writeFileSync } from 'node:fs';
import { makeKeys } from '../../depot/signature.ts';
import { errorCode } from '../../errno.ts';
import { CommandRefused, type Io, printJson, readArgs, WrongUsage } from '../command.ts';

export async function makeSigningKey(args: readonly string[], io: Io): Promise<void> {
  const { values, positionals } = readArgs(args, { json: { type: 'boolean' } });
  const [file, extra] = positionals;
  if (file === undefined)
    throw new WrongUsage('Name the file of the private key: `domesday releases keygen FILE`.');
  if (extra !== undefined) throw new WrongUsage(`releases keygen takes no "${extra}".`);
  const { privatePem, publicText } = makeKeys();
  try {
    writeFileSync(file, privatePem, { mode: 0o600, flag: 'wx' });
  } catch (error) {
    if (errorCode(error) !== 'EEXIST') throw error;
    throw new CommandRefused(`${file} already exists, and a key is never overwritten; name another file.`);
  }
  if (values.json === true) printJson(io, { file, publicKey: publicText });
  else
    io.out(
      `The private key is in ${file}. Only its owner can read it. Keep it where releases are published (DOMESDAY_SIGNING_KEY).\nGive replicas the public key:\n\nDOMESDAY_RELEASE_PUBLIC_KEY=${publicText}\n`,
    );
}
