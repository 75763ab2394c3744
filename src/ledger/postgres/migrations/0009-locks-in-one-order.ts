// Whoever changes rows of accounts has locked the accounts first, in the order of their numbers. Counts of replicas
// waited for each other in a circle when an hour began: the usage by day takes the rows of hours that begin before those of hours
// that grow, so that no order of the rows themselves is the same for all. And a key that is used anew begins without what its charge of
// the day before has paid for.

import { planning } from './0001-functions.ts';
import type { Migration } from './migration.ts';

/** As count_usage_1 was, under the locks of the accounts. */
const count = `
CREATE OR REPLACE FUNCTION domesday.count_usage_1(
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

/** As recall_1 was, under the locks of the accounts whose charges it marks. */
const recall = `
CREATE OR REPLACE FUNCTION domesday.recall_1(
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

/** A key that is used anew after a day has another charge, which nobody has repeated yet. */
const payment = `
CREATE FUNCTION domesday.begin_repeat() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.paid := false;
  RETURN NEW;
END $$;
CREATE TRIGGER another_charge_has_paid_for_nothing BEFORE UPDATE OF entry ON domesday.repeats
  FOR EACH ROW WHEN (NEW.entry <> OLD.entry) EXECUTE FUNCTION domesday.begin_repeat();
`;

export const locksInOneOrder: Migration = {
  version: 9,
  name: 'locks in one order',
  breaks: false,
  since: '0.2.0',
  sql: count + recall + payment,
};
