// The audit log: every change with who made it, read by the owners of the account it concerns. It names people by id alone,
// and looks their addresses up when it is read, so that an erased person has none.

import { randomBytes } from 'node:crypto';
import { type Row, readNumber, readText, readTextOrNull } from '../storage/rows.ts';
import type { Sql } from '../storage/sql.ts';
import type { Email } from './email.ts';
import type { Ground } from './ground.ts';
import type { Actor, Audit, AuditLine, Event } from './people.ts';

const erased = 'erased person';
const byCommand = 'operator (command)';
const exportPage = 500;

/** An event that happens to a person, or to an address that is nobody's yet. */
type Subject = string | { readonly personId: string } | { readonly invited: Email };

let lastMs = 0;
let sameMs = 0;

/** Ids of one process grow, so that lines of one moment stay in their order. */
function newAuditId(atMs: number): string {
  sameMs = atMs > lastMs ? 0 : sameMs + 1;
  lastMs = Math.max(atMs, lastMs);
  const parts = [lastMs.toString(16).padStart(12, '0'), sameMs.toString(16).padStart(6, '0')];
  return `aud_${parts.join('')}${randomBytes(4).toString('hex')}`;
}

/** Within the transaction that makes the change. */
export async function record(
  sql: Sql,
  actor: Actor,
  event: Omit<Event, 'subject'> & { readonly subject: Subject },
  atMs: number,
): Promise<void> {
  const { accountId, what, subject, detail } = event;
  const person = typeof subject === 'object' && 'personId' in subject ? subject.personId : null;
  const invited = typeof subject === 'object' && 'invited' in subject ? subject.invited : null;
  await sql.all(
    `INSERT INTO people_audit (audit_id, account_id, at_ms, who, what, subject, subject_person, subject_email, detail, address)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    [
      newAuditId(atMs),
      accountId,
      atMs,
      actor.kind === 'person' ? actor.personId : null,
      what,
      typeof subject === 'string' ? subject : (invited?.typed ?? ''),
      person,
      invited?.key ?? null,
      detail ?? null,
      actor.kind === 'person' ? actor.address : null,
    ],
  );
}

/** What a person does with their own sign-in concerns every account they belong to. */
export async function recordOfPerson(
  sql: Sql,
  actor: Extract<Actor, { kind: 'person' }>,
  what: string,
  atMs: number,
): Promise<void> {
  const { personId } = actor;
  const rows = await sql.all('SELECT account_id FROM people_members WHERE person_id = ?', [personId]);
  const accounts = rows.length === 0 ? [null] : rows.map((row) => readText(row, 'account_id'));
  for (const accountId of accounts)
    await record(sql, actor, { accountId, what, subject: { personId } }, atMs);
}

/** Lines stay; nothing in them tells who it was. */
export async function strike(
  sql: Sql,
  { personId, emailKey }: { readonly personId: string | null; readonly emailKey: string },
) {
  if (personId !== null) await sql.all('UPDATE people_audit SET address = NULL WHERE who = ?', [personId]);
  await sql.all('UPDATE people_audit SET subject = ?, subject_email = NULL WHERE subject_email = ?', [
    erased,
    emailKey,
  ]);
}

export class AuditLog implements Audit {
  readonly #ground: Ground;

  constructor(ground: Ground) {
    this.#ground = ground;
  }

  async write(actor: Actor, event: Event): Promise<void> {
    await record(this.#ground.database, actor, event, this.#ground.now());
  }

  async page(
    accountId: string | null,
    { before, limit }: { readonly before?: string | undefined; readonly limit: number },
  ) {
    const concerned = accountId === null ? 'a.account_id IS NULL' : 'a.account_id = ?';
    const older = before === undefined ? '' : ' AND a.audit_id < ?';
    const values = [accountId ?? [], before ?? []].flat();
    const rows = await this.#ground.database.all(
      `${selectLines} WHERE ${concerned}${older} ORDER BY a.audit_id DESC LIMIT ?`,
      [...values, limit + 1],
    );
    const lines = rows.slice(0, limit).map(readLine);
    return { lines, before: rows.length > limit ? (lines.at(-1)?.auditId ?? null) : null };
  }

  async *all(accountId: string): AsyncGenerator<readonly AuditLine[]> {
    let after = '';
    for (;;) {
      const rows = await this.#ground.database.all(
        `${selectLines} WHERE a.account_id = ? AND a.audit_id > ? ORDER BY a.audit_id LIMIT ?`,
        [accountId, after, exportPage],
      );
      const lines = rows.map(readLine);
      const last = lines.at(-1);
      if (last === undefined) return;
      yield lines;
      after = last.auditId;
    }
  }
}

const selectLines = `SELECT a.audit_id, a.at_ms, a.who, a.what, a.subject, a.subject_person, a.detail, a.address,
  w.email AS who_email, s.email AS subject_email
  FROM people_audit a LEFT JOIN people w ON w.person_id = a.who LEFT JOIN people s ON s.person_id = a.subject_person`;

function readLine(row: Row): AuditLine {
  return {
    auditId: readText(row, 'audit_id'),
    atMs: readNumber(row, 'at_ms'),
    who: readTextOrNull(row, 'who') === null ? byCommand : (readTextOrNull(row, 'who_email') ?? erased),
    what: readText(row, 'what'),
    subject:
      readTextOrNull(row, 'subject_person') === null
        ? readText(row, 'subject')
        : (readTextOrNull(row, 'subject_email') ?? erased),
    detail: readTextOrNull(row, 'detail'),
    address: readTextOrNull(row, 'address'),
  };
}
