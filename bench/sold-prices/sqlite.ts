// The same sales in SQLite: an index that covers the summary in the order of the page, one for streets, one for
// postcodes, and a table of the streets there are.

import { createReadStream } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { readCsv } from '../../src/ingest/read/csv.ts';
import { formatDay, parseDay } from '../../src/uk/calendar.ts';
import type { Engine } from './engines.ts';
import { type Answer, fromDayOf, pageLine, type Query, today, typeLine } from './queries.ts';

export async function open(csv: string, file: string): Promise<Engine> {
  const db = new DatabaseSync(file);
  db.exec(
    'PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF; PRAGMA cache_size=-2000000; PRAGMA temp_store=MEMORY',
  );
  const isNew = db.prepare("SELECT count(*) AS n FROM sqlite_master WHERE name = 'streets'").get()?.n === 0;
  if (isNew) await load(db, csv);
  db.exec('PRAGMA mmap_size=30000000000');
  return { name: 'SQLite', ask: (query) => answer(db, query), close: () => db.close() };
}

async function load(db: DatabaseSync, csv: string): Promise<void> {
  db.exec(`DROP TABLE IF EXISTS sales;
    CREATE TABLE sales (area TEXT, day INTEGER, id TEXT, type TEXT, isnew INTEGER, price INTEGER, postcode TEXT,
      paon TEXT, saon TEXT, street TEXT, locality TEXT, town TEXT, district TEXT, county TEXT, estate TEXT, category TEXT)`);
  const insert = db.prepare('INSERT INTO sales VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)');
  const days = new Map<string, number>();
  db.exec('BEGIN');
  await readCsv(
    createReadStream(csv, { highWaterMark: 1 << 20 }),
    { file: csv, encoding: 'utf-8' },
    (row) => {
      const date = row.text(2).slice(0, 10);
      const day = days.get(date) ?? parseDay(date) ?? 0;
      days.set(date, day);
      const town = row.text(11);
      insert.run(
        town.slice(0, town.indexOf(' ')),
        day,
        row.text(0),
        row.text(4),
        row.text(5) === 'Y' ? 1 : 0,
        Number(row.text(1)),
        row.text(3),
        row.text(7),
        row.text(8),
        row.text(9),
        row.text(10),
        town,
        row.text(12),
        row.text(13),
        row.text(6),
        row.text(14),
      );
    },
  );
  db.exec(`COMMIT;
    CREATE INDEX by_area ON sales (area, day DESC, id, type, isnew, price);
    CREATE INDEX by_street ON sales (area, street, day DESC, id, type, isnew, price);
    CREATE INDEX by_postcode ON sales (postcode, day DESC, id, type, isnew, price);
    CREATE TABLE streets AS SELECT DISTINCT area, street FROM sales;
    CREATE INDEX streets_of ON streets (area);
    ANALYZE`);
}

function answer(db: DatabaseSync, query: Query): Answer {
  const conditions = [
    query.postcode === undefined ? 'area = :area' : 'postcode = :postcode',
    'day >= :from',
    'day <= :to',
  ];
  const values: Record<string, string | number> = { from: fromDayOf(query), to: today };
  if (query.postcode === undefined) values.area = query.area;
  else values.postcode = query.postcode;
  if (query.street !== undefined) {
    conditions.push(
      'street IN (SELECT street FROM streets WHERE area = :area AND instr(street, :street) > 0)',
    );
    values.street = query.street;
  }
  if (query.type !== undefined) {
    conditions.push('type = :type');
    values.type = query.type;
  }
  if (query.minPrice !== undefined) {
    conditions.push('price >= :min AND price <= :max');
    values.min = query.minPrice;
    values.max = query.maxPrice ?? 1e12;
  }
  const where = conditions.join(' AND ');
  const types = db
    .prepare(
      `SELECT type, count(*) AS n, sum(price) AS s, min(price) AS low, max(price) AS high FROM sales WHERE ${where} GROUP BY type`,
    )
    .all(values);
  const total = types.reduce((sum, { n }) => sum + Number(n), 0);
  const middle = db
    .prepare(
      `SELECT price FROM sales WHERE ${where} ORDER BY price LIMIT ${total % 2 === 0 ? 2 : 1} OFFSET ${Math.max(0, Math.floor((total - 1) / 2))}`,
    )
    .all(values);
  const page = db
    .prepare(
      `SELECT * FROM sales WHERE ${where} ORDER BY day DESC, id LIMIT ${query.limit} OFFSET ${query.offset}`,
    )
    .all(values);
  return {
    total,
    median: middle.reduce((sum, { price }) => sum + Number(price), 0) / Math.max(1, middle.length),
    min: Math.min(...types.map(({ low }) => Number(low))),
    max: Math.max(...types.map(({ high }) => Number(high))),
    types: types.map(({ type, n, s }) => typeLine(String(type), Number(n), Number(s))).sort(),
    page: page.map(({ day, price, postcode, street }) =>
      pageLine(formatDay(Number(day)), Number(price), String(postcode), String(street)),
    ),
  };
}
