// The same sales in PostgreSQL: covering indexes for area, street and postcode, vacuumed so that they are read alone.

import { formatDay } from '../../src/uk/calendar.ts';
import { startPostgres } from '../postgres.ts';
import type { Engine } from './engines.ts';
import { type Answer, fromDayOf, pageLine, type Query, today, typeLine } from './queries.ts';

export async function open(csv: string, folder: string): Promise<Engine> {
  const { state, client, close } = await startPostgres(folder, 54_399, { shared_buffers: '3GB' });
  const run = async (sql: string): Promise<readonly Record<string, unknown>[]> =>
    (await client.query(sql)).rows;
  if (state === 'empty') await load(run, csv);
  return {
    name: 'PostgreSQL',
    ask: (query) => answer(run, query),
    close,
  };
}

type Run = (sql: string) => Promise<readonly Record<string, unknown>[]>;

async function load(run: Run, csv: string): Promise<void> {
  const texts =
    'paon text, saon text, street text COLLATE "C", locality text, town text, district text, county text';
  await run('BEGIN');
  await run(`CREATE UNLOGGED TABLE sales (id text COLLATE "C", price integer, date date, postcode text COLLATE "C",
    type text, isnew text, estate text, ${texts}, category text, status text,
    area text COLLATE "C" GENERATED ALWAYS AS (split_part(town, ' ', 1)) STORED,
    day integer GENERATED ALWAYS AS (date - DATE '1970-01-01') STORED)`);
  const columns =
    'id, price, date, postcode, type, isnew, estate, paon, saon, street, locality, town, district, county, category, status';
  await run(`COPY sales (${columns}) FROM '${csv}' WITH (FORMAT csv)`);
  await run('COMMIT');
  const covered = 'day DESC, id) INCLUDE (type, isnew, price)';
  await run(`CREATE INDEX by_area ON sales (area, ${covered}`);
  await run(`CREATE INDEX by_street ON sales (area, street, ${covered}`);
  await run(`CREATE INDEX by_postcode ON sales (postcode, ${covered}`);
  await run('CREATE UNLOGGED TABLE streets AS SELECT DISTINCT area, street FROM sales');
  await run('CREATE INDEX streets_of ON streets (area)');
  await run('VACUUM ANALYZE');
}

async function answer(run: Run, query: Query): Promise<Answer> {
  const conditions = [
    query.postcode === undefined ? `area = '${query.area}'` : `postcode = '${query.postcode}'`,
    `day BETWEEN ${fromDayOf(query)} AND ${today}`,
  ];
  if (query.street !== undefined) {
    conditions.push(
      `street IN (SELECT street FROM streets WHERE area = '${query.area}' AND strpos(street, '${query.street}') > 0)`,
    );
  }
  if (query.type !== undefined) conditions.push(`type = '${query.type}'`);
  if (query.minPrice !== undefined)
    conditions.push(`price BETWEEN ${query.minPrice} AND ${query.maxPrice ?? 1e9}`);
  const where = conditions.join(' AND ');
  const types = await run(
    `SELECT type, count(*)::integer AS n, sum(price)::float8 AS s, min(price) AS low, max(price) AS high FROM sales WHERE ${where} GROUP BY type`,
  );
  const [middle] = await run(
    `SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY price) AS median FROM sales WHERE ${where}`,
  );
  const page = await run(
    `SELECT * FROM sales WHERE ${where} ORDER BY day DESC, id LIMIT ${query.limit} OFFSET ${query.offset}`,
  );
  return {
    total: types.reduce((sum, { n }) => sum + Number(n), 0),
    median: Number(middle?.median),
    min: Math.min(...types.map(({ low }) => Number(low))),
    max: Math.max(...types.map(({ high }) => Number(high))),
    types: types.map(({ type, n, s }) => typeLine(String(type), Number(n), Number(s))).sort(),
    page: page.map(({ day, price, postcode, street }) =>
      pageLine(formatDay(Number(day)), Number(price), String(postcode), String(street)),
    ),
  };
}
