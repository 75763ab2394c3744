// What accounts and keys have called, as the ledger tells it.

type Used = { readonly calls: number; readonly credits: number };

export type UsageRow = Used & {
  readonly hourStartMs: number;
  readonly accountId: string;
  readonly keyId: string;
  readonly endpoint: string;
  readonly status: number;
};

/** What usage can be added up by. */
type UsageDimension = 'day' | 'endpoint' | 'key' | 'status';

export type UsageWish = {
  /** Days by UTC since 1970, both included. */
  readonly fromDay: number;
  readonly toDay: number;
  readonly by: readonly UsageDimension[];
  readonly offset: number;
  readonly limit: number;
};

/** Has those of the first four that it was added up by. */
export type UsageSum = Used & {
  readonly day?: number;
  readonly endpoint?: string;
  /** Id of the key. */
  readonly key?: string;
  readonly status?: number;
};

export type UsageSums = {
  readonly rows: readonly UsageSum[];
  /** Of everything asked for, whatever the page. */
  readonly total: Used & { readonly rows: number };
};

/** What was ever called by a key. */
export type KeyUse = {
  readonly keyId: string;
  readonly calls: number;
  /** Beginning of the hour of its last call. */
  readonly lastHourMs: number;
};

/** How an account is used, for a list of them. */
export type AccountUse = {
  readonly accountId: string;
  /** Beginning of the hour of its last call; null where it never called. */
  readonly lastHourMs: number | null;
  /** Of the day by UTC. */
  readonly callsToday: number;
  /** Those of them that were answered with a status of 400 or more. */
  readonly errorsToday: number;
};

/** What an account has used in a month, and what was added beside its calls: both parts are the movements of its statement. */
export type MonthTotal = Used & {
  readonly accountId: string;
  /** Given by the plan, less what a refresh or a correction took away. */
  readonly allowanceAdded: number;
  /** Lasting credits that were granted, less what corrections took of them. */
  readonly lastingAdded: number;
};
