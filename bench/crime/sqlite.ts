// The same incidents in SQLite: an R-tree over the points with their coordinates beside it, and the incidents clustered
// by point and month. Asked in one statement, with SQL's distance, which is faster than two with ours as a function.

import { createReadStream, existsSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { readCsv } from '../../src/ingest/read/csv.ts';
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
  const db = new DatabaseSync(file);
  db.exec(
    'PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF; PRAGMA locking_mode=EXCLUSIVE; PRAGMA cache_size=-2000000; PRAGMA temp_store=MEMORY',
  );
  if (isNew) await load(db, world);
  db.exec('PRAGMA mmap_size=30000000000');
  return [inOne(db)];
};

async function load(db: DatabaseSync, { pointsFile, incidentsFile }: World): Promise<void> {
  db.exec(`CREATE VIRTUAL TABLE place USING rtree(id, south, north, west, east, +latitude, +longitude);
    CREATE TABLE incident (point INTEGER, month INTEGER, number INTEGER, category INTEGER, outcome INTEGER,
      PRIMARY KEY (point, month, number)) WITHOUT ROWID;
    BEGIN`);
  const addPlace = db.prepare('INSERT INTO place VALUES (?, ?, ?, ?, ?, ?, ?)');
  const addIncident = db.prepare('INSERT INTO incident VALUES (?, ?, ?, ?, ?)');
  const rowsOf = (file: string, onRow: (fields: readonly number[]) => void) =>
    readCsv(createReadStream(file, { highWaterMark: 1 << 20 }), { file, encoding: 'utf-8' }, (row) =>
      onRow(row.texts().map(Number)),
    );
  await rowsOf(pointsFile, ([id = 0, latitude = 0, longitude = 0]) => {
    addPlace.run(id, latitude, latitude, longitude, longitude, latitude, longitude);
  });
  let number = 0;
  await rowsOf(incidentsFile, ([point = 0, month = 0, category = 0, outcome = 0]) => {
    number += 1;
    addIncident.run(point, month, number, category, outcome);
  });
  db.exec('COMMIT; ANALYZE');
}

// R-trees keep 32 bits, rounded outwards, so that a box finds a little more than it should.
const inBox = 'south >= :south AND north <= :north AND west >= :west AND east <= :east';
const valuesOf = (question: Question) => ({
  ...boxAround(question),
  latitude: question.latitudeDegrees,
  longitude: question.longitudeDegrees,
});

function inOne(db: DatabaseSync): Engine {
  const both = db.prepare(`WITH near AS MATERIALIZED (SELECT id FROM place
      WHERE ${inBox} AND ${sqlDistance(':latitude', ':longitude')} <= ${radiusMetres})
    SELECT month, NULL AS category, NULL AS outcome, count(*) AS count
      FROM near CROSS JOIN incident ON incident.point = near.id WHERE month >= :from GROUP BY month
    UNION ALL SELECT NULL, category, outcome, count(*)
      FROM near CROSS JOIN incident ON incident.point = near.id WHERE month = ${newest} GROUP BY category, outcome`);
  return {
    name: 'SQLite',
    ask: (question) => {
      const rows = both.all({ ...valuesOf(question), from: newest - question.months + 1 });
      return () => answerOfRows(rows as unknown as readonly Row[]);
    },
    close: () => db.close(),
  };
}
