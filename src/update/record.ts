// What a run leaves behind for the next one and for the service: per publication when it was asked, when it changed, which
// files are loaded, what fails and since when.

import type { Listed } from '../ingest/publication.ts';
import type { Cause, LoadedFile, PublicationState, RefusedFiles, UpdateRun, UpdateState } from './state.ts';

export type Result =
  /** Its publisher was asked; what is loaded is the newest. */
  | { readonly kind: 'unchanged' }
  /** `files`: all that is loaded of it now. `loadedAt`: of its dataset. */
  | { readonly kind: 'loaded'; readonly files: readonly LoadedFile[]; readonly loadedAt: string }
  /** What arrived is what was loaded before, byte for byte. */
  | { readonly kind: 'same files'; readonly files: readonly LoadedFile[]; readonly loadedAt: string }
  | {
      readonly kind: 'failed';
      readonly why: string;
      readonly cause: Cause;
      /** What came and is of no use, or what is not to be fetched again as long as nothing changes. */
      readonly refused?: RefusedFiles;
      readonly retry?: { readonly host: string; readonly at: string };
    }
  | { readonly kind: 'not asked' };

export type Outcome = { readonly publication: Listed; readonly result: Result };

export function endOf(
  outcomes: readonly Outcome[],
  when: Pick<UpdateRun, 'startedAt' | 'endedAt' | 'release'>,
): UpdateRun {
  const kept = outcomes.flatMap(({ publication: { dataset, name }, result }) =>
    result.kind === 'failed' ? [{ dataset, publication: name, why: result.why, cause: result.cause }] : [],
  );
  const asked = outcomes.filter(({ result }) => result.kind !== 'not asked');
  const outcome = kept.length === 0 ? 'fresh' : kept.length === asked.length ? 'failed' : 'some kept';
  return { ...when, outcome, kept };
}

export function record(state: UpdateState, outcomes: readonly Outcome[], at: string): UpdateState {
  const publications = { ...state.publications };
  for (const { publication, result } of outcomes) {
    publications[publication.name] = stateAfter(
      publications[publication.name] ?? { dataset: publication.dataset },
      result,
      at,
    );
  }
  const told = outcomes.flatMap(({ result }) =>
    result.kind === 'failed' && result.retry ? [result.retry] : [],
  );
  const waiting = Object.entries(state.notBefore).filter(([, until]) => until > at);
  return {
    ...state,
    publications,
    notBefore: Object.fromEntries([...waiting, ...told.map((retry) => [retry.host, retry.at] as const)]),
  };
}

function stateAfter(before: PublicationState, result: Result, at: string): PublicationState {
  switch (result.kind) {
    case 'not asked':
      return before;
    case 'failed':
      return {
        ...before,
        failing: { since: sinceOf(before, at), why: result.why },
        refused: result.refused ?? before.refused,
      };
    case 'unchanged':
      return { ...before, checkedAt: at, failing: undefined, refused: undefined };
    case 'same files':
      return {
        ...before,
        checkedAt: at,
        loadedAt: result.loadedAt,
        files: result.files,
        failing: undefined,
        refused: undefined,
      };
    case 'loaded':
      return {
        ...before,
        checkedAt: at,
        changedAt: at,
        loadedAt: result.loadedAt,
        files: result.files,
        failing: undefined,
        refused: undefined,
      };
  }
}

/** What is later than now was written under a wrong clock. */
function sinceOf({ failing }: PublicationState, at: string): string {
  return failing === undefined || failing.since > at ? at : failing.since;
}
