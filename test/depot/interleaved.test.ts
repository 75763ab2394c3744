// Publishing and fetching in any order of their steps, either killed anywhere: what is current in the replica is at every moment
// a whole release that was published, and never an older one than before.

import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { test } from 'node:test';
import fc from 'fast-check';
import { folderTarget } from '../../src/depot/folder-target.ts';
import { parsePointer, pointerName } from '../../src/depot/format.ts';
import type { Place } from '../../src/depot/place.ts';
import { readReplicaState } from '../../src/depot/state.ts';
import type { Target } from '../../src/depot/target.ts';
import type { Release } from '../../src/release/reader.ts';
import { bytesOf, makeRelease, numbers, publishTo, storeOf, takeFrom, temporaryFolder } from './desk.ts';

class Killed extends Error {}

/** A run that goes on by one step whenever it is told to. */
class Walker {
  #waiting: { readonly go: () => void; readonly kill: () => void }[] = [];
  #state: 'going' | 'over' = 'over';
  #changed = () => {};

  get isOver(): boolean {
    return this.#state === 'over';
  }

  begin(run: () => Promise<unknown>): void {
    this.#state = 'going';
    const end = () => {
      this.#state = 'over';
      this.#changed();
    };
    // What is refused in between is refused; what is current is looked at after every step.
    run().then(end, end);
  }

  /** Called by the run before each step. */
  readonly pass = (): Promise<void> =>
    new Promise((resolve, reject) => {
      this.#waiting.push({ go: resolve, kill: () => reject(new Killed()) });
      this.#changed();
    });

  async step(): Promise<void> {
    await this.#untilWaiting();
    this.#waiting.shift()?.go();
    await this.#untilWaiting();
  }

  async kill(): Promise<void> {
    while (!this.isOver) {
      await this.#untilWaiting();
      for (const { kill } of this.#waiting.splice(0)) kill();
      await this.#untilWaiting();
    }
  }

  async #untilWaiting(): Promise<void> {
    while (this.#waiting.length === 0 && !this.isOver)
      await new Promise<void>((resolve) => {
        this.#changed = resolve;
      });
  }
}

/** With a step before each change. */
function stepwise(real: Target, pass: () => Promise<void>, onPointer: (text: string) => void): Target {
  return {
    ...real,
    putFile: async (...args) => {
      await pass();
      await real.putFile(...args);
    },
    putText: async (key, text, keeping) => {
      await pass();
      if (key === pointerName) onPointer(text);
      await real.putText(key, text, keeping);
    },
  };
}

const asStepwise =
  (pass: () => Promise<void>) =>
  (place: Place): Place => ({
    ...place,
    wire: {
      ...place.wire,
      ask: async (question) => {
        await pass();
        return await place.wire.ask(question);
      },
    },
  });

const moves = fc.array(
  fc.constantFrom(
    'publish',
    'publish',
    'publish',
    'fetch',
    'fetch',
    'fetch',
    'kill publisher',
    'kill replica',
  ),
  { minLength: 10, maxLength: 60 },
);

test('in any order of steps and kills, the replica has nothing but whole published releases, and never an older one', async (t) => {
  const a = temporaryFolder(t);
  const releases = Array.from({ length: 6 }, (_, at) =>
    makeRelease(a, at, { same: numbers(0), often: numbers(at >> 1), own: numbers(100 + at) }),
  );
  const originals = new Map(releases.map((release) => [release.id, bytesOf(release)]));
  const newest = releases.at(-1) ?? assert.fail();
  const property = fc.asyncProperty(moves, async (script) => {
    const [home, depot] = [temporaryFolder(t), temporaryFolder(t)];
    const [publisher, replica] = [new Walker(), new Walker()];
    const pointed = new Set<string>();
    let sequence = 0;
    const look = () => {
      const id = storeOf(home).currentId();
      if (id === undefined) return;
      assert.ok(pointed.has(id), `${id} is current, and was never the newest`);
      const current = storeOf(home).openCurrent();
      current.verify();
      assert.deepEqual(bytesOf(current), originals.get(id));
      const { taken } = readReplicaState(home);
      assert.ok(taken !== undefined && taken.sequence >= sequence, 'it went back');
      sequence = taken.sequence;
    };
    const target = stepwise(folderTarget(depot), publisher.pass, (text) =>
      pointed.add(parsePointer(text).pointer.release),
    );
    const waiting: Release[] = [...releases];
    for (const move of script) {
      if (move === 'kill publisher') await publisher.kill();
      else if (move === 'kill replica') await replica.kill();
      else if (move === 'publish') {
        const next = publisher.isOver ? waiting.shift() : undefined;
        if (next !== undefined) publisher.begin(() => publishTo(target, next));
        if (!publisher.isOver) await publisher.step();
      } else {
        if (replica.isOver) replica.begin(() => takeFrom(depot, home, { place: asStepwise(replica.pass) }));
        await replica.step();
      }
      look();
    }
    await publisher.kill();
    await replica.kill();
    look();
    await publishTo(folderTarget(depot), newest);
    assert.equal((await takeFrom(depot, home)).release, newest.id);
    assert.deepEqual(bytesOf(storeOf(home).openCurrent()), originals.get(newest.id));
    for (const folder of [home, depot]) rmSync(folder, { recursive: true });
  });
  await fc.assert(property, { numRuns: 30 });
});
