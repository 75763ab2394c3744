// The usage by day is added up when a day is over: to keep it with each charge took a page more in every commit. `usage_days` is
// now a view of the days that were added up and of each account's last one, so that programs which read it, older ones included,
// see the same. Triggers decide what is added up, so that whatever changes the usage, an older program included, changes both.

import type { Migration } from './migration.ts';

const sql = `
ALTER TABLE accounts ADD COLUMN last_day_at INTEGER NOT NULL DEFAULT 0; -- start of its last day with usage; days before are in past_days

DROP TRIGGER usage_of_an_hour_begins;
DROP TRIGGER usage_of_an_hour_grows;
ALTER TABLE usage_days RENAME TO past_days;
UPDATE accounts SET last_day_at = 86400000 *
  (SELECT coalesce(max(day), 0) FROM past_days WHERE past_days.account = accounts.number);
DELETE FROM past_days WHERE day * 86400000 = (SELECT last_day_at FROM accounts WHERE number = past_days.account);

CREATE VIEW last_days AS
  SELECT number AS account, last_day_at / 86400000 AS day, key, endpoint, status, sum(calls) AS calls, sum(credits) AS credits
    FROM accounts CROSS JOIN usage ON usage.account = number AND hour >= last_day_at
    GROUP BY 1, 2, 3, 4, 5;
CREATE VIEW usage_days AS SELECT * FROM past_days UNION ALL SELECT * FROM last_days;

CREATE TRIGGER usage_of_a_day_begins AFTER INSERT ON usage
  WHEN NEW.hour >= (SELECT last_day_at FROM accounts WHERE number = NEW.account) + 86400000
BEGIN
  INSERT INTO past_days SELECT account, hour / 86400000, key, endpoint, status, sum(calls), sum(credits) FROM usage
    WHERE account = NEW.account AND hour >= (SELECT last_day_at FROM accounts WHERE number = NEW.account)
      AND hour < NEW.hour - NEW.hour % 86400000
    GROUP BY 1, 2, 3, 4, 5
    ON CONFLICT DO UPDATE SET calls = excluded.calls, credits = excluded.credits;
  UPDATE accounts SET last_day_at = NEW.hour - NEW.hour % 86400000 WHERE number = NEW.account;
END;
CREATE TRIGGER usage_of_a_past_hour_begins AFTER INSERT ON usage
  WHEN NEW.hour < (SELECT last_day_at FROM accounts WHERE number = NEW.account)
BEGIN
  INSERT INTO past_days
    VALUES (NEW.account, NEW.hour / 86400000, NEW.key, NEW.endpoint, NEW.status, NEW.calls, NEW.credits)
    ON CONFLICT DO UPDATE SET calls = calls + excluded.calls, credits = credits + excluded.credits;
END;
CREATE TRIGGER usage_of_a_past_hour_grows AFTER UPDATE OF calls, credits ON usage
  WHEN NEW.hour < (SELECT last_day_at FROM accounts WHERE number = NEW.account)
BEGIN
  UPDATE past_days SET calls = calls + NEW.calls - OLD.calls, credits = credits + NEW.credits - OLD.credits
    WHERE account = NEW.account AND day = NEW.hour / 86400000 AND key = NEW.key AND endpoint = NEW.endpoint
      AND status = NEW.status;
END;
`;

export const daysThatAreOver: Migration = {
  version: 9,
  name: 'days that are over',
  breaks: false,
  since: '0.2.0',
  up: (db) => db.exec(sql),
};
