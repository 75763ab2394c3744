// What a half typed text can mean, asked while somebody types: a moment after the last letter, and the newest question alone.

import { useEffect, useState } from 'preact/hooks';
import { callApi } from '../api/call.ts';
import { type Payer, sandboxPayer } from './payer.ts';
import { optionOf, type PlaceOption } from './place.ts';
import { townOptions } from './town.ts';

type Found = {
  /** What it is the answer to. */
  readonly typed: string;
  readonly options: readonly PlaceOption[];
  /** Why there may be more, or nothing. */
  readonly problem: string | undefined;
};

const pauseMs = 120;
const optionsMost = 8;
const nothing: Found = { typed: '', options: [], problem: undefined };

export function useOptions(typed: string, payer: Payer | undefined): Found {
  const [found, setFound] = useState(nothing);
  useEffect(() => {
    if (typed.trim() === '') {
      setFound(nothing);
      return;
    }
    const ofTown = sandboxPayer === undefined ? [] : townOptions(typed);
    if (payer === undefined || /^\s*zz/i.test(typed)) {
      setFound({ typed, options: ofTown, problem: undefined });
      return;
    }
    const aborter = new AbortController();
    const timer = setTimeout(async () => {
      const answer = await complete(typed, payer, aborter.signal);
      if (aborter.signal.aborted) return;
      const options = [...ofTown, ...answer.options].slice(0, optionsMost);
      setFound({ typed, options, problem: answer.problem });
    }, pauseMs);
    return () => {
      clearTimeout(timer);
      aborter.abort();
    };
  }, [typed, payer]);
  return found;
}

async function complete(
  typed: string,
  payer: Payer,
  signal: AbortSignal,
): Promise<Pick<Found, 'options' | 'problem'>> {
  const made = await payer.key();
  if (made.kind === 'refused') return { options: [], problem: made.message };
  const call = { path: '/postcodes/complete', params: { q: typed.trimStart(), limit: optionsMost } } as const;
  const outcome = await callApi(call, made.key, signal);
  return outcome.kind === 'refused'
    ? { options: [], problem: outcome.message }
    : { options: outcome.told.suggestions.map(optionOf), problem: undefined };
}
