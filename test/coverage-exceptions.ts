// Branches of src/ledger/ that no test takes (test/coverage.ts), each with why.

/** `text` is how the line begins. */
type Exception = { readonly file: string; readonly text: string; readonly why: string };

const ofTheFile: readonly Exception[] = [
  {
    file: 'src/ledger/seal.ts',
    text: "if (process.platform === 'win32') return;",
    why: 'Windows opens no folders to sync them',
  },
  {
    file: 'src/ledger/sqlite/keeping/copies.ts',
    text: "if (process.platform !== 'win32') sync(path.dirname(file));",
    why: 'Windows opens no folders to sync them',
  },
  {
    file: 'src/ledger/sqlite/keeping/reserve.ts',
    text: 'if (blocks === 0) return Number.POSITIVE_INFINITY;',
    why: 'needs a file system that takes a ledger and does not tell how large it is',
  },
  {
    file: 'src/ledger/sqlite/keeping/reserve.ts',
    text: 'const free = (process.getuid?.() === 0 ? bfree : bavail) * bsize;',
    why: 'tests run as root or as somebody else',
  },
  {
    file: 'src/ledger/sqlite/keeping/copies.ts',
    text: 'if (existsSync(file)) throw new LedgerRefusal(',
    why: 'somebody else makes the file between the look and the placing',
  },
  {
    file: 'src/ledger/sqlite/ledger.ts',
    text: 'if (account !== undefined) this.#store.periods.refreshIfDue(account, atMs);',
    why: 'the type asks; a trigger keeps accounts from being deleted',
  },
  {
    file: 'src/ledger/sqlite/ledger.ts',
    text: 'return key === undefined ? unknown : this.#count(key, asked);',
    why: 'another process revokes the key between the refresh of its account and the next read',
  },
];

/** Reasons that several lines share. */
const shared: readonly {
  readonly why: string;
  /** By file below src/ledger. */
  readonly lines: Readonly<Record<string, readonly string[]>>;
}[] = [
  {
    why: 'the type asks: sums that are told apart by nothing else have a status',
    lines: {
      'stored/added-usage.ts': ['compareTexts(a.endpoint, b.endpoint) || compareTexts(a.key, b.key) ||'],
    },
  },
  {
    why: 'calls and credits of a charge are taken out together, so that neither is 0 alone',
    lines: { 'stored/proofs.ts': ['if (readers.get(account)?.break !== undefined || (calls === 0'] },
  },
  {
    why: 'depends on how fast the machine is',
    lines: { 'sqlite/storage.ts': ['if (turn.isLong()) turn = await turn.next();'] },
  },
  {
    why: 'the type asks: every address has as many groups of bits as every block',
    lines: {
      'binding.ts': ['(group, at) => (group & maskOf('],
    },
  },
  {
    why: 'the type asks; a trigger keeps accounts from being deleted',
    lines: {
      'postgres/charging.ts': ['if (account === undefined) return;'],
      'stored/posting.ts': ['if (account !== undefined) await refreshIfDue('],
      'sqlite/ledger.ts': ['if (account !== undefined) await refreshIfDue('],
      'stored/accounts.ts': ['if (row === undefined) throw new Error('],
    },
  },
  {
    why: 'the type asks; usage by day is made of that by hour',
    lines: {
      'stored/usage.ts': ['return lastHourMs === undefined ? []'],
    },
  },
  {
    why: 'a disk that fails while an empty ledger is made',
    lines: {
      'sqlite/file.ts': ['} catch (error) {'],
    },
  },
  {
    why: 'a commit in doubt while its own Idempotency-Key is asked for again',
    lines: {
      'sqlite/repeats.ts': ['if (found !== undefined && isInDoubt'],
    },
  },
  {
    why: 'the type asks, or a slip of this program: no caller comes here',
    lines: {
      'postgres/charging.ts': [
        'return charges.flatMap((charge) => results.get(charge) ?? []);',
        "if (stretch === undefined) throw new TypeError('the database did not tell",
        'if (kind === undefined) throw new TypeError(`',
        'if (looks === looksMost) throw',
      ],
      'sqlite/ledger.ts': [
        'const payer = first && this.#findPayer(first);',
        'if (first === undefined || payer === undefined) return undefined;',
        'if (first === undefined || first.repeatable !== undefined) return end;',
      ],
      'sqlite/posting.ts': ["if (charge === undefined) throw new RangeError('There is no charge"],
      'postgres/mark.ts': ['return row && readMark(row);'],
      'stored/history.ts': [
        'last = portion.at(-1)?.number ?? last;',
        'return { accounts, after: found.length > limit ?',
      ],
      'postgres/ledger.ts': ['if (answer === undefined) reject('],
      'postgres/database.ts': ["const code = error.code ?? '';"],
      'moving/backup.ts': ["return identity ?? 'unreadable';"],
      'moving/into-file.ts': [
        "if (typeof value === 'string' || typeof value === 'number'",
        'throw new TypeError(`',
      ],
    },
  },
  {
    why: 'another process changes the same rows between two statements',
    lines: {
      'postgres/charging.ts': [
        "if (found === undefined) return 'never made';",
        "if (charge === undefined) return 'never made';",
      ],
      'postgres/migrate.ts': [
        "if (fitness.kind !== 'no version' && fitness.kind !== 'older') return fitness;",
      ],
      'postgres/months.ts': ['if (row?.has_entries === false) await ask('],
    },
  },
  {
    why: 'the copy differs from what it was just copied from: a fault of disk or memory',
    lines: {
      'moving/into-database.ts': ['throw new LedgerUnavailable('],
      'moving/into-file.ts': ['throw new LedgerUnavailable('],
      'moving/tables.ts': ['if (name === undefined) continue;', 'return `$'],
    },
  },
  {
    why: 'needs a PostgreSQL older than 15',
    lines: {
      'postgres/migrate.ts': ["throw new LedgerUnavailable('The ledger needs PostgreSQL 15"],
    },
  },
  {
    why: 'the database goes away, stops or refuses between two statements of one piece of work',
    lines: {
      'postgres/charging.ts': [
        '} catch (error) {',
        '} catch (fault) {',
        'if (refreshes === refreshesMost) throw',
        "if (standing === 'in doubt') this.#note(charges);",
      ],
      'postgres/ledger.ts': ["if (outcomeOf(error) === 'failed' || isSilent(error)) throw", 'try {'],
      'postgres/database.ts': [
        "override name = 'NoAnswer';",
        'const callOff = this.#pace.later(ms, () => reject(',
        'return error.severity',
        'export const isSilent =',
        'error instanceof LostConnection && error.cause instanceof NoAnswer;',
        'export const isTaken =',
      ],
      'postgres/migrate.ts': [
        "if (outcomeOf(error) !== 'busy' || attempt === attemptsMost) throw error;",
        'await pause(pauseMs);',
      ],
      'postgres/months.ts': ['} catch (fault) {', '} catch (error) {'],
      'postgres/serving.ts': [
        "if (outcomeOf(fault) === 'busy') {",
        "if (this.#state === 'stopped') return Promise.resolve();",
      ],
      'postgres/open.ts': ["const reason = said.message === ''"],
      'open.ts': ['throw error instanceof LedgerMissing ?'],
      'moving/at-database.ts': [
        'if (file !== undefined && resultOf(error) !== undefined) throw',
        'throw new LedgerUnavailable(',
      ],
    },
  },
  {
    why: 'taken both ways by test/ledger/moving/ends.test.ts; V8 miscounts what follows a conditional expression with an await in it',
    lines: {
      'moving/move.ts': ['if (mark === undefined || identity?.id !== id) {'],
    },
  },
];

export const exceptions: readonly Exception[] = [
  ...ofTheFile,
  ...shared.flatMap(({ why, lines }) =>
    Object.entries(lines).flatMap(([file, texts]) =>
      texts.map((text) => ({ file: `src/ledger/${file}`, text, why })),
    ),
  ),
];
