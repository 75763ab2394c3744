// The caller's own account as the contract knows it: what an endpoint may ask of it. http/own-account.ts answers.

/** What usage can be added up by, in the order in which its rows are sorted. */
export const usageDimensions = ['day', 'endpoint', 'key', 'status'] as const;

type Window = 'minute' | 'day' | 'month';

type AccountStanding = {
  readonly accountId: string;
  readonly plan: 'trial' | 'basic' | 'standard' | 'premium' | 'enterprise';
  /** As billing has it: what calls by the key that asks are. */
  readonly mode: 'prepaid' | 'sandbox';
  /** Everything that can be spent. */
  readonly balance: number;
  /** The part of it that no refresh resets. */
  readonly lasting: number;
  /** What the plan gives a month; on trial, once. */
  readonly allowance: number;
  /** Null where the balance does not renew. */
  readonly refreshAtMs: number | null;
  /** Of live keys; null = no limit. */
  readonly limits: Readonly<Record<Window, number | null>>;
  /** Of the calls that the key which asks is counted with. */
  readonly windows: Readonly<
    Record<Window, { readonly used: number; readonly limit: number | null; readonly resetAtMs: number }>
  >;
  readonly key: {
    readonly keyId: string;
    readonly kind: 'live' | 'test' | 'publishable' | 'web' | 'admin';
    readonly lastFour: string;
    readonly expiresAtMs: number | null;
  };
};

type UsageWish = {
  /** Days by UTC, both included. */
  readonly fromDay: number;
  readonly toDay: number;
  readonly by: readonly (typeof usageDimensions)[number][];
  readonly offset: number;
  readonly limit: number;
};

type Usage = {
  /** Each has those of the first four that it was added up by. */
  readonly rows: readonly {
    readonly day?: number;
    readonly endpoint?: string;
    readonly key?: string;
    readonly status?: number;
    readonly calls: number;
    readonly credits: number;
  }[];
  /** Of everything asked for, whatever the page. */
  readonly total: { readonly rows: number; readonly calls: number; readonly credits: number };
  /** `made up` where the key belongs to nobody. */
  readonly of: 'the account' | 'nobody, made up';
};

export type OwnAccount = {
  /** Today by UTC, by which calls are counted, as a day number. */
  readonly today: number;
  readonly standing: () => Promise<AccountStanding>;
  readonly usage: (wish: UsageWish) => Promise<Usage>;
};

/** The account of whoever asks. Only a call has one. */
export function ownAccountIn({ account }: { readonly account?: OwnAccount }): OwnAccount {
  if (account === undefined)
    throw new Error('An endpoint that tells of an account was run without a caller.');
  return account;
}
