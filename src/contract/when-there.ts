// The one place that asks whether something is there at once or only promised. Most calls wait for nothing before their
// charge, and a promise for nothing costs as much as reading the parameters.

export function isThere<T>(value: T | Promise<T>): value is T {
  return !(value instanceof Promise);
}

/** Goes on with the value; `next` is told whether it had to be waited for. */
export function whenThere<T, R>(
  value: T | Promise<T>,
  next: (value: T, when: 'at once' | 'later') => R,
): R | Promise<R> {
  return isThere(value) ? next(value, 'at once') : value.then((there) => next(there, 'later'));
}
