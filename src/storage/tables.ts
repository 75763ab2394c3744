// Tables of the portable SQL: who people are, what they belong to and changed, what accounts settled, and the last requests. BIGINT is a
// whole number, TEXT a text. Tokens, codes and passwords are hashes; times are milliseconds since 1970.

export const peopleTables: readonly string[] = [
  'CREATE TABLE people_secrets (name TEXT PRIMARY KEY, value TEXT NOT NULL)',
  // Everybody here has confirmed the address. `email` is as typed, `email_key` as compared.
  `CREATE TABLE people (
    person_id TEXT PRIMARY KEY,
    email TEXT NOT NULL,
    email_key TEXT NOT NULL UNIQUE,
    name TEXT,
    password_hash TEXT NOT NULL,
    standing TEXT NOT NULL,
    totp_secret TEXT,
    totp_pending TEXT,
    totp_step BIGINT,
    created_ms BIGINT NOT NULL
  )`,
  `CREATE TABLE people_recovery_codes (
    person_id TEXT NOT NULL,
    code_hash TEXT NOT NULL,
    PRIMARY KEY (person_id, code_hash)
  )`,
  `CREATE TABLE people_sessions (
    token_hash TEXT PRIMARY KEY,
    session_id TEXT NOT NULL UNIQUE,
    person_id TEXT NOT NULL,
    device TEXT NOT NULL,
    address TEXT NOT NULL,
    created_ms BIGINT NOT NULL,
    seen_ms BIGINT NOT NULL,
    expires_ms BIGINT NOT NULL
  )`,
  'CREATE INDEX people_sessions_of ON people_sessions (person_id)',
  `CREATE TABLE people_devices (
    token_hash TEXT PRIMARY KEY,
    person_id TEXT NOT NULL,
    expires_ms BIGINT NOT NULL
  )`,
  'CREATE INDEX people_devices_of ON people_devices (person_id)',
  // What waits for somebody to follow a link: sign-ups, resets, invitations. `mail_next_ms` is null where nothing is to be sent.
  `CREATE TABLE people_asks (
    ask_id TEXT PRIMARY KEY,
    purpose TEXT NOT NULL,
    email TEXT NOT NULL,
    email_key TEXT NOT NULL,
    person_id TEXT,
    account_id TEXT,
    account_name TEXT,
    role TEXT,
    created_ms BIGINT NOT NULL,
    expires_ms BIGINT NOT NULL,
    mail_next_ms BIGINT,
    mail_tries BIGINT NOT NULL
  )`,
  'CREATE INDEX people_asks_of ON people_asks (email_key)',
  'CREATE INDEX people_asks_about ON people_asks (account_id) WHERE account_id IS NOT NULL',
  'CREATE INDEX people_asks_to_send ON people_asks (mail_next_ms) WHERE mail_next_ms IS NOT NULL',
  // A link is written anew each time it is sent; any of them serves, once.
  'CREATE TABLE people_ask_tokens (token_hash TEXT PRIMARY KEY, ask_id TEXT NOT NULL)',
  'CREATE INDEX people_ask_tokens_of ON people_ask_tokens (ask_id)',
  `CREATE TABLE people_throttle (
    place TEXT PRIMARY KEY,
    failures BIGINT NOT NULL,
    last_ms BIGINT NOT NULL,
    open_ms BIGINT NOT NULL
  )`,
  `CREATE TABLE people_members (
    account_id TEXT NOT NULL,
    person_id TEXT NOT NULL,
    role TEXT NOT NULL,
    since_ms BIGINT NOT NULL,
    PRIMARY KEY (account_id, person_id)
  )`,
  'CREATE INDEX people_members_of ON people_members (person_id)',
  // A keyed hash of the address, which stays when the person is erased.
  'CREATE TABLE people_trials (address_hash TEXT PRIMARY KEY, begun_ms BIGINT NOT NULL, account_id TEXT)',
  // People are named by id alone, so that erasing one erases the name here; `subject_email` is compared, for those invited.
  `CREATE TABLE people_audit (
    audit_id TEXT PRIMARY KEY,
    account_id TEXT,
    at_ms BIGINT NOT NULL,
    who TEXT,
    what TEXT NOT NULL,
    subject TEXT NOT NULL,
    subject_person TEXT,
    subject_email TEXT,
    detail TEXT,
    address TEXT
  )`,
  'CREATE INDEX people_audit_of ON people_audit (account_id, audit_id)',
  'CREATE INDEX people_audit_by ON people_audit (who)',
  `CREATE TABLE people_plan_requests (
    plan_request_id TEXT PRIMARY KEY,
    account_id TEXT NOT NULL,
    account_name TEXT NOT NULL,
    plan_from TEXT NOT NULL,
    plan_to TEXT NOT NULL,
    note TEXT,
    asked_by TEXT NOT NULL,
    asked_ms BIGINT NOT NULL,
    state TEXT NOT NULL,
    claimed_until_ms BIGINT NOT NULL,
    decided_ms BIGINT,
    answer TEXT
  )`,
  'CREATE INDEX people_plan_requests_of ON people_plan_requests (account_id)',
  'CREATE TABLE people_plan_prices (plan TEXT PRIMARY KEY, price TEXT NOT NULL, link TEXT)',
  // Keys that pages made for themselves, with the session and person they end with; and places of those who watch.
  `CREATE TABLE people_page_keys (
    key_id TEXT PRIMARY KEY,
    account_id TEXT NOT NULL,
    person_id TEXT NOT NULL,
    session_id TEXT NOT NULL,
    expires_ms BIGINT NOT NULL
  )`,
  'CREATE INDEX people_page_keys_by_time ON people_page_keys (expires_ms)',
  'CREATE TABLE people_watching (place TEXT PRIMARY KEY, person_id TEXT NOT NULL, until_ms BIGINT NOT NULL)',
  'CREATE INDEX people_watching_of ON people_watching (person_id)',
  // Accounts that have the parameters of their calls kept.
  'CREATE TABLE request_parameters_kept (account_id TEXT PRIMARY KEY, since_ms BIGINT NOT NULL)',
];

type Columns = Readonly<Record<string, 'bigint' | 'text'>>;

/** The columns of these tables in their order, by the name of the table. */
export const peopleColumns: Readonly<Record<string, Columns>> = Object.fromEntries(
  peopleTables.flatMap((text) => {
    const table = /^CREATE TABLE (\w+)/.exec(text)?.[1];
    const columns = text.matchAll(/(\w+) (BIGINT|TEXT)\b/g);
    return table === undefined ? [] : [[table, Object.fromEntries(columns.map(readColumn))]];
  }),
);

function readColumn([, name = '', type]: RegExpExecArray): [string, Columns[string]] {
  return [name, type === 'BIGINT' ? 'bigint' : 'text'];
}

export const peopleTableNames: readonly string[] = Object.keys(peopleColumns);

/** They may be lost: in a file of their own, or unlogged in a database. */
export const requestTables: readonly string[] = [
  // What an account's calls left, many in a row: `lines` has them as JSON, `parameters` what was asked in the same order.
  `CREATE TABLE request_chunks (
    chunk_id TEXT PRIMARY KEY,
    account_id TEXT NOT NULL,
    requests BIGINT NOT NULL,
    first_ms BIGINT NOT NULL,
    last_ms BIGINT NOT NULL,
    lines TEXT NOT NULL,
    parameters TEXT
  )`,
  'CREATE INDEX request_chunks_by_time ON request_chunks (account_id, last_ms)',
  'CREATE INDEX request_chunks_with_parameters ON request_chunks (first_ms) WHERE parameters IS NOT NULL',
  // Refusals of an hour, as one service has counted them: written again as they grow. '' is no account.
  `CREATE TABLE refusals (
    hour_ms BIGINT NOT NULL,
    counter_id TEXT NOT NULL,
    account_id TEXT NOT NULL,
    path TEXT NOT NULL,
    status BIGINT NOT NULL,
    code TEXT NOT NULL,
    calls BIGINT NOT NULL,
    PRIMARY KEY (hour_ms, counter_id, account_id, path, status, code)
  )`,
];

/** For SQLite, whose strict tables refuse what PostgreSQL would refuse and know no BIGINT. */
export const inStrictTypes = (statements: readonly string[]): string =>
  statements
    .map((statement) => {
      const typed = statement.replaceAll('BIGINT', 'INTEGER');
      return /^CREATE TABLE\b/.test(typed) ? `${typed} STRICT` : typed;
    })
    .join(';\n');
