// Functions by which the database decides, in one round trip for all that was asked in a turn: keys and windows, calls that are
// sent again, usage. Rows are locked in the order of their accounts' numbers: accounts, then windows, then usage. A migration
// that changes what a function takes or gives makes one of another name, since replicas of the version before still call this one.

/** One plan for any batch, by indexes: one that was made while a table was nearly empty would read all of it later on, and to make
 *  it anew each time costs a tenth. */
export const planning =
  'SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off';

/** Counts calls of keys that work, and tells how many each window has. Which of them are too many is decided by
 *  rules.ts. */
const admit = `
CREATE FUNCTION domesday.admit_1(
  hashes text[], ats bigint[], calls bigint[], kinds text[],
  minute_starts bigint[], minute_ends bigint[], day_starts bigint[], day_ends bigint[],
  month_starts bigint[], month_ends bigint[]
) RETURNS TABLE (
  place bigint, account bigint, key bigint, key_id text, kind text, origins text, paths text, addresses text,
  expires_at bigint, revoked_at bigint, account_id text, plan text, suspended_at bigint,
  own_allowance bigint, own_minute_limit bigint, own_day_limit bigint, own_month_limit bigint, balance bigint,
  period_ends_at bigint, quiet_from bigint, quiet_to bigint, minute_start bigint, minute_count bigint,
  day_start bigint, day_count bigint, month_start bigint, month_count bigint
) LANGUAGE plpgsql ${planning} AS $$
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

/** What is remembered of calls. A charge that pays for a repetition is marked, so that it is not given back should it be in
 *  doubt elsewhere; where it was given back at this very moment, it pays for nothing. Accounts whose charges it marks are locked
 *  first. Of a subquery that gives one row the planner cannot leave a part of the index to a filter: each call is looked for by
 *  account and key together. */
const recall = `
CREATE FUNCTION domesday.recall_1(
  account_ids text[], repeat_keys text[], repeat_calls text[], remembered_after bigint[], remembered_before bigint[],
  doubtful_ids text[]
) RETURNS TABLE (place bigint, call text, at bigint) LANGUAGE plpgsql ${planning} AS $$
#variable_conflict use_column
BEGIN
  RETURN QUERY WITH found AS (
    SELECT u.place, r.account, r.entry, r.call, r.at, r.paid,
      r.call = u.call AND r.at > u.after AND r.at < u.before AS pays
    FROM unnest(account_ids, repeat_keys, repeat_calls, remembered_after, remembered_before) WITH ORDINALITY
      AS u (account_id, key, call, after, before, place)
    JOIN domesday.accounts a ON a.id = u.account_id
    CROSS JOIN LATERAL (
      SELECT * FROM domesday.repeats WHERE repeats.account = a.number AND repeats.key = u.key LIMIT 1) AS r
    WHERE r.charge_id IS NULL OR r.charge_id <> ALL (doubtful_ids)
  ), locked AS MATERIALIZED (
    SELECT number FROM domesday.accounts WHERE number IN (SELECT account FROM found WHERE pays AND NOT paid)
    ORDER BY number FOR NO KEY UPDATE
  ), marked AS (
    UPDATE domesday.repeats r SET paid = true FROM locked JOIN found ON found.account = locked.number
    WHERE found.pays AND NOT found.paid AND r.entry = found.entry RETURNING r.entry
  )
  SELECT place, call, at FROM found
  WHERE paid OR NOT pays OR entry IN (SELECT entry FROM marked);
END $$;
`;

/** Usage of calls that cost nothing. A key that is not there has none. The accounts are locked first: the usage by day takes the rows
 *  of hours that begin before those of hours that grow, so that no order of the rows themselves is the same for all. */
const count = `
CREATE FUNCTION domesday.count_usage_1(
  key_ids text[], hours bigint[], paths text[], statuses integer[], calls bigint[]
) RETURNS void LANGUAGE plpgsql ${planning} AS $$
#variable_conflict use_column
BEGIN
  PERFORM set_config('synchronous_commit', 'off', true), set_config('lock_timeout', '2s', true);
  INSERT INTO domesday.endpoints (path)
    SELECT DISTINCT u.path FROM unnest(paths) AS u (path)
    WHERE NOT EXISTS (SELECT FROM domesday.endpoints e WHERE e.path = u.path) ORDER BY u.path
    ON CONFLICT DO NOTHING;
  PERFORM FROM domesday.accounts WHERE number IN (SELECT account FROM domesday.keys WHERE id = ANY (key_ids))
    ORDER BY number FOR NO KEY UPDATE;
  INSERT INTO domesday.usage AS stored (account, hour, key, endpoint, status, calls, credits)
    SELECT k.account, u.hour, k.number, e.number, u.status, sum(u.calls), 0
    FROM unnest(key_ids, hours, paths, statuses, calls) AS u (key_id, hour, path, status, calls)
    JOIN domesday.keys k ON k.id = u.key_id
    JOIN domesday.endpoints e ON e.path = u.path
    GROUP BY 1, 2, 3, 4, 5 ORDER BY 1, 2, 3, 4, 5
    ON CONFLICT (account, hour, key, endpoint, status) DO UPDATE SET calls = stored.calls + excluded.calls;
END $$;
`;

export const functions = admit + recall + count;
