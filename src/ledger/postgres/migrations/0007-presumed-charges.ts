// A call by a key that was good a moment ago is counted and charged in one trip, where all is as it was.

import { journalKinds } from '../../told/entries.ts';
import type { Migration } from './migration.ts';

/** Counts calls as admit_2 does and charges them as charge_2 does. Runs are those of charge_2, all in one minute, and nothing comes of
 *  one where all is not as presumed: its key is not what it was, a window or the balance does not hold all of it, a refresh may be
 *  due, its Idempotency-Key is remembered. Its calls are to be admitted and then charged. A row tells of a run that was charged: the
 *  balance before it, and the calls of the minute after it. */
const charge = `
CREATE FUNCTION domesday.charge_presumed_1(
  account_numbers bigint[], key_numbers bigint[], endpoint_numbers bigint[], key_ids text[], paths text[],
  amounts bigint[], hours bigint[], last_places integer[],
  terms text[], minute_limits bigint[], day_limits bigint[], month_limits bigint[],
  repeat_keys text[], repeat_calls text[], remembered_after bigint[], remembered_before bigint[],
  ats bigint[], new_ids text[], request_ids text[],
  minute_from bigint, minute_to bigint, day_from bigint, day_to bigint, month_from bigint, month_to bigint
) RETURNS TABLE (run integer, balance bigint, period_ends_at bigint, calls_in_minute bigint)
LANGUAGE plpgsql
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off
SET lock_timeout = '2s'
AS $$
#variable_conflict use_column
DECLARE
  r record;
  account bigint; -- the current one, and its balance and so on
  has bigint;
  has_lasting bigint;
  newest bigint;
  hash_so_far text;
  in_minute bigint;
  in_day bigint;
  in_month bigint;
  calls bigint;
  amount bigint;
  moved bigint;
  head text;
  tail text;
  -- of the entries, NULL where there is none
  seqs bigint[] := '{}';
  previous bigint[] := '{}';
  lasting_moves bigint[] := '{}';
  balances bigint[] := '{}';
  lasting_after bigint[] := '{}';
  hashes text[] := '{}';
  changes integer := 0;
  changed bigint[] := '{}';
  changed_balances bigint[] := '{}';
  changed_lasting bigint[] := '{}';
  changed_newest bigint[] := '{}';
  changed_hashes text[] := '{}';
  changed_calls bigint[] := '{}';
BEGIN
  IF current_setting('synchronous_commit') = 'off' THEN
    PERFORM set_config('synchronous_commit', 'on', true);
  END IF;
  -- A row that others had locked comes as they left it.
  FOR r IN
    SELECT n, a.number, a.id, a.balance, a.lasting, a.newest_entry, a.newest_hash, a.period_ends_at,
      w.minute_start, w.minute_count, w.day_start, w.day_count, w.month_start, w.month_count,
      a.closed_at IS NULL AND a.suspended_at IS NULL
        AND terms[n] = concat_ws(' ', a.plan, coalesce(a.own_minute_limit::text, '-'), coalesce(a.own_day_limit::text, '-'),
          coalesce(a.own_month_limit::text, '-'))
        AND hours[n] >= a.quiet_from AND hours[n] + 3600000 <= a.quiet_to
        AND EXISTS (SELECT FROM domesday.keys k
          WHERE k.number = key_numbers[n] AND k.account = a.number AND k.id = key_ids[n] AND k.kind = 'live'
            AND k.revoked_at IS NULL AND (k.expires_at IS NULL OR k.expires_at >= hours[n] + 3600000)
            AND k.origins IS NULL AND k.paths IS NULL AND k.addresses IS NULL)
        AND EXISTS (SELECT FROM domesday.endpoints e WHERE e.number = endpoint_numbers[n] AND e.path = paths[n])
        AS is_as_presumed
    FROM unnest(account_numbers) WITH ORDINALITY AS u (number, n)
    JOIN domesday.accounts a ON a.number = u.number
    JOIN domesday.windows w ON w.account = u.number AND w.mode = 'live'
    ORDER BY n FOR NO KEY UPDATE OF a, w
  LOOP
    run := r.n;
    calls := last_places[run] - coalesce(last_places[run - 1], 0);
    amount := amounts[run];
    IF account IS DISTINCT FROM r.number THEN
      account := r.number;
      has := r.balance;
      has_lasting := r.lasting;
      newest := r.newest_entry;
      hash_so_far := r.newest_hash;
      period_ends_at := r.period_ends_at;
      head := to_json(r.id)::text;
      -- Calls that come after the next window began are counted by themselves.
      in_minute := CASE r.minute_start WHEN minute_from THEN r.minute_count ELSE 0 END;
      in_day := CASE r.day_start WHEN day_from THEN r.day_count ELSE 0 END;
      in_month := CASE r.month_start WHEN month_from THEN r.month_count ELSE 0 END;
    END IF;
    CONTINUE WHEN NOT r.is_as_presumed OR has < amount * calls OR in_minute + calls > minute_limits[run]
      OR in_day + calls > day_limits[run] OR in_month + calls > month_limits[run];
    IF repeat_keys[run] IS NOT NULL THEN
      PERFORM FROM domesday.repeats m WHERE m.account = r.number AND m.key = repeat_keys[run]
        AND m.at > remembered_after[run] AND m.at < remembered_before[run];
      CONTINUE WHEN FOUND;
    END IF;
    in_minute := in_minute + calls;
    in_day := in_day + calls;
    in_month := in_month + calls;
    balance := has;
    calls_in_minute := in_minute;
    RETURN NEXT;
    tail := to_json(key_ids[run])::text || ',' || to_json(paths[run])::text || ',null]';
    FOR nth IN last_places[run] - calls + 1..last_places[run] LOOP
      seqs[nth] := nextval('domesday.entry_numbers');
      has := has - amount;
      moved := least(has_lasting, has) - has_lasting;
      has_lasting := has_lasting + moved;
      hash_so_far := domesday.hash_charge_2(hash_so_far, head, newest, ats[nth], -amount, moved, has, has_lasting,
        new_ids[nth], coalesce(request_ids[nth], new_ids[nth]), tail);
      previous[nth] := newest;
      newest := seqs[nth];
      lasting_moves[nth] := moved;
      balances[nth] := has;
      lasting_after[nth] := has_lasting;
      hashes[nth] := hash_so_far;
    END LOOP;
    IF repeat_keys[run] IS NOT NULL THEN
      INSERT INTO domesday.repeats AS m
        VALUES (newest, account, repeat_keys[run], repeat_calls[run], ats[last_places[run]], new_ids[last_places[run]])
        ON CONFLICT (account, key) DO UPDATE SET entry = excluded.entry, call = excluded.call, at = excluded.at,
          charge_id = excluded.charge_id;
    END IF;
    IF changed[changes] IS DISTINCT FROM account THEN
      changes := changes + 1;
      changed[changes] := account;
      changed_calls[changes] := 0;
    END IF;
    changed_balances[changes] := has;
    changed_lasting[changes] := has_lasting;
    changed_newest[changes] := newest;
    changed_hashes[changes] := hash_so_far;
    changed_calls[changes] := changed_calls[changes] + calls;
  END LOOP;
  IF changes = 0 THEN
    RETURN;
  END IF;
  UPDATE domesday.accounts a SET balance = changed_balances[i], lasting = changed_lasting[i],
      newest_entry = changed_newest[i], newest_hash = changed_hashes[i]
    FROM unnest(changed) WITH ORDINALITY AS c (number, i) WHERE a.number = c.number;
  UPDATE domesday.windows w SET
      minute_count = CASE w.minute_start WHEN minute_from THEN w.minute_count + changed_calls[i]
        WHEN minute_to THEN w.minute_count ELSE changed_calls[i] END,
      minute_start = CASE w.minute_start WHEN minute_to THEN w.minute_start ELSE minute_from END,
      day_count = CASE w.day_start WHEN day_from THEN w.day_count + changed_calls[i]
        WHEN day_to THEN w.day_count ELSE changed_calls[i] END,
      day_start = CASE w.day_start WHEN day_to THEN w.day_start ELSE day_from END,
      month_count = CASE w.month_start WHEN month_from THEN w.month_count + changed_calls[i]
        WHEN month_to THEN w.month_count ELSE changed_calls[i] END,
      month_start = CASE w.month_start WHEN month_to THEN w.month_start ELSE month_from END
    FROM unnest(changed) WITH ORDINALITY AS c (number, i) WHERE w.account = c.number AND w.mode = 'live';
  INSERT INTO domesday.charge_ids (id, seq, account, at)
    SELECT new_ids[i], seqs[i], account_numbers[n], ats[i]
    FROM generate_series(1, cardinality(account_numbers)) AS n,
      generate_series(coalesce(last_places[n - 1], 0) + 1, last_places[n]) AS i
    WHERE seqs[i] IS NOT NULL;
  INSERT INTO domesday.journal
    SELECT seqs[i], previous[i], account_numbers[n], ats[i], ${journalKinds.indexOf('charge')}, -amounts[n], lasting_moves[i],
      balances[i], lasting_after[i], new_ids[i], request_ids[i], key_numbers[n], endpoint_numbers[n], NULL, hashes[i]
    FROM generate_series(1, cardinality(account_numbers)) AS n,
      generate_series(coalesce(last_places[n - 1], 0) + 1, last_places[n]) AS i
    WHERE seqs[i] IS NOT NULL;
  INSERT INTO domesday.usage AS stored (account, hour, key, endpoint, status, calls, credits)
    SELECT account_numbers[n], hours[n], key_numbers[n], endpoint_numbers[n], 200, sum(calls), sum(calls * amounts[n])
    FROM (
      SELECT n, last_places[n] - coalesce(last_places[n - 1], 0) AS calls
      FROM generate_series(1, cardinality(account_numbers)) AS n
      WHERE seqs[last_places[n]] IS NOT NULL) AS charged
    GROUP BY 1, 2, 3, 4 ORDER BY 1, 2, 3, 4
    ON CONFLICT (account, hour, key, endpoint, status)
      DO UPDATE SET calls = stored.calls + excluded.calls, credits = stored.credits + excluded.credits;
END $$;
`;

export const presumedCharges: Migration = {
  version: 7,
  name: 'presumed charges',
  breaks: false,
  since: '0.2.0',
  sql: charge,
};
