// Asks the table and SQLite the benchmark's questions about the same made-up incidents, and compares every answer.

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { askTable, places, type Question } from '../../bench/crime/questions.ts';
import { open } from '../../bench/crime/sqlite.ts';
import { openWorld } from '../../bench/crime/world.ts';
import { randomFrom } from '../../scripts/random.ts';

export async function assertEqualAnswers(incidents: number): Promise<void> {
  const folder = mkdtempSync(path.join(tmpdir(), 'domesday-crime-equality-'));
  try {
    const world = openWorld(folder, { incidents, points: incidents / 15, seed: 3 });
    const { crimes } = world;
    const random = randomFrom(5);
    const atPoint = () => {
      const { latitudeMicro, longitudeMicro } = crimes.pointAt(Math.floor(crimes.pointCount * random()));
      return { latitudeDegrees: latitudeMicro / 1e6, longitudeDegrees: longitudeMicro / 1e6 };
    };
    const questions: readonly Question[] = Array.from({ length: 300 }, (_, index) => ({
      ...(index < 100 ? places.dense(random) : index < 120 ? places.rural(random) : atPoint()),
      months: 1 + Math.floor(36 * random()),
    }));
    const engines = await open(world, path.join(folder, 'sqlite'));
    let lines = 0;
    for (const engine of engines) {
      for (const question of questions) {
        const answer = askTable(crimes, question)();
        assert.deepEqual(
          (await engine.ask(question))(),
          answer,
          `${engine.name} ${JSON.stringify(question)}`,
        );
        lines += answer.length;
      }
    }
    for (const engine of engines) await engine.close();
    assert.ok(lines > 2_500, `only ${lines} lines were compared`);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
