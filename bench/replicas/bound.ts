// The most that a ledger in PostgreSQL could reach: the service as it is, on a database that charges a batch in the least way there
// is, with one balance and an id for each charge. No entry, hash, usage, limit or repetition. Whatever a ledger does comes on
// top of it.

import pg from 'pg';

/** Of a ledger that is there. */
export async function chargeTheLeast(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(`
CREATE OR REPLACE FUNCTION domesday.charge_presumed_1(
  account_numbers bigint[], key_numbers bigint[], endpoint_numbers bigint[], key_ids text[], paths text[],
  amounts bigint[], hours bigint[], last_places integer[],
  terms text[], minute_limits bigint[], day_limits bigint[], month_limits bigint[],
  repeat_keys text[], repeat_calls text[], remembered_after bigint[], remembered_before bigint[],
  ats bigint[], new_ids text[], request_ids text[],
  minute_from bigint, minute_to bigint, day_from bigint, day_to bigint, month_from bigint, month_to bigint
) RETURNS TABLE (run integer, balance bigint, period_ends_at bigint, calls_in_minute bigint)
LANGUAGE sql
AS $$
  WITH paid AS (
    UPDATE domesday.accounts a SET balance = a.balance - cardinality(new_ids) WHERE number = account_numbers[1]
    RETURNING a.balance, a.period_ends_at),
  written AS (INSERT INTO domesday.charge_ids (id, seq, account, at) SELECT id, 1, account_numbers[1], ats[1] FROM unnest(new_ids) AS id)
  SELECT n, paid.balance + cardinality(new_ids), paid.period_ends_at, 1::bigint
  FROM paid, generate_series(1, cardinality(account_numbers)) AS n
$$`);
  await client.end();
}
