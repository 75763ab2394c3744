// What a service tells of the published releases that it follows.

export type Replica = {
  /** The newest that was taken; null before the first. */
  readonly release: string | null;
  readonly sequence: number | null;
  /** ISO 8601 instants; null where it never was, or nothing fails. */
  readonly publishedAt: string | null;
  readonly takenAt: string | null;
  readonly failingSince: string | null;
  readonly failingBecause: string | null;
};
