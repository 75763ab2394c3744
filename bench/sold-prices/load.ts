// The real server over loopback, questions of all shapes arriving at a fixed rate, whether or not earlier ones are
// answered. node sold-prices/load.ts [rows] [folder] [rates, with commas] [requests a rate]

import { rmSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { openSales } from '../../src/tables/sales/sales.ts';
import { type Figure, report } from '../figures.ts';
import { runOpenLoop } from '../open-loop.ts';
import { BenchHome } from '../server.ts';
import { BenchFolder, say } from './folder.ts';
import { ask, paramsOf, type Query, queriesFor } from './queries.ts';
import { shapesFor } from './shapes.ts';

const [rows = '1000000', place, rates = '50,100,200', requests = '5000'] = process.argv.slice(2);
const folder = new BenchFolder(Number(rows), place);
folder.generate();
if (!folder.store.has('ingested')) await folder.ingest('ingested', folder.csv);
folder.store.point('ingested');

const release = folder.store.open('ingested');
const sales = openSales(release);
const [typical, largest] = [sales.find('GU'), sales.find('B')];
if (typical === undefined || largest === undefined) throw new Error('areas are missing');

/** As callers ask: mostly one postcode, a street or an area; now and then everything of the largest. */
const common = queriesFor(typical.postcode(Math.floor(typical.length / 2)), largest.length);
const totalOf = (query: Query): number => JSON.parse(ask(release, query)).totalResults;
const heavy = shapesFor(totalOf).filter(({ include }) => include !== 'trend');
const paths: string[] = [];
for (const [index, query] of heavy.entries()) {
  for (const usual of common) paths.push(`/api/v1/area/sold-prices?${paramsOf(usual)}`);
  const other = ['GU', 'PO', 'S', 'LS', 'CF'][index % 5] ?? 'GU';
  paths.push(
    `/api/v1/area/sold-prices?${paramsOf({ ...query, area: other, outcode: undefined, sector: undefined })}`,
  );
  paths.push(`/api/v1/area/sold-prices?${paramsOf(query)}`);
}

const figures: Figure[] = [];
const home = new BenchHome();
symlinkSync(path.resolve(folder.store.folder), path.join(home.folder, 'releases'));
const server = await home.serve();
try {
  const headers = { 'x-api-key': home.key };
  const load = { url: server.url, paths, headers };
  await runOpenLoop({ ...load, perSecond: 100, requests: paths.length });
  for (const perSecond of rates.split(',').map(Number)) {
    const { p50Ms, p99Ms, p999Ms, maxMs } = await runOpenLoop({
      ...load,
      perSecond,
      requests: Number(requests),
    });
    figures.push({ what: `p99 at ${perSecond} requests a second`, value: p99Ms, unit: 'ms', worst: maxMs });
    say(
      `open loop, ${perSecond} requests a second, ${paths.length} questions in turn: p50 ${p50Ms.toFixed(2)} ms, p99 ${p99Ms.toFixed(2)} ms, p99.9 ${p999Ms.toFixed(2)} ms, longest ${maxMs.toFixed(1)} ms`,
    );
  }
} finally {
  await server.stop();
  home.remove();
  if (place === undefined) rmSync(folder.path, { recursive: true, force: true });
}
report(figures);
