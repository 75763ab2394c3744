// What the main thread and an answering thread say to each other.

import type { MessagePort } from 'node:worker_threads';
import type { Settings } from '../../config.ts';
import type { MetricsSnapshot } from '../../metrics/metrics.ts';
import type { Manifest } from '../../release/manifest.ts';
import type { LogLook } from './log.ts';

export type WorkerStart = {
  readonly settings: Settings;
  readonly port: number;
  readonly liveDir: string | undefined;
  readonly sandboxDir: string;
  readonly ledgerPort: MessagePort;
  readonly recordsPort: MessagePort;
  readonly partsPort: MessagePort;
  readonly failedKeyCounts: SharedArrayBuffer;
  readonly look: LogLook;
};

export type ToWorker =
  | { readonly kind: 'switch'; readonly dir: string; readonly manifest: Manifest }
  | { readonly kind: 'snapshot'; readonly number: number }
  | { readonly kind: 'rendered'; readonly number: number; readonly text: string }
  | { readonly kind: 'drain' }
  | { readonly kind: 'close' };

export type FromWorker =
  | { readonly kind: 'listening'; readonly port: number }
  | { readonly kind: 'refused'; readonly message: string }
  | { readonly kind: 'snapshot'; readonly number: number; readonly snapshot: MetricsSnapshot }
  | { readonly kind: 'render'; readonly number: number };
