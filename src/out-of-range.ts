// What happens where an index points outside its array: an error, never a number that an answer could carry.

/** Data and its reader disagree. A request that meets this is refused as one on a damaged release. */
export class OutOfRange extends Error {
  override name = 'OutOfRange';
  constructor() {
    super('an index points outside its column');
  }
}

export function outOfRange(): never {
  throw new OutOfRange();
}

/** `defined(values[index])`. V8 inlines it, and an optimised loop pays nothing. The array is read by whoever calls, as V8
 *  optimises a read for the few kinds of arrays it has met in its own place: `at(values, index)`, where it meets all kinds,
 *  took twelve times as long. */
export function defined<T>(value: T | null | undefined): T {
  return value ?? outOfRange();
}
