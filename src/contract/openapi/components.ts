// The schemas of the OpenAPI document by name: every answer, and every object in one, so that clients made from the document
// have types with names.

import { isSchema, type JsonSchema } from '../shape.ts';

type Json = Readonly<Record<string, unknown>>;

export class Components {
  readonly #schemas: Map<string, Json>;
  readonly #from = new Map<string, JsonSchema>();

  constructor(schemas: Readonly<Record<string, Json>>) {
    this.#schemas = new Map(Object.entries(schemas));
  }

  /** The schema with every named object in it replaced by a reference. */
  refer(schema: JsonSchema): Json {
    const { title } = schema;
    if (typeof title !== 'string') return this.#inside(schema);
    const known = this.#from.get(title);
    if (known === undefined) {
      this.#from.set(title, schema);
      const { title: _, ...rest } = this.#inside(schema);
      this.add(title, rest);
    } else if (known !== schema) throw new Error(`Two objects of the API are called ${title}; rename one.`);
    return { $ref: `#/components/schemas/${title}` };
  }

  add(name: string, schema: Json): void {
    if (this.#schemas.has(name)) throw new Error(`Two schemas of the API are called ${name}; rename one.`);
    this.#schemas.set(name, schema);
  }

  #inside(schema: JsonSchema): Json {
    const { properties, items, additionalProperties, anyOf } = schema;
    return {
      ...schema,
      ...(isSchema(properties) && { properties: this.referEach(properties) }),
      ...(isSchema(items) && { items: this.refer(items) }),
      ...(isSchema(additionalProperties) && { additionalProperties: this.refer(additionalProperties) }),
      ...(Array.isArray(anyOf) && { anyOf: anyOf.filter(isSchema).map((one) => this.refer(one)) }),
    };
  }

  referEach(properties: JsonSchema): Json {
    return Object.fromEntries(
      Object.entries(properties).map(([name, member]) => [
        name,
        isSchema(member) ? this.refer(member) : member,
      ]),
    );
  }

  toJson(): Json {
    return Object.fromEntries(this.#schemas);
  }
}
