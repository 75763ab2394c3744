// Entry of the thread that has the file of the records: whoever answers never waits for its disk.

import { type MessagePort, workerData } from 'node:worker_threads';
import { serveEngine } from '../remote.ts';
import { type IfMissing, RecordsFile } from './file.ts';

export type RecordsThread = {
  readonly path: string;
  readonly ifMissing: IfMissing;
  readonly port: MessagePort;
};

const { path, ifMissing, port }: RecordsThread = workerData;
serveEngine(port, new RecordsFile(path, ifMissing));
