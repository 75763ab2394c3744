// What is told of a publication that failed. The service tells it to whoever asks, and where the home is, is nobody's business.

import path from 'node:path';
import type { Listed } from '../ingest/publication.ts';
import { IngestRefused } from '../ingest/refusal.ts';
import { filesFolder } from './arrive.ts';
import { NotFound } from './find.ts';
import type { Result } from './record.ts';
import type { Cause } from './state.ts';
import { TransferFailed } from './web/failure.ts';

export type Failure = Extract<Result, { kind: 'failed' }>;

export class Reasons {
  readonly #home: string;
  readonly #folders: readonly string[];

  constructor(home: string, listed: readonly Listed[]) {
    this.#home = home;
    this.#folders = listed.map(({ name }) => `${filesFolder(home, name)}${path.sep}`);
  }

  /** Throws what is no fault of a publisher. */
  readonly ofError = (publication: Listed, error: unknown): Failure => {
    const { page } = publication;
    if (error instanceof NotFound) {
      const why = `${error.message}. Its files may have moved: ${page}`;
      return { kind: 'failed', why, cause: 'moved' };
    }
    if (error instanceof IngestRefused) return this.ofRefusal('refused', error.message);
    if (!(error instanceof TransferFailed) || error.kind === 'stopped') throw error;
    const cause = error.kind === 'not there' || error.kind === 'moved to another host' ? 'moved' : 'transfer';
    const failure = this.ofRefusal(cause, `${error.message} (${page})`);
    const { host, retryAt } = error;
    return host === undefined || retryAt === undefined
      ? failure
      : { ...failure, retry: { host, at: new Date(retryAt).toISOString() } };
  };

  ofRefusal(cause: Cause, reason: string): Failure {
    const withoutFolders = this.#folders.reduce((text, folder) => text.replaceAll(folder, ''), reason);
    return { kind: 'failed', cause, why: withoutFolders.replaceAll(this.#home, 'the home') };
  }
}
