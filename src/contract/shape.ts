// Shapes of answers: each is a TypeScript type, a JSON Schema and a writer of JSON in one value. Writing by shape
// leaves out what the contract does not name and refuses what it does not allow.

export type JsonSchema = Readonly<Record<string, unknown>>;

export const isSchema = (value: unknown): value is JsonSchema =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export type Shape<T> = {
  readonly schema: JsonSchema;
  readonly write: (value: T) => string;
  readonly presence: 'required' | 'optional';
};

export type Static<S> = S extends Shape<infer T> ? T : never;

type Note = { readonly description?: string; readonly examples?: readonly unknown[] };

export function string(note: Note & { readonly format?: 'date' | 'date-time' | 'uri' } = {}): Shape<string> {
  return { schema: { type: 'string', ...note }, write: JSON.stringify, presence: 'required' };
}

export function oneOf<const W extends string>(words: readonly W[], note: Note = {}): Shape<W> {
  return { schema: { type: 'string', enum: words, ...note }, write: JSON.stringify, presence: 'required' };
}

export function number(note: Note = {}): Shape<number> {
  return { schema: { type: 'number', ...note }, write: writeNumber, presence: 'required' };
}

export function integer(note: Note & { readonly minimum?: number } = {}): Shape<number> {
  const write = (value: number) => {
    if (Number.isInteger(value)) return String(value);
    throw new RangeError(`${value} is not an integer.`);
  };
  return { schema: { type: 'integer', ...note }, write, presence: 'required' };
}

export function boolean(note: Note = {}): Shape<boolean> {
  return { schema: { type: 'boolean', ...note }, write: String, presence: 'required' };
}

export function nullable<T>(shape: Shape<T>): Shape<T | null> {
  const { type, enum: words, title } = shape.schema;
  // A list of words would not let null through, whatever the type says. A named object keeps its name for itself.
  const schema =
    typeof type === 'string' && words === undefined && title === undefined
      ? { ...shape.schema, type: [type, 'null'] }
      : { anyOf: [shape.schema, { type: 'null' }] };
  return { schema, write: (value) => (value === null ? 'null' : shape.write(value)), presence: 'required' };
}

/** A member that is absent when its value is undefined. */
export function optional<T>(shape: Shape<T>): Shape<T> & { readonly presence: 'optional' } {
  return { ...shape, presence: 'optional' };
}

export function list<T>(item: Shape<T>, note: Note = {}): Shape<readonly T[]> {
  const write = (values: readonly T[]) => {
    let json = '[';
    for (const value of values) json += json === '[' ? item.write(value) : `,${item.write(value)}`;
    return `${json}]`;
  };
  return { schema: { type: 'array', items: item.schema, ...note }, write, presence: 'required' };
}

/** An object with keys that are data, such as months. */
export function record<T>(value: Shape<T>, note: Note = {}): Shape<Readonly<Record<string, T>>> {
  const write = (values: Readonly<Record<string, T>>) =>
    `{${Object.entries(values)
      .map(([key, member]) => `${JSON.stringify(key)}:${value.write(member)}`)
      .join(',')}}`;
  return {
    schema: { type: 'object', additionalProperties: value.schema, ...note },
    write,
    presence: 'required',
  };
}

type Members = Readonly<Record<string, Shape<never>>>;
type OptionalKeys<M extends Members> = {
  [K in keyof M]: M[K] extends { readonly presence: 'optional' } ? K : never;
}[keyof M];
type ObjectOf<M extends Members> = { readonly [K in Exclude<keyof M, OptionalKeys<M>>]: Static<M[K]> } & {
  readonly [K in OptionalKeys<M>]?: Static<M[K]>;
};

export type ObjectShape<T> = Shape<T> & { readonly required: readonly string[] };

/** `name` is what OpenAPI, and clients made from it, call the object; no two may share one. */
export function object<const M extends Members>(
  name: string,
  members: M,
  note: Note = {},
): ObjectShape<ObjectOf<M>> {
  const entries = Object.entries(members);
  const required = entries.filter(([, { presence }]) => presence === 'required').map(([member]) => member);
  // The members of M and of the value have the same names, which entries cannot say.
  const writers = entries.map(([member, shape]) => ({
    member: member as keyof ObjectOf<M>,
    prefix: `${JSON.stringify(member)}:`,
    write: shape.write as (member: unknown) => string,
    presence: shape.presence,
  }));
  const write = (value: ObjectOf<M>) => {
    let json = '';
    for (const { member, prefix, write: writeMember, presence } of writers) {
      const given = value[member];
      if (given === undefined) {
        if (presence === 'optional') continue;
        throw new RangeError(`The answer lacks its member ${String(member)}.`);
      }
      json += json === '' ? prefix : `,${prefix}`;
      json += writeMember(given);
    }
    return `{${json}}`;
  };
  const properties = Object.fromEntries(entries.map(([member, { schema: own }]) => [member, own]));
  const schema = { title: name, type: 'object', required, properties, ...note };
  return { schema, write, presence: 'required', required };
}

function writeNumber(value: number): string {
  if (Number.isFinite(value)) return String(value);
  throw new RangeError(`${value} cannot stand in an answer; an unknown is null.`);
}
