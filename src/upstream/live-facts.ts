// What /datasets says of a live service.

export type LiveFacts = {
  readonly name: string;
  readonly address: string;
  readonly publisher: string;
  readonly usedFor: string;
  /** What binds whoever uses its answers. */
  readonly terms: string;
};
