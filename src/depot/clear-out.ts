// Removes what a target no longer needs: releases beyond the newest so many, and files that none of the others has. What a
// replica may still be fetching stays: a release for a time after the next one was published, a file for as long after it came.

import { FieldFault } from '../release/fields.ts';
import { DepotFault } from './fault.ts';
import {
  fileKey,
  filesFolder,
  listsFolder,
  mostListBytes,
  parseList,
  pointerName,
  sequenceOf,
} from './format.ts';
import { readNewest } from './publish.ts';
import type { Stored, Target } from './target.ts';

type Listed = Stored & { readonly sequence: number };

type ClearOut = {
  readonly target: Target;
  /** How many releases stay at least. */
  readonly keep: number;
  readonly spareMs: number;
  readonly nowMs: number;
};

/** Throws DepotFault. The target's lock is held. Returns how many were removed. */
export async function clearOut(
  order: ClearOut,
): Promise<{ readonly releases: number; readonly files: number; readonly bytes: number }> {
  const { target, keep, spareMs, nowMs } = order;
  const newest = await readNewest(target);
  if (newest === undefined) return { releases: 0, files: 0, bytes: 0 };
  const { sequence: current } = newest.published.pointer;
  const lists = (await target.list(listsFolder))
    .flatMap((stored): Listed[] => {
      const sequence = sequenceOf(stored.key);
      return sequence === undefined ? [] : [{ ...stored, sequence }];
    })
    .sort((a, b) => b.sequence - a.sequence);
  const old = lists.filter(({ sequence }, place) => {
    const next = lists[place - 1];
    return place >= keep && sequence !== current && next !== undefined && nowMs - next.changedAtMs >= spareMs;
  });
  const kept = lists.filter((list) => !old.includes(list));
  const needed = new Set((await Promise.all(kept.map((list) => keysOf(target, list)))).flat());
  const spare = (await target.list(filesFolder)).filter(
    ({ key, changedAtMs }) => !needed.has(key) && nowMs - changedAtMs >= spareMs,
  );
  // Lists first: none ever names a file that was removed.
  for (const { key } of old) await target.remove(key);
  for (const { key } of spare) await target.remove(key);
  return {
    releases: old.length,
    files: spare.length,
    bytes: spare.reduce((sum, { bytes }) => sum + bytes, 0),
  };
}

async function keysOf(target: Target, { key }: Listed): Promise<readonly string[]> {
  const found = await target.read(key, mostListBytes);
  if (found === undefined)
    throw new DepotFault('conflict', `${key} in ${target.shown} was removed meanwhile; nothing was removed.`);
  try {
    return [...parseList(found.text, releaseOf(key)).values()].map(({ sha256 }) => fileKey(sha256));
  } catch (error) {
    if (!(error instanceof FieldFault)) throw error;
    throw new DepotFault(
      'invalid',
      `${key} in ${target.shown} ${error.message}. Nothing was removed; "${pointerName}" names the newest. Remove that list by hand if no replica needs it.`,
    );
  }
}

const releaseOf = (key: string): string => key.replace(/^releases\/\d+-|\.json$/g, '');
