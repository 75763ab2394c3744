// What happens where an index points outside its array: an error, never a number that an answer could carry.

/** Data and its reader disagree. A request that meets this is refused as one on a damaged release. */
export class OutOfRange extends Error {
  override name = 'OutOfRange';
  constructor() {
    super('an index points outside its column');
  }
}

/** `values[index] ?? outOfRange()`. An optimised loop pays nothing for it: the load itself knows that it never failed. */
export function outOfRange(): never {
  throw new OutOfRange();
}
