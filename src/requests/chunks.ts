// The newest requests of accounts as rows: one row holds many requests of one account. A row goes when newer ones hold as many
// as are listed.

import { type Row, readText, readTextOrNull } from '../storage/rows.ts';
import type { Sql, Value } from '../storage/sql.ts';
import { dayMs } from '../time.ts';
import { decodeLines, encodeLines, encodeParameters, type Line } from './line.ts';

/** So many requests of an account are listed. */
export const listedMost = 1_000;

/** How long parameters are kept. */
const parametersMs = 7 * dayMs;

export type Chunk = {
  /** Unique for ever: a chunk that may have been written is written again under the same. */
  readonly chunkId: string;
  readonly accountId: string;
  readonly requests: number;
  readonly firstMs: number;
  readonly lastMs: number;
  readonly lines: string;
  readonly parameters: string | null;
};

/** `lines` are in the order of time, at least one and no more than are listed. */
export function packChunk(chunkId: string, accountId: string, lines: readonly Line[]): Chunk {
  const [first] = lines;
  const last = lines.at(-1);
  if (first === undefined || last === undefined) throw new RangeError('A chunk holds at least one request.');
  return {
    chunkId,
    accountId,
    requests: lines.length,
    firstMs: first.atMs,
    lastMs: last.atMs,
    lines: encodeLines(lines),
    parameters: encodeParameters(lines),
  };
}

/** In one statement. Those that are there already stay. */
export async function insertChunks(sql: Sql, chunks: readonly Chunk[]): Promise<void> {
  const rows = chunks.map(() => '(?, ?, ?, ?, ?, ?, ?)').join(', ');
  await sql.all(
    `INSERT INTO request_chunks (chunk_id, account_id, requests, first_ms, last_ms, lines, parameters)
     VALUES ${rows} ON CONFLICT (chunk_id) DO NOTHING`,
    chunks.flatMap(
      ({ chunkId, accountId, requests, firstMs, lastMs, lines, parameters }): readonly Value[] => [
        chunkId,
        accountId,
        requests,
        firstMs,
        lastMs,
        lines,
        parameters,
      ],
    ),
  );
}

/** The first moment of the latest chunks of an account that together hold as many requests as are listed, or of all of them. What ends
 *  before it is older than all of these. */
const neededFrom = `(SELECT MIN(first_ms) FROM (
  SELECT first_ms, SUM(requests) OVER (ORDER BY first_ms DESC, chunk_id) - requests AS newer
  FROM request_chunks WHERE account_id = ?) AS counted WHERE newer < ${listedMost})`;

/** Newest first. As many chunks hold at least as many requests, and none in a further one is newer than all of theirs. */
export async function newestLines(sql: Sql, accountId: string, nowMs: number): Promise<readonly Line[]> {
  const rows = await sql.all(
    `SELECT lines, parameters FROM request_chunks WHERE account_id = ? AND last_ms >= ${neededFrom}
     ORDER BY last_ms DESC LIMIT ${listedMost}`,
    [accountId, accountId],
  );
  return sortedNewest(rows.flatMap((row) => linesOf(row, nowMs))).slice(0, listedMost);
}

/** Those with these ids, newest first. */
export async function linesOfChunks(
  sql: Sql,
  chunkIds: readonly string[],
  nowMs: number,
): Promise<readonly Line[]> {
  const places = chunkIds.map(() => '?').join(', ');
  const rows = await sql.all(
    `SELECT lines, parameters FROM request_chunks WHERE chunk_id IN (${places})`,
    chunkIds,
  );
  return sortedNewest(rows.flatMap((row) => linesOf(row, nowMs)));
}

const sortedNewest = (lines: readonly Line[]): readonly Line[] =>
  lines.toReversed().sort((one, other) => other.atMs - one.atMs);

/** Parameters are told no longer than they are kept, also where nobody has removed them yet. */
function linesOf(row: Row, nowMs: number): readonly Line[] {
  return decodeLines(readText(row, 'lines'), readTextOrNull(row, 'parameters')).map((line) =>
    line.parameters === null || line.atMs > nowMs - parametersMs ? line : { ...line, parameters: null },
  );
}

/** Chunks of an account that hold a request since then, in the order of time. */
export async function chunksSince(sql: Sql, accountId: string, sinceMs: number): Promise<readonly string[]> {
  const rows = await sql.all(
    'SELECT chunk_id FROM request_chunks WHERE account_id = ? AND last_ms >= ? ORDER BY last_ms',
    [accountId, sinceMs],
  );
  return rows.map((row) => readText(row, 'chunk_id'));
}

/** Removes what is older than as many others as are listed. */
export async function pruneAccount(sql: Sql, accountId: string): Promise<void> {
  await sql.all(`DELETE FROM request_chunks WHERE account_id = ? AND last_ms < ${neededFrom}`, [
    accountId,
    accountId,
  ]);
}

/** Accounts of which more is there than whoever writes leaves behind: one that stops often removes nothing itself. */
export async function overfullAccounts(sql: Sql): Promise<readonly string[]> {
  const rows = await sql.all(
    `SELECT account_id FROM request_chunks GROUP BY account_id HAVING SUM(requests) > ${2 * listedMost}`,
  );
  return rows.map((row) => readText(row, 'account_id'));
}

export async function forgetOldParameters(sql: Sql, nowMs: number): Promise<void> {
  await sql.all('UPDATE request_chunks SET parameters = NULL WHERE parameters IS NOT NULL AND first_ms < ?', [
    nowMs - parametersMs,
  ]);
}

/** Accounts that have their parameters kept. */
export async function accountsWithParameters(sql: Sql): Promise<ReadonlySet<string>> {
  const rows = await sql.all('SELECT account_id FROM request_parameters_kept');
  return new Set(rows.map((row) => readText(row, 'account_id')));
}

export async function setParameters(
  sql: Sql,
  accountId: string,
  wish: 'kept' | 'not kept',
  nowMs: number,
): Promise<void> {
  if (wish === 'not kept') {
    await sql.all('DELETE FROM request_parameters_kept WHERE account_id = ?', [accountId]);
    return;
  }
  await sql.all(
    'INSERT INTO request_parameters_kept (account_id, since_ms) VALUES (?, ?) ON CONFLICT (account_id) DO NOTHING',
    [accountId, nowMs],
  );
}

/** Accounts of which parameters are stored. */
export async function accountsWithParametersIn(sql: Sql): Promise<readonly string[]> {
  const rows = await sql.all('SELECT DISTINCT account_id FROM request_chunks WHERE parameters IS NOT NULL');
  return rows.map((row) => readText(row, 'account_id'));
}

export async function forgetParametersOf(sql: Sql, accountId: string): Promise<void> {
  await sql.all(
    'UPDATE request_chunks SET parameters = NULL WHERE account_id = ? AND parameters IS NOT NULL',
    [accountId],
  );
}
