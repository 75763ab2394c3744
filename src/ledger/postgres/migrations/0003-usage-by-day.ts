// The usage added up by day: a year of a busy account is read in a moment. Kept by triggers, so that whatever changes the
// usage, a replica of the version before included, changes both.

import type { Migration } from './migration.ts';

// Two triggers for a whole statement, one for hours that begin and one for those that grow: what keeps replicas from waiting for
// each other in a circle are the locks of the accounts. Making a trigger holds writers of the usage up until the days are filled.
const sql = `
CREATE TABLE domesday.usage_days (
  account bigint NOT NULL,
  day bigint NOT NULL, -- by UTC, since 1970
  key bigint NOT NULL,
  endpoint bigint NOT NULL,
  status integer NOT NULL,
  calls bigint NOT NULL,
  credits bigint NOT NULL,
  PRIMARY KEY (account, day, key, endpoint, status)
) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000,
  autovacuum_vacuum_cost_delay = 0);

CREATE FUNCTION domesday.begin_usage_of_days() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO domesday.usage_days AS stored
    SELECT account, hour / 86400000, key, endpoint, status, sum(calls), sum(credits)
    FROM begun GROUP BY 1, 2, 3, 4, 5 ORDER BY 1, 2, 3, 4, 5
    ON CONFLICT (account, day, key, endpoint, status)
      DO UPDATE SET calls = stored.calls + excluded.calls, credits = stored.credits + excluded.credits;
  RETURN NULL;
END $$;

CREATE FUNCTION domesday.raise_usage_of_days() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO domesday.usage_days AS stored
    SELECT account, hour / 86400000, key, endpoint, status, sum(calls), sum(credits)
    FROM (
      SELECT account, hour, key, endpoint, status, calls, credits FROM after_it
      UNION ALL SELECT account, hour, key, endpoint, status, -calls, -credits FROM before_it) AS changed
    GROUP BY 1, 2, 3, 4, 5 ORDER BY 1, 2, 3, 4, 5
    ON CONFLICT (account, day, key, endpoint, status)
      DO UPDATE SET calls = stored.calls + excluded.calls, credits = stored.credits + excluded.credits;
  RETURN NULL;
END $$;

CREATE TRIGGER usage_of_an_hour_begins AFTER INSERT ON domesday.usage REFERENCING NEW TABLE AS begun
  FOR EACH STATEMENT EXECUTE FUNCTION domesday.begin_usage_of_days();
CREATE TRIGGER usage_of_an_hour_grows AFTER UPDATE ON domesday.usage
  REFERENCING OLD TABLE AS before_it NEW TABLE AS after_it
  FOR EACH STATEMENT EXECUTE FUNCTION domesday.raise_usage_of_days();

INSERT INTO domesday.usage_days SELECT account, hour / 86400000, key, endpoint, status, sum(calls), sum(credits)
  FROM domesday.usage GROUP BY 1, 2, 3, 4, 5;
`;

export const usageByDay: Migration = {
  version: 3,
  name: 'usage by day',
  breaks: false,
  since: '0.3.0',
  sql,
};
