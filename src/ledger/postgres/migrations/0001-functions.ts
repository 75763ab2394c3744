// What is decided within the database, in one round trip for all that was asked in a turn. Rows are locked in the order of
// their accounts' numbers: accounts, then windows, then usage. A later migration that changes what a function takes or
// gives makes one of another name, since replicas of the version before still call this one.

/** Counts calls of keys that work, and tells how many each window has. Which of them are too many is decided by
 *  rules.ts. */
const admit = `
CREATE FUNCTION domesday.admit_1(
  hashes text[], ats bigint[], calls bigint[], kinds text[],
  minute_starts bigint[], minute_ends bigint[], day_starts bigint[], day_ends bigint[],
  month_starts bigint[], month_ends bigint[]
) RETURNS TABLE (
  place bigint, key_id text, kind text, expires_at bigint, revoked_at bigint, account_id text, plan text,
  own_allowance bigint, own_minute_limit bigint, own_day_limit bigint, own_month_limit bigint, balance bigint,
  period_ends_at bigint, quiet_from bigint, quiet_to bigint, minute_start bigint, minute_count bigint,
  day_start bigint, day_count bigint, month_start bigint, month_count bigint
) LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
  c record;
  w domesday.windows;
BEGIN
  -- No money rests on these counts: a crash of the server may lose the last of them.
  PERFORM set_config('synchronous_commit', 'off', true), set_config('lock_timeout', '2s', true);
  FOR c IN
    SELECT u.*, k.id AS key_id, k.kind, k.expires_at, k.revoked_at, a.number, a.id AS account_id, a.plan,
      a.own_allowance, a.own_minute_limit, a.own_day_limit, a.own_month_limit, a.balance, a.period_ends_at,
      a.quiet_from, a.quiet_to
    FROM unnest(hashes, ats, calls, minute_starts, minute_ends, day_starts, day_ends, month_starts, month_ends)
      WITH ORDINALITY AS u (hash, at, calls, minute_start, minute_end, day_start, day_end, month_start, month_end, place)
    JOIN domesday.keys k ON k.hash = u.hash
    JOIN domesday.accounts a ON a.number = k.account
    WHERE k.revoked_at IS NULL AND (k.expires_at IS NULL OR k.expires_at > u.at) AND a.closed_at IS NULL
      AND k.kind = ANY (kinds)
    ORDER BY a.number, k.kind, u.place
  LOOP
    -- A window that is another's is begun anew, but for calls that come after the next one began.
    INSERT INTO domesday.windows AS stored VALUES (
      c.number, c.kind, c.minute_start, c.calls, c.day_start, c.calls, c.month_start, c.calls)
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
    key_id := c.key_id;
    kind := c.kind;
    expires_at := c.expires_at;
    revoked_at := c.revoked_at;
    account_id := c.account_id;
    plan := c.plan;
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

/** As spend of rules.ts and hashEntry of chain.ts; test/ledger/postgres compares them. */
const charge = `
CREATE FUNCTION domesday.hash_charge_1(
  before text, account_id text, previous bigint, at bigint, credits bigint, lasting bigint, balance_after bigint,
  lasting_after bigint, charge_id text, request_id text, key_id text, path text
) RETURNS text LANGUAGE sql STABLE AS $$
  SELECT translate(encode(sha256(convert_to(
    '[' || coalesce(to_json(before)::text, 'null') || ',' || to_json(account_id)::text || ','
    || coalesce(previous::text, 'null') || ',' || at || ',"charge",' || credits || ',' || lasting || ','
    || balance_after || ',' || lasting_after || ',' || to_json(charge_id)::text || ',' || to_json(request_id)::text
    || ',' || to_json(key_id)::text || ',' || to_json(path)::text || ',null]', 'UTF8')), 'base64'), '+/=', '-_')
$$;

CREATE FUNCTION domesday.charge_1(
  account_ids text[], key_ids text[], ats bigint[], hours bigint[], charge_ids text[], request_ids text[],
  paths text[], amounts bigint[], repeat_keys text[], repeat_calls text[], remembered_after bigint[],
  remembered_before bigint[]
) RETURNS TABLE (place bigint, outcome text, plan text, balance bigint, period_ends_at bigint)
LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
  c record;
  current_account bigint;
  is_changed boolean := false;
  has bigint; -- the current account's balance, and so on
  has_lasting bigint;
  newest bigint;
  hash_so_far text;
  left_over bigint;
  moved_lasting bigint;
  number_of_entry bigint;
  remembered record;
  used_accounts bigint[] := '{}';
  used_hours bigint[] := '{}';
  used_keys bigint[] := '{}';
  used_endpoints bigint[] := '{}';
  used_statuses integer[] := '{}';
  used_credits bigint[] := '{}';
  status integer;
BEGIN
  IF current_setting('synchronous_commit') = 'off' THEN
    PERFORM set_config('synchronous_commit', 'on', true);
  END IF;
  PERFORM set_config('lock_timeout', '2s', true);
  INSERT INTO domesday.endpoints (path)
    SELECT DISTINCT u.path FROM unnest(paths) AS u (path)
    WHERE NOT EXISTS (SELECT FROM domesday.endpoints e WHERE e.path = u.path) ORDER BY u.path
    ON CONFLICT DO NOTHING;
  PERFORM FROM domesday.accounts a WHERE a.id = ANY (account_ids) ORDER BY a.number FOR NO KEY UPDATE;
  -- A statement of its own, so that it sees what those wrote who held the locks before.
  FOR c IN
    SELECT u.*, a.number AS account, a.plan, a.balance, a.lasting, a.newest_entry, a.newest_hash, a.period_ends_at,
      a.quiet_from, a.quiet_to, k.number AS key, e.number AS endpoint
    FROM unnest(account_ids, key_ids, ats, hours, charge_ids, request_ids, paths, amounts, repeat_keys, repeat_calls,
        remembered_after, remembered_before) WITH ORDINALITY
      AS u (account_id, key_id, at, hour, charge_id, request_id, path, credits, repeat_key, repeat_call, after, before,
        place)
    LEFT JOIN domesday.accounts a ON a.id = u.account_id
    LEFT JOIN domesday.keys k ON k.id = u.key_id AND k.account = a.number
    LEFT JOIN domesday.endpoints e ON e.path = u.path
    ORDER BY a.number, u.place
  LOOP
    place := c.place;
    plan := c.plan;
    period_ends_at := c.period_ends_at;
    IF c.key IS NULL THEN
      outcome := 'nobody';
      balance := NULL;
      RETURN NEXT;
      CONTINUE;
    END IF;
    IF c.account IS DISTINCT FROM current_account THEN
      IF is_changed THEN
        UPDATE domesday.accounts a SET balance = has, lasting = has_lasting, newest_entry = newest,
          newest_hash = hash_so_far WHERE a.number = current_account;
      END IF;
      current_account := c.account;
      is_changed := false;
      has := c.balance;
      has_lasting := c.lasting;
      newest := c.newest_entry;
      hash_so_far := c.newest_hash;
    END IF;
    balance := has;
    status := NULL;
    IF c.at < c.quiet_from OR c.at >= c.quiet_to THEN
      outcome := 'due';
      RETURN NEXT;
      CONTINUE;
    END IF;
    IF c.repeat_key IS NOT NULL THEN
      SELECT r.call, r.charge_id INTO remembered FROM domesday.repeats r
        WHERE r.account = c.account AND r.key = c.repeat_key AND r.at > c.after AND r.at < c.before;
      IF FOUND AND remembered.charge_id IS DISTINCT FROM c.charge_id THEN
        outcome := CASE WHEN remembered.call = c.repeat_call THEN 'same' ELSE 'other' END;
        status := CASE WHEN outcome = 'same' THEN 200 ELSE 400 END;
        UPDATE domesday.repeats r SET paid = true
          WHERE outcome = 'same' AND r.account = c.account AND r.key = c.repeat_key AND NOT r.paid;
      END IF;
    END IF;
    IF status IS NULL THEN
      left_over := has - c.credits;
      number_of_entry := NULL;
      IF left_over >= 0 THEN
        INSERT INTO domesday.charge_ids AS known (id, seq, account, at)
          VALUES (c.charge_id, nextval('domesday.entry_numbers'), c.account, c.at)
          ON CONFLICT DO NOTHING RETURNING known.seq INTO number_of_entry;
      END IF;
      IF number_of_entry IS NOT NULL THEN
        moved_lasting := least(has_lasting, left_over) - has_lasting;
        has := left_over;
        has_lasting := has_lasting + moved_lasting;
        hash_so_far := domesday.hash_charge_1(hash_so_far, c.account_id, newest, c.at, -c.credits,
          moved_lasting, has, has_lasting, c.charge_id, c.request_id, c.key_id, c.path);
        INSERT INTO domesday.journal VALUES (number_of_entry, newest, c.account, c.at, 2, -c.credits, moved_lasting, has,
          has_lasting, c.charge_id, nullif(c.request_id, c.charge_id), c.key, c.endpoint, NULL, hash_so_far);
        newest := number_of_entry;
        is_changed := true;
        IF c.repeat_key IS NOT NULL THEN
          INSERT INTO domesday.repeats AS r VALUES (newest, c.account, c.repeat_key, c.repeat_call, c.at, c.charge_id)
            ON CONFLICT (account, key) DO UPDATE SET entry = excluded.entry, call = excluded.call, at = excluded.at,
              charge_id = excluded.charge_id;
        END IF;
        balance := has;
        outcome := 'charged';
        status := 200;
      ELSIF EXISTS (SELECT FROM domesday.charge_ids known
          WHERE known.id = 'reversal of ' || c.charge_id OR (known.id = c.charge_id AND known.seq IS NULL)) THEN
        outcome := 'given back';
      ELSIF left_over >= 0 OR EXISTS (SELECT FROM domesday.charge_ids known WHERE known.id = c.charge_id) THEN
        outcome := 'charged';
      ELSE
        outcome := 'insufficient';
        status := 402;
      END IF;
    END IF;
    IF status IS NOT NULL THEN
      used_accounts := used_accounts || c.account;
      used_hours := used_hours || c.hour;
      used_keys := used_keys || c.key;
      used_endpoints := used_endpoints || c.endpoint;
      used_statuses := used_statuses || status;
      used_credits := used_credits || CASE WHEN outcome = 'charged' THEN c.credits ELSE 0 END;
    END IF;
    RETURN NEXT;
  END LOOP;
  IF is_changed THEN
    UPDATE domesday.accounts a SET balance = has, lasting = has_lasting, newest_entry = newest,
      newest_hash = hash_so_far WHERE a.number = current_account;
  END IF;
  INSERT INTO domesday.usage AS stored (account, hour, key, endpoint, status, calls, credits)
    SELECT u.account, u.hour, u.key, u.endpoint, u.status, count(*), sum(u.credits)
    FROM unnest(used_accounts, used_hours, used_keys, used_endpoints, used_statuses, used_credits)
      AS u (account, hour, key, endpoint, status, credits)
    GROUP BY 1, 2, 3, 4, 5 ORDER BY 1, 2, 3, 4, 5
    ON CONFLICT (account, hour, key, endpoint, status)
      DO UPDATE SET calls = stored.calls + excluded.calls, credits = stored.credits + excluded.credits;
END $$;
`;

/** What is remembered of calls. A charge that pays for a repetition is marked, so that it is not given back should it be in
 *  doubt elsewhere; where it was given back at this very moment, it pays for nothing. */
const recall = `
CREATE FUNCTION domesday.recall_1(
  account_ids text[], repeat_keys text[], repeat_calls text[], remembered_after bigint[], remembered_before bigint[],
  doubtful_ids text[]
) RETURNS TABLE (place bigint, call text, at bigint) LANGUAGE plpgsql AS $$
#variable_conflict use_column
BEGIN
  RETURN QUERY WITH found AS (
    SELECT u.place, r.entry, r.call, r.at, r.paid,
      r.call = u.call AND r.at > u.after AND r.at < u.before AS pays
    FROM unnest(account_ids, repeat_keys, repeat_calls, remembered_after, remembered_before) WITH ORDINALITY
      AS u (account_id, key, call, after, before, place)
    JOIN domesday.accounts a ON a.id = u.account_id
    JOIN domesday.repeats r ON r.account = a.number AND r.key = u.key
    WHERE r.charge_id IS NULL OR r.charge_id <> ALL (doubtful_ids)
  ), marked AS (
    UPDATE domesday.repeats r SET paid = true FROM found
    WHERE found.pays AND NOT found.paid AND r.entry = found.entry RETURNING r.entry
  )
  SELECT place, call, at FROM found
  WHERE paid OR NOT pays OR entry IN (SELECT entry FROM marked);
END $$;
`;

/** Usage of calls that cost nothing. A key that is not there has none. */
const count = `
CREATE FUNCTION domesday.count_usage_1(
  key_ids text[], hours bigint[], paths text[], statuses integer[], calls bigint[]
) RETURNS void LANGUAGE plpgsql AS $$
#variable_conflict use_column
BEGIN
  PERFORM set_config('synchronous_commit', 'off', true), set_config('lock_timeout', '2s', true);
  INSERT INTO domesday.endpoints (path)
    SELECT DISTINCT u.path FROM unnest(paths) AS u (path)
    WHERE NOT EXISTS (SELECT FROM domesday.endpoints e WHERE e.path = u.path) ORDER BY u.path
    ON CONFLICT DO NOTHING;
  INSERT INTO domesday.usage AS stored (account, hour, key, endpoint, status, calls, credits)
    SELECT k.account, u.hour, k.number, e.number, u.status, sum(u.calls), 0
    FROM unnest(key_ids, hours, paths, statuses, calls) AS u (key_id, hour, path, status, calls)
    JOIN domesday.keys k ON k.id = u.key_id
    JOIN domesday.endpoints e ON e.path = u.path
    GROUP BY 1, 2, 3, 4, 5 ORDER BY 1, 2, 3, 4, 5
    ON CONFLICT (account, hour, key, endpoint, status) DO UPDATE SET calls = stored.calls + excluded.calls;
END $$;
`;

export const functions = admit + charge + recall + count;
