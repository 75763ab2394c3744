// A process that fetches one file, for tests that kill it: node fetch-process.ts FROM FOLDER. Says how far it is.

import { writeSync } from 'node:fs';
import { systemClock } from '../../../src/update/web/clock.ts';
import { Web } from '../../../src/update/web/web.ts';
import { address, host } from './publisher.ts';

const [from = '', folder = ''] = process.argv.slice(2);
const web = new Web({
  from,
  version: '1',
  contact: 'a@b.example',
  clock: systemClock,
  safeEveryBytes: 65_536,
});
const onProgress = (bytes: number) => void writeSync(1, `${bytes}\n`);
await web.download({ address, hosts: [host], folder, fileName: 'all.csv', mostBytes: 1e8, onProgress });
web.close();
