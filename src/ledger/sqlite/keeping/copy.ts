// The database as bytes that are whole by themselves, as of one moment, while whoever has it open goes on. It is copied into the home,
// where alone a service may write, and is gone from there when it is read.

import { once } from 'node:events';
import { closeSync, createReadStream, openSync, rmSync } from 'node:fs';
import { Worker } from 'node:worker_threads';
import { LedgerRefusal } from '../../ledger.ts';
import { asLedgerError } from '../file.ts';

const chunkBytes = 2 ** 18;

/** Whoever has a home makes its copies, so that nobody else's can be under way. */
const underWay = new Set<string>();

export async function* copyOf(file: string): AsyncGenerator<Uint8Array> {
  if (underWay.has(file)) throw new LedgerRefusal('Another backup is being made; try again when it is done.');
  underWay.add(file);
  const draft = `${file}.copy`;
  try {
    // One may be left by whoever was killed.
    rmSync(draft, { force: true });
    closeSync(openSync(draft, 'wx', 0o600));
    await once(
      new Worker(new URL('./copy-thread.ts', import.meta.url), { workerData: { file, draft } }),
      'exit',
    );
    for await (const chunk of createReadStream(draft, { highWaterMark: chunkBytes })) yield chunk;
  } catch (error) {
    throw asLedgerError(error, file);
  } finally {
    rmSync(draft, { force: true });
    underWay.delete(file);
  }
}
