// Reads and proves parts of a release away from the thread that answers: a gigabyte takes more than a second.

import { parentPort, workerData } from 'node:worker_threads';
import { Part } from './part.ts';
import { readShared } from './reader.ts';
import { givenBy, type ReadPart, type WantedPart } from './shared-parts.ts';

const wanted: readonly WantedPart[] = workerData;
for (const part of wanted) {
  const given = givenBy(() => {
    const buffer = readShared(part.path, part.bytes);
    Part.open(buffer);
    return buffer;
  });
  parentPort?.postMessage({ ...part, given } satisfies ReadPart);
}
