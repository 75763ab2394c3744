// Promise: a client that a generator makes from openapi.json passes the compiler's strict checks, calls the service, and knows
// the types of answers and errors without a cast.

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { openRig, type Rig } from '../rig.ts';

const run = promisify(execFile);
const packages = path.join(import.meta.dirname, '../../node_modules');

let rig: Rig;
let origin: string;
let document: string;
let folder: string;
before(async () => {
  rig = await openRig();
  origin = await rig.app.listen({ host: '127.0.0.1', port: 0 });
  document = await (await fetch(`${origin}/api/v1/openapi.json`)).text();
  folder = mkdtempSync(path.join(tmpdir(), 'domesday-clients-'));
  symlinkSync(packages, path.join(folder, 'node_modules'), 'junction');
  write('openapi.json', document);
  write('package.json', '{ "type": "module" }');
});
after(async () => {
  rmSync(folder, { recursive: true, force: true });
  await rig.close();
});

const write = (name: string, text: string) => writeFileSync(path.join(folder, name), text);

async function inFolder(
  program: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
) {
  const { stdout } = await run(process.execPath, [program, ...args], {
    cwd: folder,
    env: { ...process.env, ...env },
  }).catch((problem: { stdout: string; stderr: string }) =>
    assert.fail(`${program} ${args.join(' ')}\n${problem.stdout}\n${problem.stderr}`),
  );
  return stdout;
}

/** The generator writes by an interface that TypeScript 5 has for programs, and TypeScript 7, which checks this project, has
 *  not. */
const withTypescript5 = `import { registerHooks } from 'node:module';
registerHooks({
  resolve: (specifier, context, next) => next(specifier === 'typescript' ? 'typescript-5' : specifier, context),
});
`;

/** As a project that is new and strict checks it. */
async function check(name: string): Promise<void> {
  const options = ['--strict', '--noUncheckedIndexedAccess', '--noEmit'];
  const modules = ['--module', 'nodenext', '--target', 'esnext', '--allowImportingTsExtensions'];
  const types = ['--skipLibCheck', '--types', 'node', '--lib', 'esnext,dom,dom.iterable'];
  await inFolder(path.join(packages, 'typescript/bin/tsc'), [...options, ...modules, ...types, name]);
}

async function call(name: string): Promise<unknown> {
  const { key } = await rig.customer({ mode: 'test' });
  return JSON.parse(await inFolder(name, [], { ORIGIN: origin, KEY: key }));
}

test('openapi-typescript and openapi-fetch', async () => {
  write('typescript-5.js', withTypescript5);
  const NODE_OPTIONS = `--import=${pathToFileURL(path.join(folder, 'typescript-5.js')).href}`;
  const generator = path.join(packages, 'openapi-typescript/bin/cli.js');
  await inFolder(generator, ['openapi.json', '--output', 'paths.ts'], { NODE_OPTIONS });
  write(
    'by-openapi-fetch.ts',
    `import createClient from 'openapi-fetch';
import type { paths } from './paths.ts';

const client = createClient<paths>({
  baseUrl: \`\${process.env.ORIGIN}/api/v1\`,
  headers: { 'X-API-Key': process.env.KEY ?? '' },
});
const told = <T>({ data }: { data?: T }): T => {
  if (data === undefined) throw new Error('No answer.');
  return data;
};
const rates = told(await client.GET('/bank-rates', { params: { query: { limit: 1 } } }));
const rate: number = rates.current.rate;
const tax = told(await client.GET('/council-tax/lookup', { params: { query: { postcode: 'ZZ1 1AA' } } }));
const bandA: number = tax.data.councilTaxBands.band_a;
const place = told(await client.GET('/area/statistics', { params: { query: { postcode: 'ZZ1 1AA' } } }));
const school: string | undefined = place.data.schools.topSchools?.[0]?.name;
const sold = told(await client.GET('/area/sold-prices', { params: { query: { area: 'ZZ', limit: 2 } } }));
const prices: number[] = sold.data.properties.map(({ price }) => price);
const missing = await client.GET('/council-tax/lookup', { params: { query: { postcode: 'ZZ9 9ZZ' } } });
const code: string | undefined = missing.error?.error.code;
const many = told(await client.POST('/batch', { body: { calls: [{ path: '/bank-rates', params: { limit: 1 } }] } }));
// @ts-expect-error a parameter that is required
const lacking = () => client.GET('/council-tax/lookup', { params: { query: {} } });
// @ts-expect-error an answer is no text, also where CSV can be had
const text = (): string => rates;
console.log(
  JSON.stringify({
    rate,
    bandA: typeof bandA,
    school: typeof school,
    sales: prices.length,
    status: missing.response.status,
    code,
    batch: many.results.map(({ status }) => status),
  }),
);
`,
  );
  await check('by-openapi-fetch.ts');
  assert.deepEqual(await call('by-openapi-fetch.ts'), {
    rate: 3.75,
    bandA: 'number',
    school: 'string',
    sales: 2,
    status: 404,
    code: 'POSTCODE_NOT_FOUND',
    batch: [200],
  });
});
