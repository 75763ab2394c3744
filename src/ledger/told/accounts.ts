// Which accounts a list has, page by page.

/** Those with `search` in name, id or plan, in whatever letters, and those that `also` names. */
export type AccountWish = {
  readonly search: string;
  /** Ids. */
  readonly also: readonly string[];
  /** Id of the last account of the page before. */
  readonly after: string | undefined;
  readonly limit: number;
  readonly atMs: number;
};
