// The usage added up by day: a year of a busy account is read in a moment. Kept by triggers, so that whatever changes the
// usage, an older program included, changes both.

import type { Migration } from './migration.ts';

const table = `
CREATE TABLE usage_days (
  account INTEGER NOT NULL,
  day INTEGER NOT NULL, -- by UTC, since 1970
  key INTEGER NOT NULL,
  endpoint INTEGER NOT NULL,
  status INTEGER NOT NULL,
  calls INTEGER NOT NULL,
  credits INTEGER NOT NULL,
  PRIMARY KEY (account, day, key, endpoint, status)
) STRICT, WITHOUT ROWID;

INSERT INTO usage_days SELECT account, hour / 86400000, key, endpoint, status, sum(calls), sum(credits)
  FROM usage GROUP BY 1, 2, 3, 4, 5;

CREATE TRIGGER usage_of_an_hour_begins AFTER INSERT ON usage
BEGIN
  INSERT INTO usage_days
    VALUES (NEW.account, NEW.hour / 86400000, NEW.key, NEW.endpoint, NEW.status, NEW.calls, NEW.credits)
    ON CONFLICT DO UPDATE SET calls = calls + excluded.calls, credits = credits + excluded.credits;
END;
CREATE TRIGGER usage_of_an_hour_grows AFTER UPDATE OF calls, credits ON usage
BEGIN
  UPDATE usage_days SET calls = calls + NEW.calls - OLD.calls, credits = credits + NEW.credits - OLD.credits
    WHERE account = NEW.account AND day = NEW.hour / 86400000 AND key = NEW.key AND endpoint = NEW.endpoint
      AND status = NEW.status;
END;
`;

export const usageByDay: Migration = {
  version: 6,
  name: 'usage by day',
  breaks: false,
  since: '0.3.0',
  up: (db) => db.exec(table),
};
