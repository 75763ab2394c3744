// What caller and service agree on about an answer: its form, its version (ETag), and whether the caller has it already.

import { crc32 } from 'node:zlib';
import { type Endpoint, type Form, hasVersions, type Prepared } from '../contract/endpoint.ts';
import type { Release } from '../release/reader.ts';

/** CSV only where it is asked for by name, and not less than JSON. */
export function formOf({ csv: tables }: Endpoint, accept: string | undefined): Form {
  if (accept === undefined || tables.length === 0) return 'json';
  return isLiked('text/csv', 'application/json', accept) ? 'csv' : 'json';
}

/** A page only where it is asked for by name, as browsers do: programs that take anything are told what there is. */
export const isPageWanted = (accept: string | undefined): boolean =>
  accept !== undefined && isLiked('text/html', 'application/json', accept);

/** Programs that read for a language model ask for it by name; browsers do not know it. */
export const isMarkdownWanted = (accept: string | undefined): boolean =>
  accept !== undefined && isLiked('text/markdown', 'text/html', accept);

/** By name, and not less than the other. */
function isLiked(type: string, other: string, accept: string): boolean {
  const weights = new Map<string, number>();
  for (const range of accept.toLowerCase().split(',')) {
    const [named = '', ...options] = range.split(';').map((part) => part.trim());
    const weight = options.find((option) => option.startsWith('q='))?.slice(2);
    weights.set(named, weight === undefined ? 1 : Number(weight) || 0);
  }
  const liked = weights.get(type) ?? 0;
  return liked > 0 && liked >= (weights.get(other) ?? 0);
}

/** Weak: the body also carries the balance, which is no part of the answer. Answers may depend on today. */
export function etagOf(
  { path }: Endpoint,
  { canonical }: Prepared,
  { id }: Pick<Release, 'id'>,
  today: number,
  form: Form,
): string {
  const meaning = form === 'json' ? `${path}?${canonical}` : `${path}?${canonical}#${form}`;
  return `W/"${id}.${today}.${crc32(meaning).toString(36)}"`;
}

/** Only what has versions can be answered by "you have it". */
export function isUnchanged(endpoint: Endpoint, ifNoneMatch: string | undefined, etag: string): boolean {
  if (ifNoneMatch === undefined || !hasVersions(endpoint)) return false;
  const opaque = etag.slice(2);
  return ifNoneMatch.split(',').some((candidate) => candidate.trim().replace(/^W\//, '') === opaque);
}

/** What a live service told has no version: within one release the same question may get another answer. */
export const liveAnswerHeaders = ['cache-control', 'no-store', 'vary', 'Origin'] as const;

/** `*` stands for any answer there is, so it is known only after the look-up whether one is. */
export function isAnyUnchanged(endpoint: Endpoint, ifNoneMatch: string | undefined): boolean {
  return ifNoneMatch?.trim() === '*' && hasVersions(endpoint);
}

/** How long and by whom a success may be kept. */
export function cacheHeaders(endpoint: Endpoint, etag: string): readonly string[] {
  if (!hasVersions(endpoint)) return ['cache-control', 'no-store', 'vary', 'Origin'];
  const { maxAgeSeconds } = endpoint;
  const cacheControl = maxAgeSeconds > 0 ? `private, max-age=${maxAgeSeconds}` : 'private, no-cache';
  const vary = 'Origin, X-API-Key, Accept, Accept-Encoding';
  return ['etag', etag, 'cache-control', cacheControl, 'vary', vary];
}
