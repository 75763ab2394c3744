// The same incidents in PostgreSQL: GiST over the points, and an index over point and month that covers the rest, so
// that incidents are read from it alone. GiST over the incidents themselves was slower.

import { startPostgres } from '../postgres.ts';
import {
  answerOfRows,
  boxAround,
  type Engine,
  newest,
  type OpenEngines,
  type Row,
  radiusMetres,
  sqlDistance,
} from './questions.ts';
import type { World } from './world.ts';

type Run = (sql: string) => Promise<unknown>;

export const open: OpenEngines = async (world, folder) => {
  const { state, client, close } = await startPostgres(folder, 54_398, { shared_buffers: '4GB', jit: 'off' });
  if (state === 'empty') await load((sql) => client.query(sql), world);
  const ask: Engine['ask'] = async (question) => {
    const { south, north, west, east } = boxAround(question);
    const { latitudeDegrees, longitudeDegrees, months } = question;
    const values = [south, north, west, east, latitudeDegrees, longitudeDegrees, newest - months + 1];
    const { rows }: { rows: readonly Row[] } = await client.query({ name: 'points', text: byPoints, values });
    return () => answerOfRows(rows);
  };
  return [{ name: 'PostgreSQL', ask, close }];
};

async function load(run: Run, { pointsFile, incidentsFile }: World): Promise<void> {
  await run('BEGIN');
  await run('CREATE UNLOGGED TABLE place (id integer PRIMARY KEY, latitude float8, longitude float8)');
  await run(
    'CREATE UNLOGGED TABLE incident (point integer, month smallint, category smallint, outcome smallint)',
  );
  await run(`COPY place FROM '${pointsFile}' WITH (FORMAT csv)`);
  await run(`COPY incident FROM '${incidentsFile}' WITH (FORMAT csv)`);
  await run('COMMIT');
  await run('CREATE INDEX place_at ON place USING gist (point(longitude, latitude)) INCLUDE (id)');
  await run('CREATE INDEX incident_at ON incident (point, month) INCLUDE (category, outcome)');
  await run('VACUUM ANALYZE');
}

const inBox = 'point(longitude, latitude) <@ box(point($3, $1), point($4, $2))';
const inCircle = `${sqlDistance('$5', '$6')} <= ${radiusMetres}`;

const countBoth = `SELECT month, NULL::smallint AS category, NULL::smallint AS outcome, count(*)::integer AS count
    FROM near GROUP BY month
  UNION ALL SELECT NULL, category, outcome, count(*)::integer FROM near WHERE month = ${newest} GROUP BY category, outcome`;

const byPoints = `WITH near AS MATERIALIZED (SELECT month, category, outcome FROM place JOIN incident ON incident.point = place.id
    WHERE ${inBox} AND ${inCircle} AND month >= $7) ${countBoth}`;
