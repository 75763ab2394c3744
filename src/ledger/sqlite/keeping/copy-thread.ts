// Copies a database away from the thread that charges: free pages, and what was erased in them, stay behind.

import { DatabaseSync } from 'node:sqlite';
import { workerData } from 'node:worker_threads';

const { file, draft }: { readonly file: string; readonly draft: string } = workerData;
const db = new DatabaseSync(file, { readOnly: true, timeout: 5_000 });
db.prepare('VACUUM INTO ?').run(draft);
db.close();
