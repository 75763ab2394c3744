// Guide: a client with types, made from OpenAPI.

import { basePath } from '../../../contract/endpoint.ts';
import { exampleOrigin, type Guide, heading, text } from '../blocks.ts';

export const typedClients: Guide = {
  name: 'typed-clients',
  title: 'A typed client',
  summary: 'Have a client with types made from the OpenAPI description.',
  blocks: ({ publicUrl = exampleOrigin }) => [
    text(
      `\`${basePath}/openapi.json\` describes every endpoint as OpenAPI 3.1. It needs no key. For TypeScript:`,
    ),
    {
      kind: 'code',
      language: 'sh',
      code: `npm install --save-dev typescript@5 openapi-typescript\nnpm install openapi-fetch\nnpx openapi-typescript ${publicUrl}${basePath}/openapi.json --output domesday.ts`,
    },
    text(
      'The generator needs TypeScript 5 where it runs, because TypeScript 7 lacks the interface that it writes by. What it makes compiles with either. Then:',
    ),
    {
      kind: 'code',
      language: 'js',
      code: `import { env } from 'node:process';
import createClient from 'openapi-fetch';
import type { paths } from './domesday.ts';

const client = createClient<paths>({
  baseUrl: '${publicUrl}${basePath}',
  headers: { 'X-API-Key': env.DOMESDAY_KEY },
});
const { data, error } = await client.GET('/council-tax/lookup', {
  params: { query: { postcode: 'ZZ1 1AA' } },
});`,
    },
    text('`data` and `error` have the types of the endpoint, with every parameter checked.'),
    heading('Other generators'),
    text('Python, Go, Java and others: any generator that reads OpenAPI 3.1.'),
  ],
};
