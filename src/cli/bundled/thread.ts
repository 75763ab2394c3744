// Entry of the thread that builds the sample or the sandbox of a first start.

import { workerData } from 'node:worker_threads';
import { type BuildOrder, buildHere } from './bundled.ts';

const order: BuildOrder = workerData;
await buildHere(order);
