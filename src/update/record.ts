// What a run leaves behind for the next one and for the service: per publication when it was asked, when it changed, which
// files are loaded, what fails and since when.

import type { Listed } from '../ingest/publication.ts';
import type { LoadedFile, PublicationState, UpdateState } from './state.ts';

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
      readonly retry?: { readonly host: string; readonly at: string };
    }
  | { readonly kind: 'not asked' };

export type Outcome = { readonly publication: Listed; readonly result: Result };

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
      return { ...before, failing: { since: sinceOf(before, at), why: result.why } };
    case 'unchanged':
      return { ...before, checkedAt: at, failing: undefined };
    case 'same files':
      return { ...before, checkedAt: at, loadedAt: result.loadedAt, files: result.files, failing: undefined };
    case 'loaded':
      return {
        ...before,
        checkedAt: at,
        changedAt: at,
        loadedAt: result.loadedAt,
        files: result.files,
        failing: undefined,
      };
  }
}

/** What is later than now was written under a wrong clock. */
function sinceOf({ failing }: PublicationState, at: string): string {
  return failing === undefined || failing.since > at ? at : failing.since;
}
