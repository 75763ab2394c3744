// Answers of a live service kept on disk under a hash of their address, for ever or until a moment. What cannot be
// read counts as absent, and what cannot be written is asked for again: a cache never fails a request.

import { createHash } from 'node:crypto';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import path from 'node:path';

export class DiskCache {
  readonly #folder: string;
  #written = 0;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** The text kept under that address; undefined where there is none or its time is over. */
  async find(address: string, nowMs: number): Promise<string | undefined> {
    try {
      const content = await readFile(this.#fileOf(address), 'utf8');
      const end = content.indexOf('\n');
      const [until = '', kept = ''] = content.slice(0, end).split(' ');
      // A hash may be shared, and a file cut.
      if (end < 0 || kept !== address || (until !== 'ever' && Number(until) <= nowMs)) return undefined;
      return content.slice(end + 1);
    } catch {
      return undefined;
    }
  }

  /** `untilMs` is a moment, or Infinity. */
  async keep(address: string, text: string, untilMs: number): Promise<void> {
    const place = this.#fileOf(address);
    this.#written += 1;
    const aside = `${place}.${process.pid}-${this.#written}-${Math.round(performance.now() * 1000)}`;
    try {
      await mkdir(path.dirname(place), { recursive: true });
      const until = untilMs === Number.POSITIVE_INFINITY ? 'ever' : String(untilMs);
      await writeFile(aside, `${until} ${address}\n${text}`);
      await rename(aside, place);
    } catch {
      // The disk is full or read-only; the next request asks the service.
    }
  }

  #fileOf(address: string): string {
    const hash = createHash('sha256').update(address).digest('hex');
    return path.join(this.#folder, hash.slice(0, 2), hash.slice(2, 34));
  }
}
