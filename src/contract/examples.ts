// Example calls for the documents and the forms of /docs, made of the examples that parameters give. There are two sets:
// one that any test key is answered, one that a live key is answered from the bundled data. What the sandbox answers to the
// first is in data/examples.json.

import { readFile } from 'node:fs/promises';
import type { ErrorCode } from '../errors.ts';
import type { Endpoint } from './endpoint.ts';
import { inWords } from './in-words.ts';
import type { Example, Param } from './params.ts';

/** Where the bundled data has most; a test asks every endpoint for each. */
export const samplePlaces: readonly (readonly [postcode: string, town: string])[] = [
  ['NP10 8WA', 'Newport'],
  ['PO33 2RX', 'Ryde'],
  ['LE15 6QU', 'Oakham'],
];

/** "NP10 8WA, PO33 2RX or LE15 6QU" */
export const samplePostcodes: string = inWords(
  samplePlaces.map(([postcode]) => postcode),
  'or',
);

/** What the sandbox answers to the example call of each endpoint, by its path. An endpoint that was added since they were written
 *  has none. */
export type ExampleAnswers = Readonly<Record<string, unknown>>;

/** `npm run docs` writes them. */
export async function readExampleAnswers(): Promise<ExampleAnswers> {
  const file = new URL('../../data/examples.json', import.meta.url);
  const { answers }: { answers: ExampleAnswers } = JSON.parse(await readFile(file, 'utf8'));
  return answers;
}

export type ExampleSet = 'sandbox' | 'live';

type ExampleParams = readonly (readonly [string, string | number | boolean])[];

/** The fewest parameters that make a call worth trying: those that the endpoint names, else what is required, else the
 *  first with an example. Undefined where the set has no such call. */
export function exampleParams({ params, tryWith }: Endpoint, set: ExampleSet): ExampleParams | undefined {
  const withExample = Object.entries(params).filter(([, { example }]) => example !== undefined);
  const named = withExample.filter(([name, param]) => tryWith?.includes(name) ?? param.required);
  const chosen = named.length > 0 ? named : withExample.slice(0, 1);
  const values = chosen.flatMap(([name, param]) => {
    const value = exampleOf(param, set);
    return value === undefined ? [] : [[name, value] as const];
  });
  return values.length === chosen.length ? values : undefined;
}

export function exampleText(example: Example | undefined, set: ExampleSet): string | undefined {
  return typeof example === 'object' ? example[set] : example;
}

/** In the type that the schema names, as a JSON body has it. */
export function exampleOf(
  { example, schema }: Param<unknown, ErrorCode>,
  set: ExampleSet,
): string | number | boolean | undefined {
  const text = exampleText(example, set);
  if (text === undefined) return undefined;
  if (schema.type === 'integer' || schema.type === 'number') return Number(text);
  return schema.type === 'boolean' ? text === 'true' : text;
}
