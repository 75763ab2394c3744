// Sessions: a random token that a browser keeps and whose hash is kept here. Every request looks it up, so that one that was
// ended is over at once, on every replica.

import { readNumber, readText } from '../storage/rows.ts';
import type { Sql } from '../storage/sql.ts';
import { dayMs, minuteMs } from '../time.ts';
import { deviceOf } from './device.ts';
import type { Ground } from './ground.ts';
import { inTime, isInTime } from './in-time.ts';
import { done, notFound } from './outcome.ts';
import type { NewSession, Outcome, PersonView, Sessions, SessionView, SignedIn, Visitor } from './people.ts';
import { personColumns, readPerson } from './person-view.ts';
import { hashToken, newId, newToken } from './proof/secrets.ts';

const slidingMs = 14 * dayMs;
const lifetimeMostMs = 90 * dayMs;
/** How often it is written that somebody is still there. */
const seenEveryMs = 5 * minuteMs;
const deviceLifetimeMs = 365 * dayMs;
const devicesMost = 20;
const sessionsMost = 50;

/** Always a new one: a token that somebody else put into the browser never becomes signed in. */
export async function beginSession(
  sql: Sql,
  personId: string,
  visitor: Visitor,
  atMs: number,
): Promise<NewSession> {
  await sql.all(
    `DELETE FROM people_sessions WHERE token_hash IN
      (SELECT token_hash FROM people_sessions WHERE person_id = ? ORDER BY seen_ms DESC LIMIT 1000 OFFSET ?)`,
    [personId, sessionsMost - 1],
  );
  const token = newToken();
  const expiresAtMs = atMs + slidingMs;
  await sql.all(
    `INSERT INTO people_sessions (token_hash, session_id, person_id, device, address, created_ms, seen_ms, expires_ms)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
    [
      hashToken(token),
      newId('ses'),
      personId,
      deviceOf(visitor.userAgent),
      visitor.address,
      atMs,
      atMs,
      expiresAtMs,
    ],
  );
  return { token, expiresAtMs, ...(await rememberDevice(sql, personId, visitor, atMs)) };
}

/** What a person proves themselves by has changed: whoever else holds a session, or is a known device, does so no more. */
export async function renewSession(
  sql: Sql,
  personId: string,
  visitor: Visitor,
  atMs: number,
): Promise<NewSession> {
  await endEverything(sql, personId);
  return beginSession(sql, personId, visitor, atMs);
}

export async function endEverything(sql: Sql, personId: string): Promise<void> {
  await sql.all('DELETE FROM people_sessions WHERE person_id = ?', [personId]);
  await sql.all('DELETE FROM people_devices WHERE person_id = ?', [personId]);
}

/** Its token in the place of the one it had. */
export async function rememberDevice(
  sql: Sql,
  personId: string,
  { deviceToken: before }: Visitor,
  atMs: number,
): Promise<Pick<NewSession, 'deviceToken' | 'deviceExpiresAtMs'>> {
  if (before !== undefined) {
    await sql.all('DELETE FROM people_devices WHERE token_hash = ? AND person_id = ?', [
      hashToken(before),
      personId,
    ]);
  }
  await sql.all(
    `DELETE FROM people_devices WHERE token_hash IN
      (SELECT token_hash FROM people_devices WHERE person_id = ? ORDER BY expires_ms DESC LIMIT 1000 OFFSET ?)`,
    [personId, devicesMost - 1],
  );
  const deviceToken = newToken();
  const deviceExpiresAtMs = atMs + deviceLifetimeMs;
  await sql.all('INSERT INTO people_devices (token_hash, person_id, expires_ms) VALUES (?, ?, ?)', [
    hashToken(deviceToken),
    personId,
    deviceExpiresAtMs,
  ]);
  return { deviceToken, deviceExpiresAtMs };
}

export async function isKnownDevice(
  sql: Sql,
  personId: string,
  visitor: Visitor,
  atMs: number,
): Promise<boolean> {
  if (visitor.deviceToken === undefined) return false;
  const rows = await sql.all(
    'SELECT person_id FROM people_devices WHERE token_hash = ? AND person_id = ? AND expires_ms > ? AND expires_ms < ?',
    [hashToken(visitor.deviceToken), personId, atMs, atMs + 2 * deviceLifetimeMs],
  );
  return rows.length === 1;
}

export class KeptSessions implements Sessions {
  readonly #ground: Ground;

  constructor(ground: Ground) {
    this.#ground = ground;
  }

  async find(token: string, visitor: Visitor): Promise<SignedIn | undefined> {
    const { database, now } = this.#ground;
    const atMs = now();
    const tokenHash = hashToken(token);
    const [row] = await database.all(
      `SELECT s.session_id, s.created_ms AS session_ms, s.seen_ms, s.expires_ms, ${personColumns}
        FROM people_sessions s JOIN people p ON p.person_id = s.person_id WHERE s.token_hash = ? AND ${isInTime('s')}`,
      [tokenHash, ...inTime(atMs)],
    );
    if (row === undefined) return undefined;
    const person: PersonView = readPerson(row);
    const sessionId = readText(row, 'session_id');
    if (atMs - readNumber(row, 'seen_ms') < seenEveryMs) {
      return { sessionId, expiresAtMs: readNumber(row, 'expires_ms'), person };
    }
    const expiresAtMs = Math.min(atMs + slidingMs, readNumber(row, 'session_ms') + lifetimeMostMs);
    await database.all(
      'UPDATE people_sessions SET seen_ms = ?, expires_ms = ?, address = ? WHERE token_hash = ?',
      [atMs, expiresAtMs, visitor.address, tokenHash],
    );
    return { sessionId, expiresAtMs, person };
  }

  async list(personId: string, current: string): Promise<readonly SessionView[]> {
    const rows = await this.#ground.database.all(
      `SELECT session_id, device, address, created_ms, seen_ms, expires_ms FROM people_sessions s
        WHERE person_id = ? AND ${isInTime('s')} ORDER BY seen_ms DESC, session_id`,
      [personId, ...inTime(this.#ground.now())],
    );
    return rows.map((row) => ({
      sessionId: readText(row, 'session_id'),
      device: readText(row, 'device'),
      address: readText(row, 'address'),
      createdAtMs: readNumber(row, 'created_ms'),
      lastSeenAtMs: readNumber(row, 'seen_ms'),
      expiresAtMs: readNumber(row, 'expires_ms'),
      isThisOne: readText(row, 'session_id') === current,
    }));
  }

  async end(personId: string, sessionId: string): Promise<Outcome> {
    const rows = await this.#ground.database.all(
      'DELETE FROM people_sessions WHERE session_id = ? AND person_id = ? RETURNING session_id',
      [sessionId, personId],
    );
    return rows.length === 0 ? notFound('session') : done;
  }

  async endOthers(personId: string, current: string): Promise<number> {
    const rows = await this.#ground.database.all(
      'DELETE FROM people_sessions WHERE person_id = ? AND session_id <> ? RETURNING session_id',
      [personId, current],
    );
    return rows.length;
  }
}
