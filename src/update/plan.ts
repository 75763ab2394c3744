// What an update is going to do, before it does anything long: per publication what is loaded, what there is, and why; and
// what it needs of disk, memory and time.

import type { DatasetName } from '../datasets.ts';
import type { Listed } from '../ingest/publication.ts';
import type { Dataset } from '../release/manifest.ts';
import { type Look, loadedFiles, lookAt, type Publisher } from './look.ts';
import type { Failure } from './reasons.ts';
import { selectPublications, type UpdateSet } from './select.ts';
import type { LoadedFile, UpdateState } from './state.ts';

/** `failed`: the publisher did not answer as it should, so what is loaded stays. */
export type Step =
  | Exclude<Look, { kind: 'refused' }>
  | Failure
  | { readonly kind: 'withheld'; readonly why: string };

export type PlanLine = {
  readonly publication: Listed;
  readonly dataset: Dataset | undefined;
  readonly step: Step;
};

type PlanOrder = {
  readonly listed: readonly Listed[];
  /** Of datasets or publications; without any, the set. */
  readonly names: readonly string[];
  readonly set: UpdateSet;
  /** Names of terms, or "all". */
  readonly accepted: ReadonlySet<string>;
  readonly state: UpdateState;
  readonly findDataset: (name: DatasetName) => Dataset | undefined;
  /** Whether changes that come next can be applied to what is loaded. */
  readonly takesChanges: (name: DatasetName) => boolean;
  /** Of the program. */
  readonly version: string;
  readonly nowMs: number;
  readonly publisher: Publisher;
  /** What a publisher's fault is called; throws what is none. */
  readonly failureOf: (publication: Listed, error: unknown) => Failure;
};

export async function makePlan(order: PlanOrder): Promise<readonly PlanLine[]> {
  const { chosen, withheld } = selectPublications(order.listed, order, order.accepted);
  const lines = await Promise.all(
    chosen
      .filter(({ holds, dataset }) => holds === 'everything' || !hasWhole(chosen, dataset))
      .map((publication) => lineOf(publication, chosen, order)),
  );
  const together = await Promise.all(lines.map((line) => withOthers(line, lines, order)));
  return [
    ...together,
    ...withheld.map((publication) =>
      described(
        publication,
        { kind: 'withheld', why: `you have not accepted its terms "${publication.terms.name}"` },
        order,
      ),
    ),
  ];
}

/** What is loaded already is fetched again where its loader needs it to read what is new of another publication. */
async function withOthers(line: PlanLine, lines: readonly PlanLine[], order: PlanOrder): Promise<PlanLine> {
  const { publication, step } = line;
  const { readWith, dataset } = publication;
  const isSettled = step.kind === 'unchanged' || step.kind === 'not asked';
  const other = lines.find(
    (each) => each.publication.dataset === dataset && each !== line && each.step.kind === 'new',
  );
  if (readWith === 'nothing else' || !isSettled || other === undefined) return line;
  const again = await look(publication, withoutState(order));
  const why = `read together with what is new of ${other.publication.name}`;
  return described(publication, again.kind === 'new' ? { ...again, why } : again, order);
}

/** As if nothing of it were loaded. */
const withoutState = (order: PlanOrder): PlanOrder => ({
  ...order,
  state: { ...order.state, publications: {} },
});

const hasWhole = (chosen: readonly Listed[], wanted: DatasetName): boolean =>
  chosen.some(({ holds, dataset }) => holds === 'everything' && dataset === wanted);

const described = (publication: Listed, step: Step, { findDataset }: PlanOrder): PlanLine => ({
  publication,
  dataset: findDataset(publication.dataset),
  step,
});

/** Where everything is loaded, what changed since is enough, unless a month was missed. */
async function lineOf(whole: Listed, chosen: readonly Listed[], order: PlanOrder): Promise<PlanLine> {
  const changes = chosen.find(({ holds, dataset }) => holds === 'changes' && dataset === whole.dataset);
  const loaded = newestOf(
    [whole, changes].flatMap((each) => (each === undefined ? [] : filesOf(each, order))),
  );
  if (changes === undefined || loaded === undefined || !order.takesChanges(whole.dataset)) {
    return described(whole, await look(whole, order), order);
  }
  const step = await look(changes, order);
  if (step.kind !== 'new') return described(changes, step, order);
  const months = monthsBetween(loaded.lastModified, step.lastModified);
  if (months === 0 && filesOf(whole, order).includes(loaded)) {
    // Published together with everything that is loaded.
    return described(changes, { kind: 'unchanged' }, order);
  }
  if (months !== undefined && months <= 1) return described(changes, step, order);
  const all = await look(whole, withoutState(order));
  return described(
    whole,
    all.kind === 'new'
      ? { ...all, why: 'a month of changes is missing, and the publisher no longer offers it' }
      : all,
    order,
  );
}

const filesOf = ({ name, dataset }: Listed, { state, findDataset }: PlanOrder): readonly LoadedFile[] =>
  loadedFiles({ state: state.publications[name], dataset: findDataset(dataset) }) ?? [];

const newestOf = (files: readonly LoadedFile[]): LoadedFile | undefined =>
  files.reduce<LoadedFile | undefined>(
    (newest, file) =>
      newest === undefined || Date.parse(file.lastModified ?? '') > Date.parse(newest.lastModified ?? '')
        ? file
        : newest,
    undefined,
  );

/** Undefined where one of the days is not known. */
function monthsBetween(before: string | undefined, now: string | undefined): number | undefined {
  const [from, to] = [before, now].map((text) => new Date(text ?? ''));
  if (from === undefined || to === undefined) return undefined;
  const months = 12 * (to.getUTCFullYear() - from.getUTCFullYear()) + to.getUTCMonth() - from.getUTCMonth();
  return Number.isNaN(months) ? undefined : months;
}

async function look(publication: Listed, order: PlanOrder): Promise<Step> {
  const { names, state, findDataset, accepted, version, nowMs, publisher } = order;
  const isNamed = names.includes(publication.name) || names.includes(publication.dataset);
  try {
    const seen = await lookAt(
      {
        publication,
        state: state.publications[publication.name],
        dataset: findDataset(publication.dataset),
        when: isNamed ? 'always' : 'in its rhythm',
        accepted,
        version,
        nowMs,
      },
      publisher,
    );
    return seen.kind === 'refused' ? { ...seen, kind: 'failed' } : seen;
  } catch (error) {
    return order.failureOf(publication, error);
  }
}

export type Needs = {
  readonly downloadBytes: number;
  /** For the files, what is made of them, and what is put aside meanwhile. */
  readonly diskBytes: number;
  readonly memoryBytes: number;
  /** To load, once everything is there. */
  readonly seconds: number;
};

/** Releases are kept beside the one before, so that what is loaded now stays on disk too. */
export function needsOf(lines: readonly PlanLine[]): Needs {
  const due = lines.flatMap(({ publication, step }) =>
    step.kind === 'new' ? [{ ...publication.loading, bytes: step.bytes ?? publication.typicalBytes }] : [],
  );
  const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);
  const downloadBytes = sum(due.map(({ bytes }) => bytes));
  return {
    downloadBytes,
    diskBytes: downloadBytes + sum(due.map(({ diskBytes }) => diskBytes)),
    memoryBytes: Math.max(0, ...due.map(({ memoryBytes }) => memoryBytes)),
    seconds: sum(due.map(({ seconds }) => seconds)),
  };
}
