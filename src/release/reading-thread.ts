// Reads and proves parts of a release away from the thread that answers: a gigabyte takes more than a second.

import { parentPort, workerData } from 'node:worker_threads';
import { Part } from './part.ts';
import type { ReadPart, WantedPart } from './part-cache.ts';
import { problemOf, readShared } from './reader.ts';

const wanted: readonly WantedPart[] = workerData;
for (const part of wanted) parentPort?.postMessage({ ...part, ...read(part) } satisfies ReadPart);

function read({ path, bytes }: WantedPart) {
  try {
    const buffer = readShared(path, bytes);
    Part.open(buffer);
    return { kind: 'proved', buffer } as const;
  } catch (error) {
    return { kind: 'damaged', problem: problemOf(error) } as const;
  }
}
