// The one place that asks whether something is there at once or only promised. Most requests wait for nothing before their
// charge, and a promise for nothing costs as much as reading the parameters.

export type When = 'at once' | 'later';

/** Goes on with the value; with `failed` where its promise is rejected. What is thrown at once stays the caller's. */
export function whenThere<T, R>(
  value: T | Promise<T>,
  next: (value: T, when: When) => R | Promise<R>,
  failed?: (fault: unknown) => R | Promise<R>,
): R | Promise<R> {
  return value instanceof Promise
    ? value.then((there) => next(there, 'later'), failed)
    : next(value, 'at once');
}
