// Reads JSON that may have come from anywhere: typed fields of its objects, or a fault that names the one that is wrong.

import { isObject, type JsonObject, parseJson } from '../json.ts';

/** A document cannot be used; the message continues "it …". */
export class FieldFault extends Error {
  override name = 'FieldFault';
}

/** It was made before version 1.0 was published. */
export class EarlyFormat extends FieldFault {
  override name = 'EarlyFormat';

  constructor() {
    super('was made before Domesday 1.0');
  }
}

/** Throws FieldFault where it is no JSON. */
export function readFields(json: string, where: string): FieldReader {
  const value = parseJson(json);
  if (value === undefined) throw new FieldFault('is not JSON');
  return new FieldReader(value, where);
}

/** Reads typed fields of one object and names the one that is wrong. */
export class FieldReader {
  readonly #fields: JsonObject;
  readonly #where: string;
  constructor(value: unknown, where: string) {
    if (!isObject(value)) throw new FieldFault(`has no object at ${where}`);
    this.#fields = value;
    this.#where = where;
  }
  wrong(name: string, expected: string): FieldFault {
    return new FieldFault(
      `says ${JSON.stringify(this.#fields[name])} at ${this.#where}.${name}; expected ${expected}`,
    );
  }
  has(name: string): boolean {
    return Object.hasOwn(this.#fields, name);
  }
  isNull(name: string): boolean {
    return this.#fields[name] === null;
  }
  text(name: string): string {
    const value = this.#fields[name];
    if (typeof value !== 'string' || value === '') throw this.wrong(name, 'text');
    return value;
  }
  textOrNull(name: string): string | null {
    return this.#fields[name] === null ? null : this.text(name);
  }
  matching(name: string, pattern: RegExp, expected: string): string {
    const value = this.text(name);
    if (!pattern.test(value)) throw this.wrong(name, expected);
    return value;
  }
  instant(name: string): string {
    return this.matching(name, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/, 'an ISO 8601 instant');
  }
  sha256(name: string): string {
    return this.matching(name, /^[0-9a-f]{64}$/, '64 hexadecimal digits');
  }
  oneOf<T extends string>(name: string, allowed: readonly T[]): T {
    const found = allowed.find((word) => word === this.#fields[name]);
    if (found === undefined) throw this.wrong(name, `one of ${allowed.join(', ')}`);
    return found;
  }
  count(name: string): number {
    const value = this.#fields[name];
    if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < 0) {
      throw this.wrong(name, 'a whole number');
    }
    return value;
  }
  list(name: string): readonly unknown[] {
    const value = this.#fields[name];
    if (!Array.isArray(value)) throw this.wrong(name, 'a list');
    return value;
  }
  entries<T>(name: string, read: (entry: FieldReader, key: string) => T): Record<string, T> {
    const value = this.#fields[name];
    if (!isObject(value)) throw this.wrong(name, 'an object');
    const reader = new FieldReader(value, `${this.#where}.${name}`);
    return Object.fromEntries(Object.keys(value).map((key) => [key, read(reader, key)]));
  }
  within(name: string): FieldReader {
    return new FieldReader(this.#fields[name], `${this.#where}.${name}`);
  }
}
