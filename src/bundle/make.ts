// Makes the bundle with esbuild. No service loads this: `npm ci` runs it, or a child process when a page is first asked for.

import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { build, type Metafile, type Plugin } from 'esbuild';
import { type Bundle, root, type Section } from './bundle.ts';

const types: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
};

const entries = { script: 'web/main.ts', app: 'web/app.tsx', style: 'web/styles/index.css' };

const bundleWith = (plugins: Plugin[]) =>
  build({
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
    plugins,
  });

/** esbuild makes a file for each set of parts that use the same sources: a dozen small ones, each fetched by itself. Here every part
 *  imports all that any two of them share, so that it is one set and one file. The script alone does not: what it needs is a file
 *  of its own, and there first. */
function sharedAsOne({ outputs }: Metafile): Plugin {
  const parts = Object.values(outputs)
    .flatMap(({ entryPoint = [] }) => entryPoint)
    .filter((entry) => entry !== entries.script);
  const shared = Object.values(outputs)
    .filter(({ entryPoint }) => entryPoint === undefined)
    .flatMap(({ inputs }) => Object.keys(inputs));
  const imports = shared.map((source) => `import ${JSON.stringify(path.join(root, source))};\n`).join('');
  return {
    name: 'shared as one',
    setup: ({ onLoad }) =>
      onLoad({ filter: /\.tsx?$/ }, async ({ path: file }) => {
        if (!parts.includes(path.relative(root, file))) return undefined;
        const loader = file.endsWith('.tsx') ? 'tsx' : 'ts';
        return { contents: `${imports}${await readFile(file, 'utf8')}`, loader };
      }),
  };
}

export async function makeBundle(): Promise<Bundle> {
  const apart = await bundleWith([]);
  const { outputFiles, metafile } = await bundleWith([sharedAsOne(apart.metafile)]);
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

/** What a section and the script import, and what that imports, without the script itself. In the order in which it is needed. */
function neededBy(metafile: Metafile, entry: string): readonly string[] {
  const [script] = findOutput(metafile, entries.script);
  const [app] = findOutput(metafile, entries.app);
  const places = new Set([script, app, findOutput(metafile, entry)[0]]);
  for (const place of places)
    for (const { path: target, kind } of metafile.outputs[place]?.imports ?? [])
      if (kind === 'import-statement') places.add(target);
  places.delete(script);
  return [...places].map((place) => path.basename(place));
}
