// What the switch of a layer says of it: how many there are, that they are on their way, or why that is not known.

import type { ApiPath } from '../../api/call.ts';
import type { Called } from '../calls/use-call.ts';
import { limitEnd } from '../refusals/limit.ts';
import { isLasting, limitReached } from '../refusals/refused.tsx';
import { silenceOfRefusal, type Unknown } from '../silence.ts';

export type LayerWords = {
  /** Empty where nothing was asked yet. */
  readonly standing: string;
  readonly lacking?: string | undefined;
  /** What its signs mean is told unless it is known that the map has none of them. */
  readonly legend: 'shown' | 'left out';
};

export function unansweredWords(called: Exclude<Called<ApiPath>, { readonly kind: 'answered' }>): LayerWords {
  if (called.kind === 'loading') return { standing: 'Loading…', legend: 'shown' };
  switch (limitEnd(called)) {
    case 'soon':
      return { standing: 'Waiting…', legend: 'shown' };
    case 'later':
      return { standing: limitReached, legend: 'left out' };
  }
  const silence = silenceOfRefusal(called);
  if (silence !== undefined) return unknownWords(silence);
  return isLasting(called)
    ? { standing: called.message, legend: 'left out' }
    : { standing: 'no answer', lacking: called.message, legend: 'left out' };
}

/** Why something is not loaded says that it is not. */
export const unknownWords = (silence: Unknown): LayerWords =>
  silence.kind === 'not loaded'
    ? { standing: sentence(silence.why), legend: 'left out' }
    : { standing: silence.kind, lacking: sentence(silence.why), legend: 'left out' };

export const sentence = (why: string): string =>
  `${why.slice(0, 1).toUpperCase()}${why.slice(1)}${why.endsWith('.') ? '' : '.'}`;
