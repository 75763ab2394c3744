// Makes the bundle with esbuild. No service loads this: `npm ci` runs it, or a child process when a page is first asked for.

import path from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { build, type Metafile } from 'esbuild';
import { type Bundle, root, type Section } from './bundle.ts';

const types: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
};

const entries = { script: 'web/main.tsx', style: 'web/styles/index.css' };

export async function makeBundle(): Promise<Bundle> {
  const { outputFiles, metafile } = await build({
    absWorkingDir: root,
    entryPoints: [entries.script, entries.style],
    outdir: 'assets',
    write: false,
    metafile: true,
    bundle: true,
    splitting: true,
    format: 'esm',
    minify: true,
    target: 'es2023',
    charset: 'utf8',
    jsx: 'automatic',
    jsxImportSource: 'preact',
    // Not the one that checks types, which an image does not have.
    tsconfigRaw: '{}',
    entryNames: '[name]-[hash]',
    chunkNames: '[name]-[hash]',
    legalComments: 'none',
    logLevel: 'silent',
  });
  const assets = await Promise.all(
    outputFiles.map(async ({ path: place, contents }) => {
      const plain = Buffer.from(contents);
      const name = path.basename(place);
      return { name, type: types[path.extname(name)] ?? 'application/octet-stream', ...(await coded(plain)) };
    }),
  );
  const needs = (section: Section) => neededBy(metafile, `web/${section}/section.tsx`);
  return {
    assets,
    script: outputOf(metafile, entries.script),
    style: outputOf(metafile, entries.style),
    needs: {
      front: needs('front'),
      explore: needs('explore'),
      person: needs('person'),
      account: needs('account'),
      admin: needs('admin'),
    },
  };
}

const brotliLater = promisify<Buffer, object, Buffer>(brotliCompress);
const gzipLater = promisify<Buffer, object, Buffer>(gzip);

async function coded(plain: Buffer) {
  const densest = {
    params: {
      [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY,
      [constants.BROTLI_PARAM_SIZE_HINT]: plain.length,
    },
  };
  const [br, gzipped] = await Promise.all([brotliLater(plain, densest), gzipLater(plain, { level: 9 })]);
  return { plain, br, gzip: gzipped };
}

type Output = Metafile['outputs'][string];

function findOutput({ outputs }: Metafile, entry: string): readonly [place: string, output: Output] {
  const found = Object.entries(outputs).find(([, { entryPoint }]) => entryPoint === entry);
  if (found === undefined) throw new Error(`esbuild made nothing of ${entry}.`);
  return found;
}

const outputOf = (metafile: Metafile, entry: string): string => path.basename(findOutput(metafile, entry)[0]);

/** What a section and the script import, and what that imports, without the script itself. */
function neededBy(metafile: Metafile, entry: string): readonly string[] {
  const [script] = findOutput(metafile, entries.script);
  const places = new Set([script, findOutput(metafile, entry)[0]]);
  for (const place of places)
    for (const { path: target, kind } of metafile.outputs[place]?.imports ?? [])
      if (kind === 'import-statement') places.add(target);
  places.delete(script);
  return [...places].map((place) => path.basename(place));
}
