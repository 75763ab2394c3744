// Why nothing was fetched or published. The kinds are closed, so that callers without rights can be told the kind alone; the
// message is for the operator.

import { sayEarly } from '../before-release.ts';
import { visible } from '../visible.ts';

export const faultKinds = {
  unreachable: 'the place of the releases cannot be reached',
  refused: 'the place of the releases refuses to answer',
  waiting: 'the place of the releases asked for a pause',
  missing: 'nothing is published there, or a file of it is missing',
  invalid: 'what is there is no release, or not what was published',
  unsigned: 'it is not signed by a key that is trusted here',
  older: 'it is older than what was fetched before',
  unusable: 'it is whole, but this version of the program cannot serve it',
  'disk full': 'there is no room for it',
  conflict: 'another process is at work',
  stopped: 'it was stopped',
} as const;

export type FaultKind = keyof typeof faultKinds;

export class DepotFault extends Error {
  override name = 'DepotFault';
  readonly kind: FaultKind;
  /** Milliseconds since 1970: nothing is to be asked before. */
  readonly retryAt: number | undefined;
  constructor(kind: FaultKind, message: string, retryAt?: number) {
    super(visible(message));
    this.kind = kind;
    this.retryAt = retryAt;
  }
}

export const earlyDepot = (shown: string): DepotFault =>
  new DepotFault(
    'invalid',
    sayEarly(`What is published in ${shown}`, 'publish into an empty place and follow that one'),
  );
