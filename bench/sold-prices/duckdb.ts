// The same sales in DuckDB: one table in the order of area and date, which its own statistics per row group skip by.

import { existsSync } from 'node:fs';
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';
import { formatDay } from '../../src/uk/calendar.ts';
import type { Engine } from './engines.ts';
import { type Answer, fromDayOf, pageLine, type Query, today, typeLine } from './queries.ts';

export async function open(csv: string, file: string): Promise<Engine> {
  const isNew = !existsSync(file);
  const instance = await DuckDBInstance.create(file);
  const db = await instance.connect();
  await db.run("SET preserve_insertion_order = true; SET threads = 2; SET memory_limit = '6GB'");
  if (isNew) await load(db, csv);
  return {
    name: 'DuckDB',
    ask: (query) => answer(db, query),
    close: () => {
      db.closeSync();
      instance.closeSync();
    },
  };
}

async function load(db: DuckDBConnection, csv: string): Promise<void> {
  const names = [
    'id',
    'price',
    'date',
    'postcode',
    'type',
    'isnew',
    'estate',
    'paon',
    'saon',
    'street',
    'locality',
    'town',
    'district',
    'county',
    'category',
    'status',
  ];
  const columns = names.map((name) => `'${name}': '${name === 'price' ? 'INTEGER' : 'VARCHAR'}'`).join(', ');
  await db.run(`CREATE TABLE sales AS
    SELECT split_part(town, ' ', 1) AS area, CAST(left(date, 10) AS DATE) - DATE '1970-01-01' AS day, id, type,
      isnew = 'Y' AS isnew, price, postcode, paon, saon, street, locality, town, district, county, estate, category
    FROM read_csv('${csv}', header = false, quote = '"', escape = '"', columns = {${columns}}, nullstr = 'NOTHING')
    ORDER BY area, day DESC, id`);
  await db.run('CREATE INDEX by_postcode ON sales (postcode)');
  await db.run('CHECKPOINT');
}

async function answer(db: DuckDBConnection, query: Query): Promise<Answer> {
  const conditions = [
    query.postcode === undefined ? `area = '${query.area}'` : `postcode = '${query.postcode}'`,
    `day BETWEEN ${fromDayOf(query)} AND ${today}`,
  ];
  if (query.street !== undefined) conditions.push(`contains(street, '${query.street}')`);
  if (query.type !== undefined) conditions.push(`type = '${query.type}'`);
  if (query.minPrice !== undefined)
    conditions.push(`price BETWEEN ${query.minPrice} AND ${query.maxPrice ?? 1e9}`);
  const where = conditions.join(' AND ');
  const read = async (sql: string) => (await db.runAndReadAll(sql)).getRowObjects();
  const types = await read(
    `SELECT type, count(*)::INTEGER AS n, sum(price)::DOUBLE AS s, min(price) AS low, max(price) AS high FROM sales WHERE ${where} GROUP BY type`,
  );
  const [middle] = await read(`SELECT quantile_cont(price, 0.5)::DOUBLE AS median FROM sales WHERE ${where}`);
  const page = await read(
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
