// Turns the JSON Schema of answers and parameters into words a reader can scan: a tree of fields, and bounds.

import type { CsvTable } from '../../contract/csv.ts';
import type { Endpoint } from '../../contract/endpoint.ts';
import { inWords } from '../../contract/in-words.ts';
import { isSchema, type JsonSchema } from '../../contract/shape.ts';

export type Field = {
  readonly name: string;
  readonly type: string;
  readonly isOptional: boolean;
  readonly description: string;
  readonly fields: readonly Field[];
};

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

/** The members of a success reply beside `success`, as they stand on the wire. */
export function replyFields({ envelope, answer, credits }: Endpoint): readonly Field[] {
  const members = fieldsOf(answer.schema);
  const wrapped = envelope === 'data' ? [{ ...data, fields: members }] : members;
  return credits > 0 ? [...wrapped, billing] : wrapped;
}

const data: Field = {
  name: 'data',
  type: 'object',
  isOptional: false,
  description: '',
  fields: [],
};

const billing: Field = {
  name: 'billing',
  type: 'object',
  isOptional: false,
  description: 'What the call cost, and the balance after it.',
  fields: [],
};

export function fieldsOf(schema: JsonSchema): readonly Field[] {
  const variants = variantsOf(schema);
  if (variants.length > 0) return variants.flatMap(fieldsOf);
  if (isSchema(schema.items)) return fieldsOf(schema.items);
  const value = mapValue(schema);
  if (value !== undefined) return fieldsOf(value);
  const required = Array.isArray(schema.required) ? schema.required : [];
  return Object.entries(isSchema(schema.properties) ? schema.properties : {}).flatMap(([name, member]) =>
    isSchema(member)
      ? [
          {
            name,
            type: typeName(member),
            isOptional: !required.includes(name),
            description: textOf(member.description),
            fields: fieldsOf(member),
          },
        ]
      : [],
  );
}

export function typeName(schema: JsonSchema): string {
  const variants = variantsOf(schema);
  if (variants.length > 0) return inWords([...new Set(variants.map(typeName))], 'or');
  // `["string", "null"]` beside a format, an enum or items: those speak of the string.
  if (Array.isArray(schema.type)) {
    return inWords(
      schema.type.map((type) => (type === 'null' ? 'null' : typeName({ ...schema, type }))),
      'or',
    );
  }
  if (Array.isArray(schema.enum))
    return inWords(
      schema.enum.map((value) => JSON.stringify(value)),
      'or',
    );
  if (isSchema(schema.items)) return `list of ${plural(typeName(schema.items))}`;
  const value = mapValue(schema);
  if (value !== undefined) return `object of ${plural(typeName(value))} by key`;
  if (schema.format === 'date') return 'date';
  if (schema.format === 'date-time') return 'timestamp';
  return textOf(schema.type) || 'any value';
}

/** `1 to 500`, `at least 0`, or nothing. */
export function boundsOf({ minimum, maximum }: JsonSchema): string {
  const isBounded = typeof maximum === 'number' && maximum < Number.MAX_SAFE_INTEGER;
  if (typeof minimum === 'number' && isBounded) return `${minimum} to ${maximum}`;
  if (typeof minimum === 'number') return `at least ${minimum}`;
  return isBounded ? `at most ${maximum}` : '';
}

export function defaultOf(schema: JsonSchema): string {
  return schema.default === undefined ? '' : String(schema.default);
}

/** The values a parameter may take, when they are a short list. */
export function choicesOf(schema: JsonSchema): readonly string[] {
  if (Array.isArray(schema.enum)) return schema.enum.map(String);
  return schema.type === 'boolean' ? ['true', 'false'] : [];
}

/** What comes as CSV: the columns, and of several tables which calls get it. */
export const tableWords = ({ where, columns }: CsvTable): string => {
  const names = columns.map((column) => `\`${column}\``).join(', ');
  return where === undefined ? `${names}.` : `${where}: ${names}.`;
};

function variantsOf({ anyOf }: JsonSchema): readonly JsonSchema[] {
  return Array.isArray(anyOf) ? anyOf.filter(isSchema) : [];
}

/** The value of an object used as a map, whose keys are data. */
function mapValue({ additionalProperties }: JsonSchema): JsonSchema | undefined {
  return isSchema(additionalProperties) ? additionalProperties : undefined;
}

function plural(type: string): string {
  return /^[a-z]+$/.test(type) ? `${type}s` : type;
}
