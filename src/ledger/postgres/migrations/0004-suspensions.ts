// Suspended accounts, addresses that keys are bound to, and an index by which the few entries that are no charges are found.

import { journalKinds } from '../../told/entries.ts';
import type { Migration } from './migration.ts';

const columns = `
ALTER TABLE domesday.accounts ADD COLUMN suspended_at bigint, ADD COLUMN suspended_because text,
  ADD CONSTRAINT suspended_for_a_reason CHECK ((suspended_because IS NULL) = (suspended_at IS NULL));
ALTER TABLE domesday.keys ADD COLUMN addresses text; -- blocks of them, with spaces between; NULL = any
CREATE INDEX movements ON domesday.journal (account, at) WHERE kind <> ${journalKinds.indexOf('charge')};
`;

const parameters = `
  hashes text[], ats bigint[], calls bigint[], kinds text[],
  minute_starts bigint[], minute_ends bigint[], day_starts bigint[], day_ends bigint[],
  month_starts bigint[], month_ends bigint[]`;

/** As admit_1, with what is new. */
const admit = `
CREATE FUNCTION domesday.admit_2(${parameters}) RETURNS TABLE (
  place bigint, account bigint, key bigint, key_id text, kind text, origins text, paths text, addresses text,
  expires_at bigint, revoked_at bigint, account_id text, plan text, suspended_at bigint,
  own_allowance bigint, own_minute_limit bigint, own_day_limit bigint, own_month_limit bigint, balance bigint,
  period_ends_at bigint, quiet_from bigint, quiet_to bigint, minute_start bigint, minute_count bigint,
  day_start bigint, day_count bigint, month_start bigint, month_count bigint
) LANGUAGE plpgsql
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off
AS $$
#variable_conflict use_column
DECLARE
  c record;
  w domesday.windows;
BEGIN
  -- No money rests on these counts: a crash of the server may lose the last of them.
  PERFORM set_config('synchronous_commit', 'off', true), set_config('lock_timeout', '2s', true);
  FOR c IN
    SELECT u.*, k.number AS key, k.id AS key_id, k.kind, CASE k.kind WHEN 'test' THEN 'test' ELSE 'live' END AS mode,
      k.origins, k.paths, k.addresses, k.expires_at, k.revoked_at, a.number, a.id AS account_id, a.plan, a.suspended_at,
      a.own_allowance, a.own_minute_limit, a.own_day_limit, a.own_month_limit, a.balance, a.period_ends_at,
      a.quiet_from, a.quiet_to
    FROM unnest(hashes, ats, calls, minute_starts, minute_ends, day_starts, day_ends, month_starts, month_ends)
      WITH ORDINALITY AS u (hash, at, calls, minute_start, minute_end, day_start, day_end, month_start, month_end, place)
    JOIN domesday.keys k ON k.hash = u.hash
    JOIN domesday.accounts a ON a.number = k.account
    WHERE k.revoked_at IS NULL AND (k.expires_at IS NULL OR k.expires_at > u.at) AND a.closed_at IS NULL
      AND k.kind = ANY (kinds)
    ORDER BY a.number, mode, u.place
  LOOP
    -- A window that is another's is begun anew, but for calls that come after the next one began.
    INSERT INTO domesday.windows AS stored VALUES (
      c.number, c.mode, c.minute_start, c.calls, c.day_start, c.calls, c.month_start, c.calls)
    ON CONFLICT (account, mode) DO UPDATE SET
      minute_count = CASE stored.minute_start WHEN c.minute_start THEN stored.minute_count + c.calls
        WHEN c.minute_end THEN stored.minute_count ELSE c.calls END,
      minute_start = CASE stored.minute_start WHEN c.minute_end THEN stored.minute_start ELSE c.minute_start END,
      day_count = CASE stored.day_start WHEN c.day_start THEN stored.day_count + c.calls
        WHEN c.day_end THEN stored.day_count ELSE c.calls END,
      day_start = CASE stored.day_start WHEN c.day_end THEN stored.day_start ELSE c.day_start END,
      month_count = CASE stored.month_start WHEN c.month_start THEN stored.month_count + c.calls
        WHEN c.month_end THEN stored.month_count ELSE c.calls END,
      month_start = CASE stored.month_start WHEN c.month_end THEN stored.month_start ELSE c.month_start END
    RETURNING * INTO w;
    place := c.place;
    account := c.number;
    key := c.key;
    key_id := c.key_id;
    kind := c.kind;
    origins := c.origins;
    paths := c.paths;
    addresses := c.addresses;
    expires_at := c.expires_at;
    revoked_at := c.revoked_at;
    account_id := c.account_id;
    plan := c.plan;
    suspended_at := c.suspended_at;
    own_allowance := c.own_allowance;
    own_minute_limit := c.own_minute_limit;
    own_day_limit := c.own_day_limit;
    own_month_limit := c.own_month_limit;
    balance := c.balance;
    period_ends_at := c.period_ends_at;
    quiet_from := c.quiet_from;
    quiet_to := c.quiet_to;
    minute_start := w.minute_start;
    minute_count := w.minute_count;
    day_start := w.day_start;
    day_count := w.day_count;
    month_start := w.month_start;
    month_count := w.month_count;
    RETURN NEXT;
  END LOOP;
END $$;
`;

/** Replicas of the version before go on by this one until they are exchanged. What they know nothing of they would let pass: to
 *  them such a key is unknown. */
const closed = `
CREATE OR REPLACE FUNCTION domesday.admit_1(${parameters}) RETURNS TABLE (
  place bigint, account bigint, key bigint, key_id text, kind text, origins text, paths text, expires_at bigint,
  revoked_at bigint, account_id text, plan text,
  own_allowance bigint, own_minute_limit bigint, own_day_limit bigint, own_month_limit bigint, balance bigint,
  period_ends_at bigint, quiet_from bigint, quiet_to bigint, minute_start bigint, minute_count bigint,
  day_start bigint, day_count bigint, month_start bigint, month_count bigint
) LANGUAGE sql AS $$
  SELECT place, account, key, key_id, kind, origins, paths, expires_at, revoked_at, account_id, plan,
    own_allowance, own_minute_limit, own_day_limit, own_month_limit, balance,
    period_ends_at, quiet_from, quiet_to, minute_start, minute_count, day_start, day_count, month_start, month_count
  FROM domesday.admit_2(hashes, ats, calls, kinds, minute_starts, minute_ends, day_starts, day_ends, month_starts, month_ends)
  WHERE suspended_at IS NULL AND addresses IS NULL AND (paths IS NULL OR kind = 'publishable')
$$;
`;

export const suspensions: Migration = {
  version: 4,
  name: 'suspensions',
  breaks: true, // a program that does not know it would move accounts and keys without it
  since: '0.2.0',
  sql: columns + admit + closed,
};
