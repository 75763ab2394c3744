// Why a publisher's file or page was not taken. The kinds are closed, so that a command can act on each; the message is for
// the operator. Of an address it has host and path alone: a query may hold a signature or a token.

import { visible } from '../../visible.ts';

export type FailureKind =
  /** No connection, or no answer on it. */
  | 'unreachable'
  /** Its certificate is not valid here. */
  | 'not trusted'
  /** The connection ended within an answer. */
  | 'cut off'
  /** Connected, and for a while next to nothing came. */
  | 'stalled'
  | 'not there'
  | 'refused by status'
  /** `retryAt` says until when. */
  | 'told to wait'
  | 'moved to another host'
  | 'not https'
  | 'too many redirects'
  | 'too large'
  | 'wrong length'
  | 'wrong checksum'
  | 'web page instead of data'
  | 'not JSON'
  /** Compressed on the way although it was asked for as it is. */
  | 'encoded'
  /** Each part that came was of another version. */
  | 'changed while fetched'
  /** A name that no file may have here. */
  | 'unusable name'
  | 'disk full'
  /** By the caller's signal. */
  | 'stopped'
  /** What was named as one is neither an address nor a folder. */
  | 'no mirror';

type Facts = {
  readonly host?: string;
  readonly status?: number;
  /** Milliseconds since 1970. The host is not to be asked before, in this run or another. */
  readonly retryAt?: number;
  /** Whether another try in this run may help. */
  readonly again?: 'after a pause' | 'no use';
};

const passing: ReadonlySet<FailureKind> = new Set(['unreachable', 'cut off', 'stalled']);

export class TransferFailed extends Error {
  override name = 'TransferFailed';
  readonly kind: FailureKind;
  readonly host: string | undefined;
  readonly status: number | undefined;
  readonly retryAt: number | undefined;
  readonly again: 'after a pause' | 'no use';

  constructor(kind: FailureKind, message: string, facts: Facts = {}) {
    super(visible(message));
    this.kind = kind;
    this.host = facts.host;
    this.status = facts.status;
    this.retryAt = facts.retryAt;
    this.again = facts.again ?? (passing.has(kind) ? 'after a pause' : 'no use');
  }
}

/** An address as messages have it. */
export const shown = ({ protocol, host, pathname }: URL): string => `${protocol}//${host}${pathname}`;

export const stopped = (): TransferFailed =>
  new TransferFailed('stopped', 'Stopped. The part that has arrived stays; run it again to continue.');
