// What it means that an answer has nothing of something. "None" is said only where everything was looked at; otherwise it is not
// known, and the answer says why. Every panel, layer and page asks here, so that all of them say the same.

import type { ApiRefusal } from '../api/refusal.ts';
import { withDates } from '../formats.ts';

/** Looked, and there is none; or nobody knows. */
export type Silence = { readonly kind: 'none' } | Unknown;

export type Unknown =
  /** There may be some: all of it or a part is not loaded. */
  | { readonly kind: 'not loaded'; readonly why: string }
  /** Nobody publishes it for such a place. */
  | { readonly kind: 'not published'; readonly why: string };

/** What the answer lacks, in the words of X-Data-Coverage: extents with commas between them, then why, after semicolons. */
export function readCoverage(coverage: string | null): {
  readonly extents: readonly string[];
  /** Empty where it does not say. */
  readonly why: string;
} {
  const [extents = '', ...why] = (coverage ?? '').split('; ');
  return { extents: extents.split(', '), why: withDates(why.join('; ')) };
}

export function silenceOf(coverage: string | null): Silence {
  const { extents, why } = readCoverage(coverage);
  if (extents.includes('none')) return unknownBecause(why);
  // What is not in a sample or a part may well exist.
  if (extents.includes('sample')) return { kind: 'not loaded', why: 'only a sample is loaded' };
  if (extents.includes('partial')) return { kind: 'not loaded', why: `only a part is loaded: ${why}` };
  return { kind: 'none' };
}

/** The service says "loaded" wherever loading more would help. */
export const unknownBecause = (why: string): Unknown => ({
  kind: /\bloaded\b/.test(why) ? 'not loaded' : 'not published',
  why,
});

/** Reasons of `NO_CRIME_DATA`. */
const crimeSilences: Readonly<Record<string, Unknown['kind']>> = {
  scotland: 'not published',
  'channel-islands': 'not published',
  'isle-of-man': 'not published',
  'force-stopped': 'not published',
  'not-in-sample': 'not loaded',
  'force-not-loaded': 'not loaded',
};

/** Undefined where the call failed, or nobody can say it of such a place. */
export function silenceOfRefusal({ dataset, reason, message }: ApiRefusal): Unknown | undefined {
  const kind = dataset === undefined ? crimeSilences[reason ?? ''] : 'not loaded';
  return kind === undefined ? undefined : { kind, why: message };
}
