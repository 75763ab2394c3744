// Counts of one source's run: rows read, kept, and rejected by reason, with the first few places of each so that
// the operator can look.

const placesKept = 5;

/** 1,745,849 */
export const formatCount = (count: number): string => count.toLocaleString('en-GB');

export type Rejects = { readonly reason: string; readonly count: number; readonly places: readonly string[] };

type Counts = Map<string, { count: number; readonly places: string[] }>;

function add(counts: Counts, { reason, count, places }: Rejects): void {
  const known = counts.get(reason) ?? { count: 0, places: [] };
  known.count += count;
  known.places.push(...places.slice(0, placesKept - known.places.length));
  counts.set(reason, known);
}

const count = (counts: Counts, reason: string, place: string): void =>
  add(counts, { reason, count: 1, places: [place] });

const listed = (counts: Counts): readonly Rejects[] =>
  [...counts].map(([reason, { count: times, places }]) => ({ reason, count: times, places }));

export class Tally {
  read = 0;
  kept = 0;
  readonly #rejects: Counts = new Map();
  readonly #revisions: Counts = new Map();
  readonly #notes: Counts = new Map();

  /** A row that was read but not kept. `place` is "file:line", or a sheet and row. */
  reject(reason: string, place: string): void {
    count(this.#rejects, reason, place);
  }

  /** A row of the earlier release that these files take out or correct: data never shrinks silently. */
  revise(reason: string, place: string): void {
    count(this.#revisions, reason, place);
  }

  /** Adds the revisions that another tally has counted. */
  reviseAll(revisions: readonly Rejects[]): void {
    for (const revision of revisions) add(this.#revisions, revision);
  }

  /** Rows that were kept, but that the operator should know of. The caller has counted them. `place` is blank where no row
   *  stands for them. */
  note(reason: string, times: number, place: string): void {
    if (times > 0) this.#notes.set(reason, { count: times, places: place === '' ? [] : [place] });
  }

  get rejects(): readonly Rejects[] {
    return listed(this.#rejects);
  }

  get revisions(): readonly Rejects[] {
    return listed(this.#revisions);
  }

  get notes(): readonly Rejects[] {
    return listed(this.#notes);
  }
}
