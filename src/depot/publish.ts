// Publishes a release: the files that the target lacks, then their list, and last the pointer that names the newest. Whoever
// is killed in between leaves the release before as it was, and whoever publishes next goes on from there.

import type { KeyObject } from 'node:crypto';
import path from 'node:path';
import { EarlyFormat, FieldFault } from '../release/fields.ts';
import type { Release } from '../release/reader.ts';
import { fileNamesOf } from '../release/store.ts';
import { DepotFault, earlyDepot } from './fault.ts';
import {
  type Content,
  type FileList,
  fileKey,
  filesFolder,
  listKey,
  listsFolder,
  listText,
  mostListBytes,
  mostPointerBytes,
  type Pointer,
  type PublishedPointer,
  parseList,
  parsePointer,
  pointerLine,
  pointerName,
  pointerText,
  sequenceOf,
} from './format.ts';
import { contentOf, isSame, textContent } from './hashing.ts';
import { isSignedBy, publicKeyOf, signLine } from './signature.ts';
import type { Stored, Target } from './target.ts';

export type Publication = {
  readonly target: Target;
  readonly release: Release;
  readonly now: () => number;
  readonly signingKey: KeyObject | undefined;
  /** What may replace the newest, though it looks like a mistake. */
  readonly allowed: ReadonlySet<'older' | 'unsigned'>;
  /** Before each file that is written. */
  readonly onFile?: (name: string, content: Content) => void;
};

type Published = {
  readonly kind: 'published' | 'was the newest';
  readonly sequence: number;
  /** That were written, and what they weigh; the others were there. */
  readonly files: number;
  readonly bytes: number;
  readonly filesInAll: number;
};

/** Throws DepotFault, or ReleaseDamaged. The target's lock is held. */
export async function publish(publication: Publication): Promise<Published> {
  const { target, release, signingKey } = publication;
  const before = await readNewest(target);
  if (before !== undefined) refuseMistakes(before.published, publication);
  release.verify();
  const files = await listFiles(release);
  const written = await putFiles(publication, files);
  const text = listText(release.id, files);
  const list = textContent(text);
  const told = { files: written.length, bytes: sum(written), filesInAll: files.size };
  if (before !== undefined && isNewestAlready(before.published, list, signingKey))
    return { kind: 'was the newest', sequence: before.published.pointer.sequence, ...told };
  const sequence = await nextSequence(publication, before?.published.pointer);
  await target.putText(listKey(sequence, release.id), text, 'for ever');
  const { createdAt } = release.manifest;
  const publishedAt = new Date(publication.now()).toISOString();
  const line = pointerLine({ sequence, release: release.id, createdAt, publishedAt, list });
  const signature = signingKey === undefined ? undefined : signLine(line, signingKey);
  const replaced = before === undefined ? 'nothing' : { tag: before.tag };
  await target.putText(pointerName, pointerText(line, signature), replaced);
  return { kind: 'published', sequence, ...told };
}

const sum = (files: readonly Content[]): number => files.reduce((total, { bytes }) => total + bytes, 0);

/** Undefined where nothing was published yet. Throws DepotFault. */
async function readNewest(
  target: Target,
): Promise<{ readonly published: PublishedPointer; readonly tag: string } | undefined> {
  const found = await target.read(pointerName, mostPointerBytes);
  if (found === undefined) return undefined;
  try {
    return { published: parsePointer(found.text), tag: found.tag };
  } catch (error) {
    if (error instanceof EarlyFormat) throw earlyDepot(target.shown);
    if (!(error instanceof FieldFault)) throw error;
    throw new DepotFault(
      'invalid',
      `The file "${pointerName}" in ${target.shown} ${error.message}. If this is the right place, remove that file and publish again.`,
    );
  }
}

function refuseMistakes({ pointer, signature }: PublishedPointer, publication: Publication): void {
  const { release, allowed, signingKey, target } = publication;
  if (release.manifest.createdAt < pointer.createdAt && !allowed.has('older'))
    throw new DepotFault(
      'older',
      `Release ${release.id} is older than ${pointer.release}, which is the newest in ${target.shown}; to go back on purpose, use --roll-back.`,
    );
  if (signature !== undefined && signingKey === undefined && !allowed.has('unsigned'))
    throw new DepotFault(
      'unsigned',
      `The releases in ${target.shown} are signed, and replicas that check signatures would not take this one; set DOMESDAY_SIGNING_KEY, or publish without a signature on purpose with --unsigned.`,
    );
}

async function listFiles({ dir, manifest }: Release): Promise<FileList> {
  const files = new Map<string, Content>();
  for (const name of fileNamesOf(manifest)) files.set(name, await contentOf(path.join(dir, name)));
  return files;
}

/** Returns those that the target lacked. */
async function putFiles(
  { target, release, onFile }: Publication,
  files: FileList,
): Promise<readonly Content[]> {
  const there = new Map((await target.list(filesFolder)).map(({ key, bytes }) => [key, bytes]));
  const written: Content[] = [];
  for (const [name, content] of files) {
    const key = fileKey(content.sha256);
    if (there.get(key) === content.bytes) continue;
    onFile?.(name, content);
    await target.putFile(key, path.join(release.dir, name), content);
    there.set(key, content.bytes);
    written.push(content);
  }
  return written;
}

function isNewestAlready(
  { pointer, line, signature }: PublishedPointer,
  list: Content,
  signingKey: KeyObject | undefined,
): boolean {
  const isSignedAlike =
    signingKey === undefined
      ? signature === undefined
      : signature !== undefined && isSignedBy(line, signature, [publicKeyOf(signingKey)]);
  return isSame(pointer.list, list) && isSignedAlike;
}

/** By the clock, so that it also grows where the target was lost and made anew; never by less than one. */
async function nextSequence({ target, now }: Publication, newest: Pointer | undefined): Promise<number> {
  const listed = (await target.list(listsFolder)).map(({ key }) => sequenceOf(key) ?? 0);
  return Math.max(
    Math.floor(now() / 1000),
    (newest?.sequence ?? 0) + 1,
    ...listed.map((sequence) => sequence + 1),
  );
}

// Removes what a target no longer needs: releases beyond the newest so many, and files that none of the others has. What a
// replica may still be fetching stays: a release for a time after the next one was published, a file for as long after it came.

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
