// What every dialog of an account is given.

import type { AccountView } from '../../../src/portal/views.ts';

export type DoingWish = {
  readonly account: AccountView;
  readonly onClose: () => void;
  /** Given what to tell the operator. */
  readonly onChanged: (words: string) => Promise<void>;
};
