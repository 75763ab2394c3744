// Charges whose commit reported a fault and whose callers were told that the ledger was out: should one stand after all,
// it is given back. Kept in memory and in a file beside the ledger, since the doubt outlives a crash.

import { appendFileSync, existsSync, readFileSync, rmSync } from 'node:fs';
import { parseJson } from '../json.ts';

/** Where the ids outlive the process. */
export type DoubtNotes = {
  readonly read: () => readonly string[];
  /** On disk when it returns. */
  readonly add: (chargeIds: readonly string[]) => void;
  readonly remove: () => void;
};

export class Doubts {
  readonly #notes: DoubtNotes;
  readonly #chargeIds = new Set<string>();

  constructor(notes: DoubtNotes) {
    this.#notes = notes;
  }

  get chargeIds(): ReadonlySet<string> {
    return this.#chargeIds;
  }

  /** Those of an earlier run. */
  recall(): void {
    for (const id of this.#notes.read()) this.#chargeIds.add(id);
  }

  /** Throws where they could not be noted; in memory they are kept all the same. */
  add(chargeIds: readonly string[]): void {
    for (const id of chargeIds) this.#chargeIds.add(id);
    this.#notes.add(chargeIds);
  }

  /** Others may have been added meanwhile; until they are settled too, all of them stay noted, which gives none back twice. */
  settled(chargeIds: Iterable<string>): void {
    for (const id of chargeIds) this.#chargeIds.delete(id);
    if (this.#chargeIds.size === 0) this.#notes.remove();
  }
}

/** One id a line, as JSON. A line that a crash cut short names nobody: its caller had no answer yet. */
export function doubtfulFile(path: string): DoubtNotes {
  return {
    read: () => (existsSync(path) ? readFileSync(path, 'utf8').split('\n').flatMap(readLine) : []),
    add: (chargeIds) => {
      const lines = chargeIds.map((id) => `\n${JSON.stringify(id)}`);
      appendFileSync(path, lines.join(''), { mode: 0o600, flush: true });
    },
    remove: () => rmSync(path, { force: true }),
  };
}

function readLine(line: string): string[] {
  const id = parseJson(line);
  return typeof id === 'string' ? [id] : [];
}
