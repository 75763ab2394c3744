// Keeps a replica at what is published: asks often and cheaply for the pointer; where it names another release, that is fetched
// by `domesday releases fetch`, a process of its own at low priority, so that hashing gigabytes never delays an answer.

import { spawn } from 'node:child_process';
import { setPriority } from 'node:os';
import { fileURLToPath } from 'node:url';
import type { Settings } from '../../config.ts';
import { askPointer, openAsker } from '../../depot/asking.ts';
import { DepotFault } from '../../depot/fault.ts';
import { isSame } from '../../depot/hashing.ts';
import { noteFault, noteSuccess, readReplicaState } from '../../depot/state.ts';
import type { Log } from '../../http/observe/log.ts';
import type { ReleaseStore } from '../../release/store.ts';
import { dayMs } from '../../time.ts';
import { systemClock } from '../../update/web/clock.ts';
import type { Io } from '../command.ts';
import { lowestPriority } from '../give-way.ts';
import { openReplicaPlace } from '../releases/place.ts';

/** What failed is tried again after twice as many rounds each time, up to so long. */
const longestPauseMs = 900_000;
/** Of a wrong clock, no more than this is believed. */
const longestWaitMs = dayMs;
/** A poll that is silent for so long has failed. */
const stallMs = 20_000;

type Following = {
  readonly settings: Settings;
  readonly io: Pick<Io, 'env' | 'now'>;
  readonly log: Log;
  readonly store: ReleaseStore;
  /** At the start. */
  readonly isServing: 'a release' | 'nothing';
  /** Has the service look for another release at once. */
  readonly look: () => void;
};

/** Returns what ends it, with the fetching that runs. */
export function followReleases(following: Following): () => Promise<void> {
  const over = new AbortController();
  const follower = new Follower(following, over.signal);
  const ended = follower.run();
  return async () => {
    over.abort();
    await ended;
  };
}

class Follower {
  readonly #following: Following;
  readonly #signal: AbortSignal;
  readonly #ask: () => ReturnType<typeof askPointer>;
  /** What is current is known to be whole. */
  #isWhole: boolean;
  #told: string | undefined;
  #failed: { readonly line: string; readonly times: number; readonly retryAtMs: number } | undefined;

  constructor(following: Following, signal: AbortSignal) {
    this.#following = following;
    this.#signal = signal;
    this.#isWhole = following.isServing === 'a release';
    const { place, keys } = openReplicaPlace(following.settings, following.io);
    const asker = openAsker({ place, clock: systemClock, signal, stallMs });
    signal.addEventListener('abort', () => place.wire.close());
    this.#ask = () => askPointer(asker, keys, this.#isFollowed() ? this.#taken()?.validators : undefined);
  }

  async run(): Promise<void> {
    const everyMs = this.#following.settings.releasesEverySeconds * 1000;
    while (!this.#signal.aborted) {
      await this.#round();
      // Replicas that were started together do not ask together for ever.
      await systemClock.wait(everyMs * (0.8 + systemClock.random() * 0.4), this.#signal);
    }
  }

  #taken() {
    return readReplicaState(this.#following.settings.home).taken;
  }

  #isFollowed(): boolean {
    const { store } = this.#following;
    const current = store.list().find(({ isCurrent }) => isCurrent);
    return this.#isWhole && current !== undefined && current.id === this.#taken()?.release;
  }

  /** Nothing that happens here may end the service. */
  async #round(): Promise<void> {
    const { settings, io, log } = this.#following;
    try {
      if (this.#isToWait()) return;
      await this.#look();
    } catch (error) {
      if (this.#signal.aborted) return;
      if (error instanceof DepotFault) this.#note(error, settings.home, io.now());
      else log.fault('published releases cannot be followed', error);
    }
    this.#tell();
  }

  #note(fault: DepotFault, home: string, nowMs: number): void {
    try {
      noteFault(home, fault, nowMs);
    } catch (error) {
      // Its own note cannot be read: that is what is told.
      if (error instanceof DepotFault) return;
      this.#following.log.fault(
        `published releases cannot be followed, nor can that be noted: ${fault.message}`,
        error,
      );
    }
  }

  #isToWait(): boolean {
    const { notBefore = null } = readReplicaState(this.#following.settings.home).failing ?? {};
    const waitMs = notBefore === null ? 0 : Date.parse(notBefore) - this.#following.io.now();
    return waitMs > 0 && waitMs <= longestWaitMs;
  }

  async #look(): Promise<void> {
    const { settings, look } = this.#following;
    const asked = await this.#ask();
    const taken = this.#taken();
    const isKnown =
      asked === 'unchanged' ||
      (this.#isFollowed() &&
        asked.pointer.sequence === taken?.sequence &&
        isSame(asked.pointer.list, taken.list));
    if (isKnown) {
      this.#failed = undefined;
      noteSuccess(settings.home);
      return;
    }
    const nowMs = systemClock.now();
    const failed = this.#failed?.line === asked.line ? this.#failed : undefined;
    if (failed !== undefined && nowMs < failed.retryAtMs && failed.retryAtMs - nowMs <= longestPauseMs)
      return;
    if ((await this.#fetch()) === 'done') {
      this.#isWhole = true;
      this.#failed = undefined;
      look();
      return;
    }
    const times = (failed?.times ?? 0) + 1;
    const pauseMs = Math.min(settings.releasesEverySeconds * 1000 * 2 ** (times - 1), longestPauseMs);
    this.#failed = { line: asked.line, times, retryAtMs: systemClock.now() + pauseMs };
  }

  /** Once: what fails, and that it works again. */
  #tell(): void {
    const { settings, log } = this.#following;
    let why: string | undefined;
    try {
      why = readReplicaState(settings.home).failing?.why;
    } catch (error) {
      if (!(error instanceof DepotFault)) throw error;
      why = error.message;
    }
    if (why === this.#told) return;
    if (why === undefined) log.info('published releases are followed again');
    else log.warn(`published releases cannot be followed, and what is served stays: ${why}`);
    this.#told = why;
  }

  #fetch(): Promise<'done' | 'failed'> {
    const { settings, io, log } = this.#following;
    const main = fileURLToPath(new URL('../main.ts', import.meta.url));
    // Before there is a release, nobody is held up by it, and all wait for it.
    const manner = this.#isWhole ? ['--gently'] : [];
    const child = spawn(
      process.execPath,
      [main, 'releases', 'fetch', '--json', '--home', settings.home, ...manner],
      {
        env: { ...io.env, ...variablesOf(settings) },
        stdio: ['ignore', 'ignore', 'pipe'],
      },
    );
    if (child.pid !== undefined) setPriority(child.pid, lowestPriority);
    const stop = () => void child.kill('SIGTERM');
    this.#signal.addEventListener('abort', stop);
    let errors = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      errors = `${errors}${text}`.slice(-4096);
    });
    return new Promise((resolve) => {
      child.on('error', (error) => {
        log.fault('fetching a release could not be started', error);
        resolve('failed');
      });
      child.on('close', (status, signal) => {
        this.#signal.removeEventListener('abort', stop);
        // A refusal is noted by the process itself.
        if (status !== 0 && status !== 1 && !this.#signal.aborted)
          log.error(`fetching a release ended with ${status ?? signal}: ${errors.trim().split('\n').at(-1)}`);
        resolve(status === 0 ? 'done' : 'failed');
      });
    });
  }
}

/** Flags of the service are no environment of the process. */
const variablesOf = (settings: Settings): Readonly<Record<string, string>> => ({
  DOMESDAY_RELEASES_URL: settings.releasesUrl ?? '',
  DOMESDAY_RELEASES_KEEP: String(settings.releasesKeep),
  DOMESDAY_RELEASE_PUBLIC_KEY: settings.releasePublicKey ?? '',
});
