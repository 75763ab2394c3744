// Example calls for the documents, made of the examples that parameters give.

import type { ErrorCode } from '../errors.ts';
import type { Endpoint } from './endpoint.ts';
import type { Param } from './params.ts';

/** The fewest parameters that make a call worth trying: what is required, else the first with an example. */
export function exampleParams({
  params,
}: Endpoint): readonly (readonly [string, string | number | boolean])[] {
  const withExample = Object.entries(params).filter(([, { example }]) => example !== undefined);
  const required = withExample.filter(([, param]) => param.required);
  const chosen = required.length > 0 ? required : withExample.slice(0, 1);
  return chosen.map(([name, param]) => [name, exampleOf(param)]);
}

/** In the type that the schema names, as a JSON body has it. */
function exampleOf({ example = '', schema }: Param<unknown, ErrorCode>): string | number | boolean {
  if (schema.type === 'integer' || schema.type === 'number') return Number(example);
  return schema.type === 'boolean' ? example === 'true' : example;
}
