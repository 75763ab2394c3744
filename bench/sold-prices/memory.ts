// What a process takes that has opened every area and answered a question about each. In a process of its own, so that
// nothing else is counted. node sold-prices/memory.ts rows folder

import { openSalesIndex } from '../../src/tables/sales/sales.ts';
import { BenchFolder, megabytes, say } from './folder.ts';
import { ask } from './queries.ts';

const [rows, place] = process.argv.slice(2);
const release = new BenchFolder(Number(rows), place).store.open('ingested');
const areas = openSalesIndex(release).areas.map(({ area }) => area);
for (const area of areas) {
  ask(release, { name: '', area, months: 24, street: 'CHURCH', offset: 0, limit: 100 });
}
say(`all ${areas.length} areas open and asked: ${megabytes(process.memoryUsage().rss)} resident`);
