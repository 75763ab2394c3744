// What is decided within the database, in one round trip for all that was asked in a turn. Rows are locked in the order of
// their accounts' numbers: accounts, then windows, then usage. A later migration that changes what a function takes or
// gives makes one of another name, since replicas of the version before still call this one.

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
  place bigint, account bigint, key bigint, key_id text, kind text, origins text, paths text, expires_at bigint,
  revoked_at bigint, account_id text, plan text,
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
      k.origins, k.paths, k.expires_at, k.revoked_at, a.number, a.id AS account_id, a.plan,
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

/** As spend of rules.ts and hashEntry of chain.ts; test/ledger/postgres compares them. Whatever of the hash's text is known before
 *  comes ready. Charges come in the order of their accounts' numbers, and so do their results; what they write is written at
 *  once, since a statement for each of them costs more than the rest. */
const charge = `
CREATE FUNCTION domesday.hash_charge_1(
  before text, head text, previous bigint, at bigint, credits bigint, lasting bigint, balance_after bigint,
  lasting_after bigint, tail text
) RETURNS text LANGUAGE sql STABLE AS $$
  SELECT translate(encode(sha256(convert_to(
    '[' || coalesce('"' || before || '"', 'null') || ',' || head || ',' || coalesce(previous::text, 'null') || ',' || at
    || ',"charge",' || credits || ',' || lasting || ',' || balance_after || ',' || lasting_after || ',' || tail,
    'UTF8')), 'base64'), '+/=', '-_')
$$;

CREATE FUNCTION domesday.charge_1(
  account_numbers bigint[], key_numbers bigint[], endpoint_numbers bigint[], key_ids text[], paths text[], ats bigint[],
  new_ids text[], request_ids text[], amounts bigint[], hash_heads text[], hash_tails text[], repeat_keys text[], repeat_calls text[],
  remembered_after bigint[], remembered_before bigint[], may_be_known boolean
) RETURNS TABLE (place integer, outcome text, plan text, balance bigint, period_ends_at bigint)
LANGUAGE plpgsql ${planning} AS $$
#variable_conflict use_column
DECLARE
  a record;
  is_changed boolean;
  is_any_refused boolean := false;
  has bigint; -- the current account's balance, and so on
  has_lasting bigint;
  newest bigint;
  hash_so_far text;
  is_void boolean;
  remembered record;
  -- of the entry that a charge makes, NULL where it makes none
  number_of_entry bigint;
  moved_lasting bigint;
  seqs bigint[] := '{}';
  previous bigint[] := '{}';
  lasting_moves bigint[] := '{}';
  balances bigint[] := '{}';
  lasting_after bigint[] := '{}';
  hashes text[] := '{}';
  made bigint := 0;
  changed bigint[] := '{}';
  changed_balances bigint[] := '{}';
  changed_lasting bigint[] := '{}';
  changed_newest bigint[] := '{}';
  changed_hashes text[] := '{}';
  written bigint;
  -- calls of one key to one endpoint that came one after another are one row
  hour bigint;
  status integer;
  used integer := 0;
  used_accounts bigint[] := '{}';
  used_hours bigint[] := '{}';
  used_keys bigint[] := '{}';
  used_key_ids text[] := '{}';
  used_endpoints bigint[] := '{}';
  used_paths text[] := '{}';
  used_statuses integer[] := '{}';
  used_calls bigint[] := '{}';
  used_credits bigint[] := '{}';
BEGIN
  IF current_setting('synchronous_commit') = 'off' THEN
    PERFORM set_config('synchronous_commit', 'on', true);
  END IF;
  PERFORM set_config('lock_timeout', '2s', true);
  place := 1;
  -- A row that others had locked comes as they left it.
  FOR a IN
    SELECT a.number, a.plan, a.balance, a.lasting, a.newest_entry, a.newest_hash, a.period_ends_at, a.quiet_from, a.quiet_to
    FROM domesday.accounts a WHERE a.number = ANY (account_numbers) ORDER BY a.number FOR NO KEY UPDATE
  LOOP
    is_changed := false;
    has := a.balance;
    has_lasting := a.lasting;
    newest := a.newest_entry;
    hash_so_far := a.newest_hash;
    plan := a.plan;
    period_ends_at := a.period_ends_at;
    WHILE account_numbers[place] = a.number LOOP
      outcome := NULL;
      status := NULL;
      number_of_entry := NULL;
      moved_lasting := NULL;
      IF ats[place] < a.quiet_from OR ats[place] >= a.quiet_to THEN
        outcome := 'due';
      ELSIF repeat_keys[place] IS NOT NULL THEN
        SELECT r.call, r.charge_id INTO remembered FROM domesday.repeats r
          WHERE r.account = a.number AND r.key = repeat_keys[place]
            AND r.at > remembered_after[place] AND r.at < remembered_before[place];
        IF FOUND AND remembered.charge_id IS DISTINCT FROM new_ids[place] THEN
          outcome := CASE WHEN remembered.call = repeat_calls[place] THEN 'same' ELSE 'other' END;
          status := CASE WHEN outcome = 'same' THEN 200 ELSE 400 END;
          UPDATE domesday.repeats r SET paid = true
            WHERE outcome = 'same' AND r.account = a.number AND r.key = repeat_keys[place] AND NOT r.paid;
        END IF;
      END IF;
      IF outcome IS NULL AND may_be_known THEN
        SELECT known.seq IS NULL
            OR EXISTS (SELECT FROM domesday.charge_ids other WHERE other.id = 'reversal of ' || new_ids[place])
          INTO is_void FROM domesday.charge_ids known WHERE known.id = new_ids[place];
        IF FOUND THEN
          outcome := CASE WHEN is_void THEN 'given back' ELSE 'charged' END;
        ELSIF seqs[array_position(new_ids, new_ids[place])] IS NOT NULL THEN
          outcome := 'charged'; -- earlier in this batch
        END IF;
      END IF;
      IF outcome IS NULL AND has < amounts[place] THEN
        is_any_refused := true;
        outcome := 'insufficient';
        status := 402;
      END IF;
      previous := previous || newest;
      IF outcome IS NULL THEN
        outcome := 'charged';
        status := 200;
        is_changed := true;
        made := made + 1;
        number_of_entry := nextval('domesday.entry_numbers');
        has := has - amounts[place];
        moved_lasting := least(has_lasting, has) - has_lasting;
        has_lasting := has_lasting + moved_lasting;
        hash_so_far := domesday.hash_charge_1(hash_so_far, hash_heads[place], newest, ats[place], -amounts[place],
          moved_lasting, has, has_lasting, hash_tails[place]);
        newest := number_of_entry;
        IF repeat_keys[place] IS NOT NULL THEN
          INSERT INTO domesday.repeats AS r
            VALUES (newest, a.number, repeat_keys[place], repeat_calls[place], ats[place], new_ids[place])
            ON CONFLICT (account, key) DO UPDATE SET entry = excluded.entry, call = excluded.call, at = excluded.at,
              charge_id = excluded.charge_id;
        END IF;
      END IF;
      seqs := seqs || number_of_entry;
      lasting_moves := lasting_moves || moved_lasting;
      balances := balances || has;
      lasting_after := lasting_after || has_lasting;
      hashes := hashes || hash_so_far;
      IF status IS NOT NULL THEN
        hour := ats[place] - ats[place] % 3600000;
        IF used_accounts[used] = a.number AND used_keys[used] = key_numbers[place] AND used_hours[used] = hour
            AND used_endpoints[used] = endpoint_numbers[place] AND used_statuses[used] = status THEN
          used_calls[used] := used_calls[used] + 1;
        ELSE
          used := used + 1;
          used_key_ids := used_key_ids || key_ids[place];
          used_paths := used_paths || paths[place];
          used_accounts := used_accounts || a.number;
          used_hours := used_hours || hour;
          used_keys := used_keys || key_numbers[place];
          used_endpoints := used_endpoints || endpoint_numbers[place];
          used_statuses := used_statuses || status;
          used_calls := used_calls || 1::bigint;
          used_credits := used_credits || 0::bigint;
        END IF;
        IF number_of_entry IS NOT NULL THEN
          used_credits[used] := used_credits[used] + amounts[place];
        END IF;
      END IF;
      balance := has;
      RETURN NEXT;
      place := place + 1;
    END LOOP;
    IF is_changed THEN
      changed := changed || a.number;
      changed_balances := changed_balances || has;
      changed_lasting := changed_lasting || has_lasting;
      changed_newest := changed_newest || newest;
      changed_hashes := changed_hashes || hash_so_far;
    END IF;
  END LOOP;
  -- After this database was put back to an earlier day, numbers that replicas remember may be of others, or of nobody.
  IF place <= cardinality(account_numbers) OR EXISTS (
      SELECT FROM unnest(used_accounts, used_keys, used_key_ids, used_endpoints, used_paths)
        AS u (account, key, key_id, endpoint, path)
      LEFT JOIN domesday.keys k ON k.number = u.key
      LEFT JOIN domesday.endpoints e ON e.number = u.endpoint
      WHERE k.account IS DISTINCT FROM u.account OR k.id IS DISTINCT FROM u.key_id OR e.path IS DISTINCT FROM u.path) THEN
    RAISE 'accounts, keys or endpoints have other numbers' USING ERRCODE = 'DD002';
  END IF;
  IF made > 0 THEN
    UPDATE domesday.accounts a SET balance = c.balance, lasting = c.lasting, newest_entry = c.newest, newest_hash = c.hash
      FROM unnest(changed, changed_balances, changed_lasting, changed_newest, changed_hashes)
        AS c (number, balance, lasting, newest, hash)
      WHERE a.number = c.number;
    INSERT INTO domesday.charge_ids (id, seq, account, at)
      SELECT n.* FROM unnest(new_ids, seqs, account_numbers, ats) AS n (id, seq, account, at) WHERE n.seq IS NOT NULL
      ON CONFLICT DO NOTHING;
    GET DIAGNOSTICS written = ROW_COUNT;
    -- Made, given back, or sent by an attempt that was thought lost: sent again, it looks for what is known.
    IF written < made THEN
      RAISE 'a charge of this batch is known already' USING ERRCODE = 'DD001';
    END IF;
    INSERT INTO domesday.journal
      SELECT n.seq, n.previous, n.account, n.at, 2, -n.amount, n.lasting, n.balance, n.lasting_after, n.charge_id,
        n.request_id, n.key, n.endpoint, NULL, n.hash
      FROM unnest(seqs, previous, account_numbers, ats, amounts, lasting_moves, balances, lasting_after, new_ids,
          request_ids, key_numbers, endpoint_numbers, hashes)
        AS n (seq, previous, account, at, amount, lasting, balance, lasting_after, charge_id, request_id, key, endpoint,
          hash)
      WHERE n.seq IS NOT NULL;
  END IF;
  -- It may have been made when there was enough.
  IF is_any_refused AND NOT may_be_known AND EXISTS (
      SELECT FROM unnest(new_ids, seqs) AS n (id, seq) JOIN domesday.charge_ids known ON known.id = n.id
      WHERE n.seq IS NULL) THEN
    RAISE 'a charge of this batch is known already' USING ERRCODE = 'DD001';
  END IF;
  INSERT INTO domesday.usage AS stored (account, hour, key, endpoint, status, calls, credits)
    SELECT u.account, u.hour, u.key, u.endpoint, u.status, sum(u.calls), sum(u.credits)
    FROM unnest(used_accounts, used_hours, used_keys, used_endpoints, used_statuses, used_calls, used_credits)
      AS u (account, hour, key, endpoint, status, calls, credits)
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
) RETURNS TABLE (place bigint, call text, at bigint) LANGUAGE plpgsql ${planning} AS $$
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
) RETURNS void LANGUAGE plpgsql ${planning} AS $$
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
