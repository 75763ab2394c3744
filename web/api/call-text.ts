// A call of the API as somebody types it. Without a key it reads one from the environment.

import { apiOrigin } from '../document-facts.ts';

type Key = string | undefined;

export const curlText = (target: string, key: Key): string =>
  `curl -H ${key === undefined ? '"X-API-Key: $DOMESDAY_KEY"' : `'X-API-Key: ${key}'`} \\\n  '${apiOrigin}${target}'`;

export const typescriptText = (target: string, key: Key): string =>
  [
    `const response = await fetch(`,
    `  '${apiOrigin}${target}',`,
    `  { headers: { 'X-API-Key': ${key === undefined ? 'process.env.DOMESDAY_KEY' : `'${key}'`} } },`,
    `);`,
    `const body = await response.json();`,
  ].join('\n');

export const pythonText = (target: string, key: Key): string =>
  [
    ...(key === undefined ? ['import os'] : []),
    'import requests',
    '',
    'response = requests.get(',
    `    "${apiOrigin}${target}",`,
    `    headers={"X-API-Key": ${key === undefined ? 'os.environ["DOMESDAY_KEY"]' : `"${key}"`}},`,
    ')',
    'body = response.json()',
  ].join('\n');
