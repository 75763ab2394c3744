// A call that is sent again is looked for by account and key together, whenever the plan for that was made. One that was made while
// few calls were remembered read all of an account's, each time, until the server's next look at the table.

import type { Migration } from './migration.ts';

/** As recall_1 was. Of a subquery that gives one row the planner cannot leave a part of the index to a filter. */
const recall = `
CREATE OR REPLACE FUNCTION domesday.recall_1(
  account_ids text[], repeat_keys text[], repeat_calls text[], remembered_after bigint[], remembered_before bigint[],
  doubtful_ids text[]
) RETURNS TABLE (place bigint, call text, at bigint) LANGUAGE plpgsql
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off
AS $$
#variable_conflict use_column
BEGIN
  RETURN QUERY WITH found AS (
    SELECT u.place, r.entry, r.call, r.at, r.paid,
      r.call = u.call AND r.at > u.after AND r.at < u.before AS pays
    FROM unnest(account_ids, repeat_keys, repeat_calls, remembered_after, remembered_before) WITH ORDINALITY
      AS u (account_id, key, call, after, before, place)
    JOIN domesday.accounts a ON a.id = u.account_id
    CROSS JOIN LATERAL (
      SELECT * FROM domesday.repeats WHERE repeats.account = a.number AND repeats.key = u.key LIMIT 1) AS r
    WHERE r.charge_id IS NULL OR r.charge_id <> ALL (doubtful_ids)
  ), marked AS (
    UPDATE domesday.repeats r SET paid = true FROM found
    WHERE found.pays AND NOT found.paid AND r.entry = found.entry RETURNING r.entry
  )
  SELECT place, call, at FROM found
  WHERE paid OR NOT pays OR entry IN (SELECT entry FROM marked);
END $$;
`;

export const recallsByKey: Migration = {
  version: 8,
  name: 'recalls by key',
  breaks: false,
  since: '0.2.0',
  sql: recall,
};
