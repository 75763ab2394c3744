// The bundle as a service has it: what was kept, else made in a child process while only those wait who asked for a page.

import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { type Bundle, bundleIn, bundleKey, findKept } from './bundle.ts';

export class BundleNotMade extends Error {}

/** Whoever asks gets the same one. After a failure it is tried again when that long has passed. */
const patienceMs = 30_000;

/** Far above what it may grow to. */
const textBytesMax = 32 * 1024 * 1024;

export function openBundle(elapsedMs: () => number): () => Promise<Bundle> {
  let known: Promise<Bundle> | undefined;
  let failedMs = Number.NEGATIVE_INFINITY;
  return () => {
    if (known === undefined || elapsedMs() - failedMs > patienceMs) {
      failedMs = Number.POSITIVE_INFINITY;
      known = findOrMake();
      known.catch(() => {
        failedMs = elapsedMs();
      });
    }
    return known;
  };
}

async function findOrMake(): Promise<Bundle> {
  return (await findKept(await bundleKey())) ?? (await makeInChild());
}

async function makeInChild(): Promise<Bundle> {
  // Loaded by the few who need it.
  const { execFile } = await import('node:child_process');
  const run = promisify(execFile);
  const program = fileURLToPath(new URL('./child.ts', import.meta.url));
  try {
    const { stdout } = await run(process.execPath, [program], { maxBuffer: textBytesMax });
    return bundleIn(stdout);
  } catch (fault) {
    throw new BundleNotMade(`The pages could not be bundled: \`npm ci\` makes them.`, { cause: fault });
  }
}
