// What `domesday check` finds: the same form from every part of it.

import type { Filled } from '../../contract/missing-datasets.ts';

export type Finding = {
  readonly level: 'ok' | 'warning' | 'problem';
  readonly subject: string;
  readonly finding: string;
  readonly advice?: string;
  /** Of answers, that are missing because of it. */
  readonly fields?: readonly Filled[];
  /** Of a dataset that an update loads: why it should. */
  readonly data?: 'sample' | 'not loaded' | 'old';
};

export const ok = (subject: string, finding: string): Finding => ({ level: 'ok', subject, finding });
