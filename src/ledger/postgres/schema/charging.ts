// Functions that charge within the database. Calls by one key to one endpoint that come one after another are a run: what they
// share is sent once, and they are told and counted together.

import { journalKinds } from '../../told/entries.ts';
import { planning } from './functions.ts';

/** As hashEntry of chain.ts; test/ledger/postgres compares them. `head` and `tail` are JSON of what all charges of a run share. */
const hash = `
CREATE FUNCTION domesday.hash_charge_1(
  before text, head text, previous bigint, at bigint, credits bigint, lasting bigint, balance_after bigint,
  lasting_after bigint, charge_id text, request_id text, tail text
) RETURNS text LANGUAGE sql STABLE AS $$
  SELECT replace(replace(left(encode(sha256(convert_to(
    '[' || coalesce('"' || before || '"', 'null') || ',' || head || ',' || coalesce(previous::text, 'null') || ',' || at
    || ',"charge",' || credits || ',' || lasting || ',' || balance_after || ',' || lasting_after || ','
    || to_json(charge_id)::text || ',' || to_json(request_id)::text || ',' || tail,
    'UTF8')), 'base64'), 43), '+', '-'), '/', '_')
$$;
`;

/** Decides as spend of rules.ts does; test/ledger/postgres compares them. Runs come in the order of their accounts' numbers, each
 *  within one hour, and a charge that can be repeated is a run of its own. A row of the result begins a stretch of charges with
 *  one outcome, and has the balance before it. What they write is written at once, since a statement for each of them costs more
 *  than the rest. */
const charge = `
CREATE FUNCTION domesday.charge_1(
  account_numbers bigint[], key_numbers bigint[], endpoint_numbers bigint[], key_ids text[], paths text[],
  amounts bigint[], hours bigint[], last_places integer[],
  repeat_keys text[], repeat_calls text[], remembered_after bigint[], remembered_before bigint[],
  ats bigint[], new_ids text[], request_ids text[], may_be_known boolean
) RETURNS TABLE (place integer, outcome text, plan text, balance bigint, period_ends_at bigint)
LANGUAGE plpgsql ${planning}
SET lock_timeout = '2s'
AS $$
#variable_conflict use_column
DECLARE
  r record;
  run integer := 0;
  account bigint; -- the current one, and its balance and so on
  has bigint;
  has_lasting bigint;
  newest bigint;
  hash_so_far text;
  amount bigint;
  head text;
  tail text;
  is_plain boolean;
  is_any_refused boolean := false;
  is_void boolean;
  left_by bigint;
  remembered record;
  verdict text;
  moved bigint;
  -- of the entries that charges make, NULL where one makes none
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
  stretches integer := 0;
  stretch_runs integer[] := '{}';
  stretch_outcomes text[] := '{}';
  stretch_firsts integer[] := '{}';
BEGIN
  IF current_setting('synchronous_commit') = 'off' THEN
    PERFORM set_config('synchronous_commit', 'on', true);
  END IF;
  -- A row that others had locked comes as they left it.
  FOR r IN
    SELECT n, a.number, a.id, a.plan, a.balance, a.lasting, a.newest_entry, a.newest_hash, a.period_ends_at, a.quiet_from,
      a.quiet_to,
      (SELECT k.id FROM domesday.keys k WHERE k.number = key_numbers[n] AND k.account = a.number)
        IS NOT DISTINCT FROM key_ids[n]
      AND (SELECT e.path FROM domesday.endpoints e WHERE e.number = endpoint_numbers[n]) IS NOT DISTINCT FROM paths[n]
      AS is_as_remembered
    FROM unnest(account_numbers) WITH ORDINALITY AS u (number, n)
    JOIN domesday.accounts a ON a.number = u.number
    ORDER BY n FOR NO KEY UPDATE OF a
  LOOP
    EXIT WHEN r.n <> run + 1 OR NOT r.is_as_remembered;
    run := r.n;
    IF account IS DISTINCT FROM r.number THEN
      account := r.number;
      has := r.balance;
      has_lasting := r.lasting;
      newest := r.newest_entry;
      hash_so_far := r.newest_hash;
      plan := r.plan;
      period_ends_at := r.period_ends_at;
      head := to_json(r.id)::text;
    END IF;
    amount := amounts[run];
    tail := to_json(key_ids[run])::text || ',' || to_json(paths[run])::text || ',null]';
    outcome := NULL;
    -- Most are: nothing is to be looked up for any of its charges.
    is_plain := NOT may_be_known AND repeat_keys[run] IS NULL AND hours[run] >= r.quiet_from
      AND hours[run] + 3600000 <= r.quiet_to
      AND has >= amount * (last_places[run] - coalesce(last_places[run - 1], 0));
    FOR nth IN coalesce(last_places[run - 1], 0) + 1..last_places[run] LOOP
      verdict := NULL;
      IF NOT is_plain THEN
        IF ats[nth] < r.quiet_from OR ats[nth] >= r.quiet_to THEN
          verdict := 'due';
        ELSIF repeat_keys[run] IS NOT NULL THEN
          SELECT m.call, m.charge_id INTO remembered FROM domesday.repeats m
            WHERE m.account = r.number AND m.key = repeat_keys[run]
              AND m.at > remembered_after[run] AND m.at < remembered_before[run];
          IF FOUND AND remembered.charge_id IS DISTINCT FROM new_ids[nth] THEN
            verdict := CASE WHEN remembered.call = repeat_calls[run] THEN 'same' ELSE 'other' END;
            UPDATE domesday.repeats m SET paid = true
              WHERE verdict = 'same' AND m.account = r.number AND m.key = repeat_keys[run] AND NOT m.paid;
          END IF;
        END IF;
        IF verdict IS NULL AND may_be_known THEN
          SELECT known.seq IS NULL
              OR EXISTS (SELECT FROM domesday.charge_ids other WHERE other.id = 'reversal of ' || new_ids[nth]), made.balance_after
            INTO is_void, left_by FROM domesday.charge_ids known
            LEFT JOIN domesday.journal made ON made.account = known.account AND made.seq = known.seq AND made.at = known.at
            WHERE known.id = new_ids[nth];
          IF FOUND THEN
            verdict := CASE WHEN is_void THEN 'given back' ELSE 'known' END;
          ELSE
            SELECT 'known', balances[same] INTO verdict, left_by
              FROM unnest(array_positions(new_ids, new_ids[nth])) AS same WHERE seqs[same] IS NOT NULL; -- earlier in this batch
          END IF;
        END IF;
        IF verdict IS NULL AND has < amount THEN
          is_any_refused := true;
          verdict := 'insufficient';
        END IF;
      END IF;
      verdict := coalesce(verdict, 'charged');
      -- What is known already tells the balance that it left itself.
      IF verdict IS DISTINCT FROM outcome OR verdict = 'known' THEN
        place := nth;
        outcome := verdict;
        balance := CASE verdict WHEN 'known' THEN coalesce(left_by, has) ELSE has END;
        RETURN NEXT;
        stretches := stretches + 1;
        stretch_runs[stretches] := run;
        stretch_outcomes[stretches] := outcome;
        stretch_firsts[stretches] := nth;
      END IF;
      IF verdict = 'charged' THEN
        seqs[nth] := nextval('domesday.entry_numbers');
        has := has - amount;
        moved := least(has_lasting, has) - has_lasting;
        has_lasting := has_lasting + moved;
        hash_so_far := domesday.hash_charge_1(hash_so_far, head, newest, ats[nth], -amount, moved, has, has_lasting,
          new_ids[nth], coalesce(request_ids[nth], new_ids[nth]), tail);
        previous[nth] := newest;
        newest := seqs[nth];
        lasting_moves[nth] := moved;
        balances[nth] := has;
        lasting_after[nth] := has_lasting;
        hashes[nth] := hash_so_far;
        IF repeat_keys[run] IS NOT NULL THEN
          INSERT INTO domesday.repeats AS m
            VALUES (newest, r.number, repeat_keys[run], repeat_calls[run], ats[nth], new_ids[nth])
            ON CONFLICT (account, key) DO UPDATE SET entry = excluded.entry, call = excluded.call, at = excluded.at,
              charge_id = excluded.charge_id;
        END IF;
      END IF;
    END LOOP;
    IF newest IS DISTINCT FROM r.newest_entry THEN
      IF changed[changes] IS DISTINCT FROM account THEN
        changes := changes + 1;
        changed[changes] := account;
      END IF;
      changed_balances[changes] := has;
      changed_lasting[changes] := has_lasting;
      changed_newest[changes] := newest;
      changed_hashes[changes] := hash_so_far;
    END IF;
  END LOOP;
  -- After this database was put back to an earlier day, numbers that replicas remember may be of others, or of nobody.
  IF run < cardinality(account_numbers) THEN
    RAISE 'accounts, keys or endpoints have other numbers' USING ERRCODE = 'DD002';
  END IF;
  IF changes > 0 THEN
    UPDATE domesday.accounts a SET balance = changed_balances[i], lasting = changed_lasting[i],
        newest_entry = changed_newest[i], newest_hash = changed_hashes[i]
      FROM unnest(changed) WITH ORDINALITY AS c (number, i) WHERE a.number = c.number;
    -- One that is there already was made, given back, or sent by an attempt that was thought lost: nothing is written, and sent again
    -- the batch looks for what is known.
    INSERT INTO domesday.charge_ids (id, seq, account, at)
      SELECT new_ids[i], seqs[i], account_numbers[n], ats[i]
      FROM generate_series(1, run) AS n, generate_series(coalesce(last_places[n - 1], 0) + 1, last_places[n]) AS i
      WHERE seqs[i] IS NOT NULL;
    INSERT INTO domesday.journal
      SELECT seqs[i], previous[i], account_numbers[n], ats[i], ${journalKinds.indexOf('charge')}, -amounts[n], lasting_moves[i],
        balances[i], lasting_after[i], new_ids[i], request_ids[i], key_numbers[n], endpoint_numbers[n], NULL, hashes[i]
      FROM generate_series(1, run) AS n, generate_series(coalesce(last_places[n - 1], 0) + 1, last_places[n]) AS i
      WHERE seqs[i] IS NOT NULL;
  END IF;
  -- It may have been made when there was enough.
  IF is_any_refused AND NOT may_be_known AND EXISTS (
      SELECT FROM unnest(new_ids) WITH ORDINALITY AS u (id, i) JOIN domesday.charge_ids known ON known.id = u.id
      WHERE seqs[u.i] IS NULL) THEN
    RAISE 'a charge of this batch is known already' USING ERRCODE = 'DD001';
  END IF;
  stretch_firsts[stretches + 1] := cardinality(new_ids) + 1;
  INSERT INTO domesday.usage AS stored (account, hour, key, endpoint, status, calls, credits)
    SELECT account_numbers[n], hours[n], key_numbers[n], endpoint_numbers[n],
      CASE outcome WHEN 'insufficient' THEN 402 WHEN 'other' THEN 400 ELSE 200 END,
      sum(calls), sum(CASE outcome WHEN 'charged' THEN calls * amounts[n] ELSE 0 END)
    FROM (
      SELECT stretch_runs[s] AS n, stretch_outcomes[s] AS outcome, stretch_firsts[s + 1] - stretch_firsts[s] AS calls
      FROM generate_series(1, stretches) AS s) AS stretch
    WHERE outcome IN ('charged', 'insufficient', 'same', 'other')
    GROUP BY 1, 2, 3, 4, 5 ORDER BY 1, 2, 3, 4, 5
    ON CONFLICT (account, hour, key, endpoint, status)
      DO UPDATE SET calls = stored.calls + excluded.calls, credits = stored.credits + excluded.credits;
END $$;
`;

export const chargingFunctions = hash + charge;
