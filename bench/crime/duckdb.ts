// The same incidents in DuckDB: points and incidents, both in the order of the points. All incidents with their coordinates in
// one table, in the order of a grid, were slower.

import { existsSync } from 'node:fs';
import { type DuckDBConnection, DuckDBInstance, type DuckDBPreparedStatement } from '@duckdb/node-api';
import {
  answerOfRows,
  boxAround,
  type Engine,
  newest,
  type OpenEngines,
  type Question,
  type Row,
  radiusMetres,
  sqlDistance,
} from './questions.ts';
import type { World } from './world.ts';

export const open: OpenEngines = async (world, file) => {
  const isNew = !existsSync(file);
  const instance = await DuckDBInstance.create(file);
  const db = await instance.connect();
  await db.run("SET preserve_insertion_order = true; SET threads = 2; SET memory_limit = '6GB'");
  if (isNew) await load(db, world);
  const joined = await db.prepare(
    both(`SELECT month, category, outcome FROM incident
      WHERE point IN (SELECT id FROM place WHERE ${inCircle}) AND month >= $7`),
  );
  return [
    engine('DuckDB', joined, () => {
      db.closeSync();
      instance.closeSync();
    }),
  ];
};

const inCircle = `latitude BETWEEN $1 AND $2 AND longitude BETWEEN $3 AND $4 AND ${sqlDistance('$5', '$6')} <= ${radiusMetres}`;

const both = (near: string) => `WITH near AS MATERIALIZED (${near})
  SELECT month::INTEGER AS month, NULL::INTEGER AS category, NULL::INTEGER AS outcome, count(*)::INTEGER AS count
    FROM near GROUP BY month
  UNION ALL SELECT NULL, category, outcome, count(*)::INTEGER FROM near WHERE month = ${newest} GROUP BY category, outcome`;

async function load(db: DuckDBConnection, { pointsFile, incidentsFile }: World): Promise<void> {
  await db.run(`CREATE TABLE place AS SELECT * FROM read_csv('${pointsFile}', header = false,
    columns = {'id': 'INTEGER', 'latitude': 'DOUBLE', 'longitude': 'DOUBLE'})`);
  const small = "'month': 'UTINYINT', 'category': 'UTINYINT', 'outcome': 'UTINYINT'";
  await db.run(`CREATE TABLE incident AS SELECT * FROM read_csv('${incidentsFile}', header = false,
    columns = {'point': 'INTEGER', ${small}})`);
  await db.run('CHECKPOINT');
}

function engine(name: string, statement: DuckDBPreparedStatement, close: () => void): Engine {
  return {
    name,
    ask: async (question: Question) => {
      const { south, north, west, east } = boxAround(question);
      const values = [south, north, west, east, question.latitudeDegrees, question.longitudeDegrees];
      for (const [index, value] of values.entries()) statement.bindDouble(index + 1, value);
      statement.bindInteger(7, newest - question.months + 1);
      const rows = (await statement.runAndReadAll()).getRowObjects();
      return () => answerOfRows(rows as unknown as readonly Row[]);
    },
    close,
  };
}
