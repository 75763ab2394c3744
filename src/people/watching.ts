// Who watches an account at the moment, over all machines: each page that does holds a connection, so a person has a
// few places. A place is held for a minute at a time: whatever dies gives it back by itself.

import { readNumber } from '../storage/rows.ts';
import { minuteMs } from '../time.ts';
import type { Ground } from './ground.ts';
import type { Watching } from './people.ts';
import { newId } from './proof/secrets.ts';

const placesOfPerson = 6;
const heldMs = minuteMs;

export class KeptWatching implements Watching {
  readonly #ground: Ground;

  constructor(ground: Ground) {
    this.#ground = ground;
  }

  enter(personId: string): Promise<string | undefined> {
    const { database, now } = this.#ground;
    return database.transaction(async (sql) => {
      const atMs = now();
      const [row] = await sql.all(
        'SELECT COUNT(*) AS taken FROM people_watching WHERE person_id = ? AND until_ms > ? AND until_ms < ?',
        [personId, atMs, atMs + 2 * heldMs],
      );
      if (row === undefined || readNumber(row, 'taken') >= placesOfPerson) return undefined;
      const place = newId('wat');
      await sql.all('INSERT INTO people_watching (place, person_id, until_ms) VALUES (?, ?, ?)', [
        place,
        personId,
        atMs + heldMs,
      ]);
      return place;
    });
  }

  async stay(place: string): Promise<void> {
    const { database, now } = this.#ground;
    await database.all('UPDATE people_watching SET until_ms = ? WHERE place = ?', [now() + heldMs, place]);
  }

  async leave(place: string): Promise<void> {
    await this.#ground.database.all('DELETE FROM people_watching WHERE place = ?', [place]);
  }
}
