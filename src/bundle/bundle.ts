// What the browser is sent of web/: a few files under names that change with their content, and which of them a document
// needs. `npm ci` makes it and keeps it beside the compile cache, by what it is made of (decision 37).

import { createHash, randomUUID } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { errorCode } from '../errno.ts';
import { isPackaged, preparedFolder } from '../packaged.ts';

/** Parts of the pages that are fetched when somebody goes there. */
export type Section = 'front' | 'explore' | 'person' | 'account' | 'admin';

type Coded<Bytes> = { readonly plain: Bytes; readonly br: Bytes; readonly gzip: Bytes };
type Asset<Bytes> = Coded<Bytes> & { readonly name: string; readonly type: string };

type Contents<Bytes> = {
  readonly assets: readonly Asset<Bytes>[];
  /** Names of what every document loads. */
  readonly script: string;
  readonly style: string;
  /** Names of what a section needs beside those: fetched at once, they are there when they are asked for. */
  readonly needs: Readonly<Record<Section, readonly string[]>>;
};

export type Bundle = Contents<Buffer>;

/** The same as one line of text: a file, or what a child process says. */
export const bundleText = (bundle: Bundle): string => {
  const assets = bundle.assets.map(({ plain, br, gzip, ...rest }) => ({
    ...rest,
    plain: plain.toString('base64'),
    br: br.toString('base64'),
    gzip: gzip.toString('base64'),
  }));
  const contents: Contents<string> = { ...bundle, assets };
  return JSON.stringify(contents);
};

function bundleIn(text: string): Bundle {
  const contents: Contents<string> = JSON.parse(text);
  const bytes = (coded: string) => Buffer.from(coded, 'base64');
  const assets = contents.assets.map(({ plain, br, gzip, ...rest }) => ({
    ...rest,
    plain: bytes(plain),
    br: bytes(br),
    gzip: bytes(gzip),
  }));
  return { ...contents, assets };
}

export const root = path.join(import.meta.dirname, '../..');
const keptFolder = path.join(root, 'node_modules/.cache/domesday-web');

/** Of everything that it is made of: sources, packages, and how it is made. */
export async function bundleKey(of = root): Promise<string> {
  const pages = await readdir(path.join(of, 'web'), { recursive: true, withFileTypes: true });
  const files = pages
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(entry.parentPath, entry.name))
    .sort();
  const others = ['src/bundle/make.ts', 'package-lock.json'];
  const all = [...files, ...others.map((file) => path.join(of, file))];
  const texts = await Promise.all(all.map((file) => readFile(file)));
  const key = createHash('sha256');
  for (const [at, text] of texts.entries())
    key.update(`${path.relative(of, all[at] ?? '')} ${text.length}\n`).update(text);
  return key.digest('hex').slice(0, 16);
}

/** Undefined where none was kept of these sources. */
export async function findKept(key: string, folder = keptFolder): Promise<Bundle | undefined> {
  try {
    return bundleIn(await readFile(path.join(folder, `${key}.json`), 'utf8'));
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    // Half of a file, after a disk was full: it is made again.
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** In place of those of earlier sources. */
export async function keepBundle(key: string, bundle: Bundle, folder = keptFolder): Promise<void> {
  await mkdir(folder, { recursive: true });
  const fresh = path.join(folder, `new-${randomUUID()}`);
  await writeFile(fresh, bundleText(bundle));
  await rename(fresh, path.join(folder, `${key}.json`));
  const others = (await readdir(folder)).filter((name) => name !== `${key}.json`);
  await Promise.all(others.map((name) => rm(path.join(folder, name), { force: true })));
}

// The bundle as a service has it: what was kept, else made in a child process while only those wait who asked for a page.

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
  if (isPackaged) return bundleIn(await readFile(preparedBundle(preparedFolder), 'utf8'));
  return (await findKept(await bundleKey())) ?? (await makeInChild());
}

/** Of a package, which has neither the sources of the pages nor what bundles them. */
export const preparedBundle = (folder: string): string => path.join(folder, 'web.json');

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
