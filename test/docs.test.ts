// The generated documents are the code's own words: a change of one without the other fails here.

import assert from 'node:assert/strict';
import { existsSync, globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { findDrift, generateDocs } from '../scripts/docs.ts';
import { settings } from '../src/config.ts';
import { datasetsReadBy } from '../src/contract/needs.ts';
import { areaStatistics } from '../src/endpoints/area-statistics.ts';
import { endpoints } from '../src/endpoints/index.ts';
import { errorCodes } from '../src/errors.ts';
import { type Field, fieldsOf } from '../src/http/docs/fields.ts';
import { openSources } from '../src/ingest/source.ts';
import { sources } from '../src/sources/index.ts';
import { tables } from '../src/tables/index.ts';

const docs = await generateDocs();
const textOf = (path: string): string => docs.get(path) ?? assert.fail(`${path} is not generated`);

test('every generated document on disk is what the code says', async () => {
  assert.deepEqual(await findDrift(), [], 'run: npm run docs');
  for (const [path, text] of docs) {
    assert.equal(readFileSync(new URL(`../${path}`, import.meta.url), 'utf8'), text);
  }
});

test('every generated document opens by saying that it is generated, and how', () => {
  for (const [path, text] of docs) {
    const note = path.endsWith('.json') ? JSON.parse(text).description : (text.split('\n')[0] ?? '');
    assert.match(note, /^(<!-- |# |\/\/ |)Generated from .* by `npm run docs`/, path);
  }
});

test('docs/api.md has a section for every endpoint, with every parameter and error code', () => {
  const text = textOf('docs/api.md');
  for (const { path, params, errors } of endpoints) {
    const section = text.split(/^## /m).find((part) => part.startsWith(`GET ${path}\n`)) ?? '';
    for (const name of Object.keys(params)) assert.ok(section.includes(`| \`${name}\``), `${path} ${name}`);
    for (const code of errors) assert.ok(section.includes(`errors.md#${code})`), `${path} ${code}`);
  }
});

test('docs/api.md has every figure of the area statistics with its meaning, and docs/data-sources.md where each is from', () => {
  const section = textOf('docs/api.md')
    .split(/^## /m)
    .find((part) => part.startsWith('GET /area/statistics\n'));
  const look = ({ name, fields, description }: Field) => {
    assert.ok(fields.length > 0 || description.length > 5, name);
    assert.match(section ?? '', new RegExp(`^ *- \`${name}\`: `, 'm'));
    for (const field of fields) look(field);
  };
  for (const field of fieldsOf(areaStatistics.answer)) look(field);
  for (const dataset of datasetsReadBy(areaStatistics)) {
    assert.match(textOf('docs/data-sources.md'), new RegExp(`^\\| \`${dataset}\` \\| .+ \\| .+ \\|$`, 'm'));
  }
});

test('no source fills a dataset that no endpoint reads', () => {
  const read = new Set(endpoints.flatMap(datasetsReadBy));
  assert.deepEqual(
    sources.filter(({ dataset }) => !read.has(dataset)).map(({ name }) => name),
    [],
  );
});

test('loading the country takes as long in every text as it was measured, on what it was measured', () => {
  const read = (name: string) => readFileSync(new URL(`../${name}`, import.meta.url), 'utf8');
  const { update } = JSON.parse(read('bench/results.json'));
  const [{ value: seconds }] = update.figures;
  for (const name of ['README.md', 'docs/self-hosting.md', 'docs/national-data.md']) {
    const text = read(name).replaceAll(/\s+/g, ' ');
    assert.ok(text.includes(`${Math.round(seconds / 60)} minutes`), name);
    assert.ok(text.includes('invented files of the real sizes'), name);
    assert.doesNotMatch(text, /quarter of an hour|takes an hour|an hour to load/, name);
  }
});

test('docs/errors.md has an anchor for every error code', () => {
  const text = textOf('docs/errors.md');
  for (const code of errorCodes) assert.ok(text.includes(`<a id="${code}"></a>\n\n## ${code}\n`), code);
});

test('docs/settings.md names the variable and the flag of every setting', () => {
  const text = textOf('docs/settings.md');
  for (const { env, flag } of Object.values(settings)) {
    assert.ok(text.includes(`| \`${env}\` | \`--${flag} `), env);
  }
});

test('a setting has one default, in docs/settings.md and in the help of `serve`', () => {
  for (const { env, help } of Object.values(settings)) assert.doesNotMatch(help, /\bdefault:/i, env);
  assert.match(
    textOf('docs/settings.md'),
    /^\| `LOG_FORMAT` \| `[^`]+` \| pretty on a terminal, json elsewhere \|/m,
  );
  assert.match(
    textOf('docs/cli.md'),
    / Environment: LOG_FORMAT\. Default: pretty on a terminal, json elsewhere\.$/m,
  );
});

test('docs/data-sources.md gives licence and attribution of every source', async () => {
  const text = textOf('docs/data-sources.md');
  for (const { title, facts } of await openSources(sources)) {
    assert.ok(text.includes(`- Licence: ${facts.licence}`), title);
    assert.ok(text.includes(`- Attribution: ${facts.attribution}`), title);
  }
});

test('a link between generated documents leads to an anchor that exists', () => {
  for (const [path, text] of docs) {
    for (const [, file = '', anchor = ''] of text.matchAll(/\]\((\w+\.md)#([\w-]+)\)/g)) {
      assert.ok(textOf(`docs/${file}`).includes(`<a id="${anchor}"></a>`), `${path}: ${file}#${anchor}`);
    }
  }
});

test('docs/release-format.md has every column of every table, with its type and meaning', () => {
  const chapters = textOf('docs/release-format.md').split(/^#### /m);
  for (const { part, prefix, columns } of Object.values(tables).flat()) {
    const [, chapter = ''] =
      chapters
        .map((text) => text.split(/\n(.*)/s))
        .find(([title = '']) => {
          const [names = '', own] = title.split(': ');
          return names.split(', ').includes(`\`${part}\``) && own === (prefix && `\`${prefix}\``);
        }) ?? [];
    for (const [name, { meaning }] of Object.entries(columns)) {
      const line = chapter.split('\n').find((text) => text.startsWith(`| \`${name}\` | `)) ?? '';
      assert.ok(line.includes(meaning), `${part} ${name}`);
    }
  }
});

test('every file that a document or a comment names is there', () => {
  const root = new URL('../', import.meta.url);
  const isThere = (file: string, from: string) =>
    ['', 'src/', 'bench/', path.posix.join(path.posix.dirname(from), '/')].some((place) =>
      existsSync(new URL(`${place}${file}`, root)),
    );
  const cwd = path.join(import.meta.dirname, '..');
  const pages = globSync(['*.md', 'docs/**/*.md', 'bench/*.md', 'data/**/*.md'], { cwd });
  assert.ok(pages.length > 20, `only ${pages.length} pages found`);
  const inPages = pages.flatMap((page) =>
    [...readFileSync(new URL(page, root), 'utf8').matchAll(/`([\w-]+(?:\/[\w.-]+)+\.(?:ts|js|md|csv))`/g)]
      .map(([, file = '']) => file)
      .filter((file) => !isThere(file, page))
      .map((file) => `${page}: ${file}`),
  );
  const sources = globSync(['src/**/*.ts', 'test/**/*.ts', 'bench/*/*.ts', 'scripts/*.ts'], { cwd });
  const inComments = sources.flatMap((source) =>
    [...readFileSync(new URL(source, root), 'utf8').matchAll(/(?:^|\s)(?:\/\/|\*\*?) .*/gm)]
      .flatMap(([comment]) => [...comment.matchAll(/\b(?:src|test|docs|scripts)\/[\w./-]+\.(?:ts|md)\b/g)])
      .map(([file]) => file)
      .filter((file) => !isThere(file, source))
      .map((file) => `${source}: ${file}`),
  );
  assert.deepEqual([...inPages, ...inComments], []);
});

// Links that begin with a slash are of the pages that a service shows.
test('a link between two pages leads to a file that is there, and to a heading or an anchor of it', () => {
  const root = path.join(import.meta.dirname, '..');
  const pages = globSync(['*.md', 'docs/**/*.md', 'bench/*.md', 'data/**/*.md'], { cwd: root });
  const slug = (heading: string) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-');
  const anchorsOf = (file: string): ReadonlySet<string> => {
    const text = readFileSync(path.join(root, file), 'utf8');
    const headings = [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) => slug(heading));
    return new Set([...headings, ...[...text.matchAll(/<a id="([^"]+)"/g)].map(([, id = '']) => id)]);
  };
  let links = 0;
  const broken = pages.flatMap((page) => {
    const text = readFileSync(path.join(root, page), 'utf8').replace(/```.*?```|`[^`\n]*`/gs, '');
    return [...text.matchAll(/\]\((?![a-z]+:|\/)([^)#\s]*)(?:#([^)\s]+))?\)/g)]
      .filter(([, file = '', anchor]) => {
        links += 1;
        const target = file === '' ? page : path.join(path.dirname(page), file);
        if (!existsSync(path.join(root, target))) return true;
        return anchor !== undefined && target.endsWith('.md') && !anchorsOf(target).has(anchor);
      })
      .map(([link]) => `${page}: ${link}`);
  });
  assert.ok(links > 100, `only ${links} links found`);
  assert.deepEqual(broken, []);
});
