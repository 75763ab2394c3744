// Where releases are published to: a folder (folder-target.ts) or a bucket (s3-target.ts).

import type { Content } from './format.ts';

export type Stored = { readonly key: string; readonly bytes: number; readonly changedAtMs: number };

/** What a text replaces: nobody else may have written since it was read. */
type Replaced = { readonly tag: string } | 'nothing';

export type Target = {
  /** As messages have it. */
  readonly shown: string;
  /** Throws DepotFault where another process publishes there. */
  readonly lock: () => { release(): void };
  readonly read: (key: string, mostBytes: number) => Promise<{ text: string; tag: string } | undefined>;
  /** All keys that begin so. */
  readonly list: (prefix: string) => Promise<readonly Stored[]>;
  /** Whole or not at all; of other content it is refused. */
  readonly putFile: (key: string, file: string, content: Content) => Promise<void>;
  readonly putText: (key: string, text: string, keeping: 'for ever' | Replaced) => Promise<void>;
  readonly remove: (key: string) => Promise<void>;
};
