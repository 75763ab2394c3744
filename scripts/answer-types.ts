// Writes web/api/answers.ts: the answers of the API as types, and what each call costs, for the pages that show them. They are made
// of the same schemas as OpenAPI, so that a page knows no more of the API than any other client does.

import type { Endpoint } from '../src/contract/endpoint.ts';
import { isSchema, type JsonSchema } from '../src/contract/shape.ts';

export function answerTypes(endpoints: readonly Endpoint[], town: readonly string[]): string {
  const answers = endpoints.map(({ path, answer }) => `  readonly '${path}': ${typeOf(answer, '  ')};`);
  const costs = endpoints.map(({ path, credits }) => `  '${path}': ${credits},`);
  return [
    '// Generated from src/endpoints/ by `npm run docs`; do not edit by hand.',
    '',
    '/** What an endpoint answers, without the envelope. */',
    'export type Answers = {',
    ...answers,
    '};',
    '',
    '/** Of a call that is answered. */',
    'export const credits: Readonly<Record<keyof Answers, number>> = {',
    ...costs,
    '};',
    '',
    '/** Of the made-up town that the sandbox answers from: those worth a look. */',
    `export const townPostcodes = [${town.map((postcode) => `'${postcode}'`).join(', ')}] as const;`,
    '',
  ].join('\n');
}

function typeOf(schema: JsonSchema, indent: string): string {
  const { type, anyOf, enum: words } = schema;
  if (Array.isArray(words)) return words.map((word) => `'${word}'`).join(' | ');
  if (Array.isArray(anyOf)) return anyOf.map((each) => typeOf(schemaIn(each), indent)).join(' | ');
  if (Array.isArray(type)) return type.map((each) => typeOf({ ...schema, type: each }, indent)).join(' | ');
  switch (type) {
    case 'string':
    case 'boolean':
    case 'number':
    case 'null':
      return type;
    case 'integer':
      return 'number';
    case 'array':
      return `readonly ${inBrackets(typeOf(schemaIn(schema.items), indent))}[]`;
    case 'object':
      return objectType(schema, indent);
    default:
      throw new Error(`No type is known for ${JSON.stringify(schema).slice(0, 200)}`);
  }
}

function objectType({ properties, required, additionalProperties }: JsonSchema, indent: string): string {
  if (!isSchema(properties))
    return `Readonly<Record<string, ${typeOf(schemaIn(additionalProperties), indent)}>>`;
  const needed = new Set<unknown>(Array.isArray(required) ? required : []);
  const inner = `${indent}  `;
  const members = Object.entries(properties).map(([name, schema]) => {
    const key = /^\w+$/.test(name) ? name : `'${name}'`;
    return `${inner}readonly ${key}${needed.has(name) ? '' : '?'}: ${typeOf(schemaIn(schema), inner)};`;
  });
  return ['{', ...members, `${indent}}`].join('\n');
}

const inBrackets = (type: string): string => (type.includes('|') ? `(${type})` : type);

function schemaIn(value: unknown): JsonSchema {
  if (!isSchema(value)) throw new Error(`${JSON.stringify(value)} is no schema.`);
  return value;
}
