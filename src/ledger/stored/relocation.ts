// The mark of a ledger that was moved: where it went, or that it has not wholly arrived. Whoever has one refuses to open, and
// its tables refuse every write, so that of two copies never both go on.

import path from 'node:path';
import { type Row, readNumber, readText, readWord } from '../../storage/rows.ts';
import { peopleTableNames } from '../../storage/tables.ts';
import { LedgerUnavailable } from '../ledger.ts';
import { shellWord } from '../restore-command.ts';

export type Mark = {
  /** `gone`: it goes on at `place`. `arriving`: a copy of the one at `place` that is not to be used yet. */
  readonly state: 'gone' | 'arriving';
  /** Never with a password. */
  readonly place: string;
  readonly atMs: number;
  /** Of one move, at both ends. */
  readonly token: string;
};

/** What a mark forbids to change; all that every engine has. */
export const markedTables: readonly string[] = [
  'accounts',
  'keys',
  'endpoints',
  'windows',
  'journal',
  'closings',
  'periods',
  'repeats',
  'usage',
  'identity',
  ...peopleTableNames,
];

/** What a refused write says to a program that knows no marks. */
export const movedText = 'this ledger was moved';

export const markValues = ({ state, place, atMs, token }: Mark) => [state, place, atMs, token] as const;

export function readMark(row: Row): Mark {
  return {
    state: readWord(row, 'state', ['gone', 'arriving']),
    place: readText(row, 'place'),
    atMs: readNumber(row, 'at'),
    token: readText(row, 'token'),
  };
}

/** How a command names the ledger that has the mark, and the one at the other end. */
type Ends = { readonly here: string; readonly there: string };

function refuseMarked(what: string, { here, there }: Ends, { state, place, atMs }: Mark): LedgerUnavailable {
  const day = new Date(atMs).toISOString().slice(0, 10);
  return new LedgerUnavailable(
    state === 'gone'
      ? `${what} was moved to ${place} on ${day} and is in use there; use that one, move it back with \`domesday move ${there} ${here}\`, or, if that one is lost, continue with this one as it was then: \`domesday move --undo ${here}\`.`
      : `${what} is an unfinished copy of the ledger of ${place}; run \`domesday move ${there} ${here}\` again, or continue with that one, which is still good.`,
  );
}

/** Of a ledger in a database: what it was moved to, or comes from, is a home. */
export const refuseMarkedDatabase = (mark: Mark): LedgerUnavailable =>
  refuseMarked('The ledger in the database', { here: 'DATABASE_URL', there: shellWord(mark.place) }, mark);

export const refuseMarkedFile = (ledger: string, mark: Mark): LedgerUnavailable =>
  refuseMarked(ledger, { here: shellWord(path.dirname(ledger)), there: 'DATABASE_URL' }, mark);
