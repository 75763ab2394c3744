// One call, as it is typed: for curl, TypeScript and Python.

import { basePath } from '../../contract/endpoint.ts';
import { type Call, exampleOrigin, type Shown } from './blocks.ts';

type Sample = { readonly name: string; readonly label: string; readonly code: string };

export const samplesOf = (call: Call, shown: Shown): readonly Sample[] => [
  { name: 'curl', label: 'curl', code: curlOf(call, shown) },
  { name: 'ts', label: 'TypeScript', code: typescriptOf(call, shown) },
  { name: 'py', label: 'Python', code: pythonOf(call, shown) },
];

/** URLSearchParams writes an apostrophe as %27: safe between single quotes. */
function urlOf({ path, params }: Call, { publicUrl = exampleOrigin }: Shown): string {
  const query = new URLSearchParams(params.map(([name, value]) => [name, String(value)])).toString();
  return `${publicUrl}${basePath}${path}${query === '' ? '' : `?${query}`}`;
}

export function curlOf(call: Call, shown: Shown): string {
  const { publicKey } = shown;
  const key = publicKey === undefined ? '"X-API-Key: $DOMESDAY_KEY"' : `'X-API-Key: ${publicKey}'`;
  const headers = Object.entries(call.headers).map(([name, value]) => `-H '${name}: ${value}'`);
  return [
    `curl '${urlOf(call, shown)}'`,
    `-H ${key}`,
    ...headers,
    // JSON may write an apostrophe as \u0027: safe between single quotes.
    ...(call.method === 'POST'
      ? [
          `-H 'Content-Type: application/json'`,
          `-d '${JSON.stringify(call.body).replaceAll("'", '\\u0027')}'`,
        ]
      : []),
  ].join(' \\\n  ');
}

function typescriptOf(call: Call, shown: Shown): string {
  const { publicKey } = shown;
  const isPost = call.method === 'POST';
  const headers = {
    ...call.headers,
    ...(isPost ? { 'Content-Type': 'application/json' } : {}),
  };
  const key = publicKey === undefined ? 'env.DOMESDAY_KEY' : `'${publicKey}'`;
  const lines = [
    `    'X-API-Key': ${key},`,
    ...Object.entries(headers).map(([name, value]) => `    '${name}': ${quoted(value)},`),
  ];
  const isTable = call.headers.Accept === 'text/csv';
  return [
    ...(publicKey === undefined ? [`import { env } from 'node:process';`, ''] : []),
    `const reply = await fetch(${quoted(urlOf(call, shown))}, {`,
    ...(isPost ? [`  method: 'POST',`] : []),
    '  headers: {',
    ...lines,
    '  },',
    ...(isPost ? [`  body: JSON.stringify(${JSON.stringify(call.body)}),`] : []),
    '});',
    ...(isTable
      ? ['console.log(await reply.text());']
      : [
          'const answer = await reply.json();',
          // biome-ignore lint/suspicious/noTemplateCurlyInString: the sample has it.
          'if (!answer.success) throw new Error(`${answer.error.code}: ${answer.error.message}`);',
          'console.log(answer);',
        ]),
  ].join('\n');
}

function pythonOf(call: Call, shown: Shown): string {
  const { publicKey } = shown;
  const isPost = call.method === 'POST';
  const key = publicKey === undefined ? 'os.environ["DOMESDAY_KEY"]' : JSON.stringify(publicKey);
  const headers = Object.entries(call.headers).map(
    ([name, value]) => `${JSON.stringify(name)}: ${JSON.stringify(value)}`,
  );
  const isTable = call.headers.Accept === 'text/csv';
  const { publicUrl = exampleOrigin } = shown;
  return [
    ...(publicKey === undefined ? ['import os'] : []),
    'import requests',
    '',
    `reply = requests.${isPost ? 'post' : 'get'}(`,
    `    "${publicUrl}${basePath}${call.path}",`,
    `    headers={${[`"X-API-Key": ${key}`, ...headers].join(', ')}},`,
    ...(call.params.length === 0 ? [] : [`    params=${pythonValue(Object.fromEntries(call.params))},`]),
    ...(isPost ? [`    json=${pythonValue(call.body)},`] : []),
    '    timeout=10,',
    ')',
    ...(isTable
      ? ['print(reply.text)']
      : [
          'answer = reply.json()',
          'if not answer["success"]:',
          `    raise SystemExit(f"{answer['error']['code']}: {answer['error']['message']}")`,
          'print(answer)',
        ]),
  ].join('\n');
}

const quoted = (text: string): string => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;

/** JSON with the words that Python has of its own. */
function pythonValue(value: unknown): string {
  if (value === null) return 'None';
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  if (Array.isArray(value)) return `[${value.map(pythonValue).join(', ')}]`;
  if (typeof value === 'object') {
    return `{${Object.entries(value)
      .map(([name, inner]) => `${JSON.stringify(name)}: ${pythonValue(inner)}`)
      .join(', ')}}`;
  }
  return JSON.stringify(value);
}
