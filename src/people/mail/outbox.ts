// Mails on their way: what waits is in the database, and whichever replica is first sends it. A server that is away is tried again,
// ever more seldom, until the link would have expired. Without a mail server the operator prints links by a command.

import type { Tell } from '../../ledger/ledger.ts';
import { readNumber, readText } from '../../storage/rows.ts';
import { hourMs, minuteMs } from '../../time.ts';
import { parseEmail } from '../email.ts';
import type { Ground } from '../ground.ts';
import { inTime, isInTime } from '../in-time.ts';
import type { Joining, Mail, PendingLink } from '../people.ts';
import { type Ask, mintToken, readAsk } from './asks.ts';
import type { Post } from './post.ts';
import { hasLink, linkOf, mailOf } from './texts.ts';

/** Longer than a try can take (post.ts), so that no other replica sends the same meanwhile. */
const firstPauseMs = 2 * minuteMs;
const pauseMostMs = hourMs;
const lookEveryMs = 30_000;
const atOnce = 20;

export class Outbox implements Mail {
  readonly manner: Joining['mail'];
  readonly #ground: Ground;
  readonly #publicUrl: string;
  readonly #post: Post | undefined;
  readonly #tell: Tell;
  readonly #timer: NodeJS.Timeout | undefined;
  #sending: Promise<void> = Promise.resolve();
  readonly #stop = new AbortController();
  #health: 'sound' | 'faulty' = 'sound';

  constructor(
    ground: Ground,
    {
      publicUrl,
      post,
      tell,
    }: { readonly publicUrl: string; readonly post: Post | undefined; readonly tell: Tell },
  ) {
    this.#ground = ground;
    this.#publicUrl = publicUrl;
    this.#post = post;
    this.#tell = tell;
    this.manner = post === undefined ? 'by the operator' : 'sent';
    this.#timer = post === undefined ? undefined : setInterval(() => this.sendSoon(), lookEveryMs).unref();
  }

  /** Off the way of whoever asked: how long a mail takes tells nobody whether there was one. */
  sendSoon(): void {
    if (this.#post === undefined || this.#stop.signal.aborted) return;
    const post = this.#post;
    this.#sending = this.#sending.then(async () => {
      try {
        await this.#sendAll(post);
      } catch (fault) {
        this.#tell({ level: 'warn', message: 'mails could not be looked for; they are tried again', fault });
      }
    });
  }

  async sendDue(): Promise<number> {
    this.sendSoon();
    await this.#sending;
    const [row] = await this.#ground.database.all(
      `SELECT COUNT(*) AS mails FROM people_asks a WHERE mail_next_ms IS NOT NULL AND ${isInTime('a')}`,
      inTime(this.#ground.now()),
    );
    return row === undefined ? 0 : readNumber(row, 'mails');
  }

  async links(text: string): Promise<readonly PendingLink[]> {
    const email = parseEmail(text);
    if (email === undefined) return [];
    return this.#ground.database.transaction(async (sql) => {
      const rows = await sql.all(
        `SELECT * FROM people_asks a WHERE email_key = ? AND ${isInTime('a')} ORDER BY created_ms DESC, ask_id`,
        [email.key, ...inTime(this.#ground.now())],
      );
      const links: PendingLink[] = [];
      for (const { askId, purpose, account, createdAtMs, expiresAtMs } of rows.map(readAsk)) {
        const link = hasLink(purpose) ? linkOf(this.#publicUrl, purpose, await mintToken(sql, askId)) : null;
        links.push({
          purpose,
          accountId: account?.accountId ?? null,
          askedAtMs: createdAtMs,
          expiresAtMs,
          link,
        });
      }
      return links;
    });
  }

  async close(): Promise<void> {
    this.#stop.abort();
    clearInterval(this.#timer);
    await this.#sending;
  }

  async #sendAll(post: Post): Promise<void> {
    const { database, now } = this.#ground;
    for (;;) {
      const atMs = now();
      const rows = await database.all(
        `SELECT * FROM people_asks a WHERE (mail_next_ms <= ? OR mail_next_ms > ?) AND ${isInTime('a')} ORDER BY mail_next_ms LIMIT ?`,
        [atMs, atMs + pauseMostMs, ...inTime(atMs), atOnce],
      );
      for (const ask of rows.map(readAsk)) await this.#sendOne(ask, post);
      if (rows.length < atOnce || this.#stop.signal.aborted) return;
    }
  }

  async #sendOne(ask: Ask, post: Post): Promise<void> {
    const { database, now } = this.#ground;
    const nextMs = now() + Math.min(firstPauseMs * 2 ** Math.min(ask.mailTries, 10), pauseMostMs);
    const claimed = await database.all(
      'UPDATE people_asks SET mail_next_ms = ?, mail_tries = mail_tries + 1 WHERE ask_id = ? AND mail_next_ms = ? RETURNING ask_id',
      [nextMs, ask.askId, ask.mailNextMs],
    );
    if (claimed.length === 0) return;
    const token = hasLink(ask.purpose) ? await mintToken(database, ask.askId) : null;
    // Not as somebody else spells it: a mail system may tell those apart.
    const [owner] = await database.all('SELECT email FROM people WHERE email_key = ?', [ask.emailKey]);
    const to = owner === undefined ? ask.email : readText(owner, 'email');
    const letter = { to, ...mailOf(ask, this.#publicUrl, token) };
    const sent = await post.send(letter, this.#stop.signal);
    if (sent.kind === 'try again') return this.#tellOutage(sent.reason);
    if (sent.kind === 'refused') {
      this.#tell({
        level: 'warn',
        message: `a mail (${ask.purpose}) was refused by the mail server: ${sent.reason}`,
      });
    }
    if (this.#health === 'faulty')
      this.#tell({ level: 'info', message: 'the mail server takes mails again' });
    this.#health = 'sound';
    await database.all('UPDATE people_asks SET mail_next_ms = NULL WHERE ask_id = ?', [ask.askId]);
  }

  /** Once when it begins. */
  #tellOutage(reason: string): void {
    if (this.#health === 'faulty' || this.#stop.signal.aborted) return;
    this.#health = 'faulty';
    const message = `the mail server does not take mails (${reason}); each is tried again until its link expires`;
    this.#tell({ level: 'warn', message });
  }
}
