// Shapes of answers: each is a TypeScript type, a JSON Schema and a writer of JSON in one value. Writing by shape
// leaves out what the contract does not name and refuses what it does not allow.

export type JsonSchema = Readonly<Record<string, unknown>>;

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
  const { type, enum: words } = shape.schema;
  // A list of words would not let null through, whatever the type says.
  const schema =
    typeof type === 'string' && words === undefined
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

export function object<const M extends Members>(members: M, note: Note = {}): ObjectShape<ObjectOf<M>> {
  const entries = Object.entries(members);
  const required = entries.filter(([, { presence }]) => presence === 'required').map(([name]) => name);
  // The members of M and of the value have the same names, which entries cannot say.
  const writers = entries.map(([name, shape]) => ({
    name: name as keyof ObjectOf<M>,
    prefix: `${JSON.stringify(name)}:`,
    write: shape.write as (member: unknown) => string,
    presence: shape.presence,
  }));
  const write = (value: ObjectOf<M>) => {
    let json = '';
    for (const { name, prefix, write: writeMember, presence } of writers) {
      const member = value[name];
      if (member === undefined) {
        if (presence === 'optional') continue;
        throw new RangeError(`The answer lacks its member ${String(name)}.`);
      }
      json += json === '' ? prefix : `,${prefix}`;
      json += writeMember(member);
    }
    return `{${json}}`;
  };
  const properties = Object.fromEntries(entries.map(([name, { schema }]) => [name, schema]));
  return { schema: { type: 'object', required, properties, ...note }, write, presence: 'required', required };
}

function writeNumber(value: number): string {
  if (Number.isFinite(value)) return String(value);
  throw new RangeError(`${value} cannot stand in an answer; an unknown is null.`);
}
