// The thread behind price-paid-encoder.ts.

import { parentPort } from 'node:worker_threads';
import { encodeSaleParts } from '../tables/sales-part.ts';
import type { EncodeJob } from './price-paid-encoder.ts';

parentPort?.on('message', ({ rows, words }: EncodeJob) => {
  const parts = encodeSaleParts(rows, words);
  parentPort?.postMessage(parts, [parts.sales.buffer, parts.ids.buffer]);
});
