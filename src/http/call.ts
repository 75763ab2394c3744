// One request to an endpoint: what came in, and what is known of it from stage to stage.

import type { Answer, Outcome } from '../contract/endpoint.ts';
import type { Refusal } from '../contract/refusal.ts';
import type { DatasetName } from '../datasets.ts';
import type { SentKey } from '../ledger/keys.ts';
import type { KnownAdmission, Ledger, Repeatable } from '../ledger/ledger.ts';
import type { Release } from '../release/reader.ts';
import type { LiveService } from '../upstream/index.ts';
import type { Gate } from './admit.ts';
import type { Bill } from './envelope.ts';
import type { FailedKeys } from './failed-keys.ts';
import type { Laps } from './observe/laps.ts';
import type { RequestFigures } from './observe/request-figures.ts';
import type { OwnBooks } from './own-account.ts';
import type { Page } from './pages.ts';
import type { Asked, Questions } from './questions.ts';
import type { KeySlip } from './wire/sent-keys.ts';

/** What every call is answered with. */
export type Desk = {
  readonly ledger: Ledger;
  /** The half of the ledger that tells of accounts. */
  readonly accounts: OwnBooks;
  readonly releases: {
    /** Undefined where a replica has not fetched its first one yet. */
    readonly live: () => Release | undefined;
    /** Less than that where others can reach the service: the sample of the program is not for their customers. */
    readonly forLiveKeys: () => Release | undefined;
    /** A promise while the first start still builds it; test keys then wait. */
    readonly sandbox: () => Release | Promise<Release>;
  };
  /** Undefined where the operator has not switched it on. */
  readonly liveService: LiveService | undefined;
  readonly failedKeys: FailedKeys;
  readonly answers: RequestFigures['answers'];
  /** Where callers reach the service, for links; undefined where that is not known. */
  readonly publicUrl: string | undefined;
  /** A dataset was asked for that is not loaded. */
  readonly reportMissing: (dataset: DatasetName) => void;
  readonly gate: Gate;
  readonly reportFault: (fault: unknown, requestId: string) => void;
};

export type Call = {
  readonly questions: Questions;
  readonly desk: Desk;
  /** Undefined where no API key was sent, or nothing that could be one. */
  readonly key: SentKey | undefined;
  /** Why there is none. */
  readonly keySlip: KeySlip | undefined;
  /** The query as it stands in the URL, or the body; a refusal where it cannot be read at all. */
  readonly sent: string | Refusal;
  readonly ifNoneMatch: string | undefined;
  readonly accept: string | undefined;
  readonly sandboxOutcome: string | undefined;
  readonly idempotencyKey: string | undefined;
  /** The page that calls; undefined for callers that are none. */
  readonly page: Page | undefined;
  /** Of a browser: where the page is from that calls, as `same-origin`. */
  readonly fetchSite: string | undefined;
  /** Whether nobody is there any more to be answered. */
  readonly isGone: () => boolean;
  /** Asked for only when a key is refused, is bound to addresses, is the public one or a page's. */
  readonly address: () => string;
  readonly requestId: string;
  /** Made here, unlike the request id, which a caller may choose: what a charge is keyed by. */
  readonly chargeId: string;
  readonly atMs: number;
  readonly laps: Laps;
};

/** Who asks, and which release answers. */
export type Known = { readonly admission: KnownAdmission; readonly release: Release };

/** Whether a call is still to be charged, or an earlier one with its Idempotency-Key was. */
export type Payment =
  | { readonly kind: 'due'; readonly repeatable: Repeatable | undefined }
  | { readonly kind: 'made' };

/** A question whose price the account can pay, or whose answer may turn out to be free. */
export type Affordable = Known & {
  readonly next: 'lookup';
  readonly asked: Asked;
  readonly credits: number;
  readonly balance: 'enough' | 'short';
  readonly payment: Payment;
};

/** An answer that is still to be paid for. */
export type Due = Known & {
  readonly next: 'charge';
  readonly asked: Asked;
  readonly answer: Answer;
  readonly credits: number;
  readonly repeatable: Repeatable | undefined;
};

/** The caller has the answer already; it is undefined where nobody had to look it up to know that. */
export type Unchanged = { readonly kind: 'unchanged'; readonly answer: Answer | undefined };

/** Nothing is left but to write the reply. */
export type Settled = {
  readonly next: 'reply';
  /** Undefined where the key is unknown, or a fault came first. */
  readonly admission: KnownAdmission | undefined;
  /** Undefined where a fault came before it was chosen. */
  readonly release: Release | undefined;
  readonly outcome: Outcome | Unchanged | { readonly kind: 'unheard' };
  /** Undefined for a refusal. */
  readonly asked: Asked | undefined;
  /** Where the ledger has counted the call already. */
  readonly bill: Bill | undefined;
  /** An answer for which an earlier call was charged. */
  readonly replayed?: true;
};

/** A stage that is still to come, with what it needs to know. */
export type Ahead =
  | { readonly next: 'key' }
  | { readonly next: 'limit'; readonly admission: KnownAdmission }
  | (Known & { readonly next: 'parameters' })
  | (Known & { readonly next: 'balance'; readonly asked: Asked; readonly payment: Payment })
  | Affordable
  | Due;

export type Step = Ahead | Settled;
