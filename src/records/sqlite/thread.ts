// Entry of the thread that has the file of the records: whoever answers never waits for its disk.

import { type MessagePort, workerData } from 'node:worker_threads';
import { serveEngine } from '../remote.ts';
import { RecordsFile } from './file.ts';

export type RecordsThread = { readonly path: string; readonly port: MessagePort };

const { path, port }: RecordsThread = workerData;
serveEngine(port, new RecordsFile(path));
