// Writes that survive a power cut: the content is on disk before the name is, and the name before we go on.

import { randomUUID } from 'node:crypto';
import {
  closeSync,
  fdatasyncSync,
  fsyncSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { open } from 'node:fs/promises';
import path from 'node:path';
import type { DiskPace } from './disk-pace.ts';

/** No more waits for the disk at once, because whoever else waits for it stands behind, as a service's charges do: a small
 *  sync took twice as long beside pieces of 64 MB, and little longer beside these (docs/decisions/0024-updates.md). */
export const syncBytes = 1 << 22;

export function writeDurable(file: string, content: Uint8Array, pace?: DiskPace): void {
  const descriptor = openSync(file, 'w');
  try {
    for (let done = 0; done < content.byteLength; ) {
      const begunMs = performance.now();
      const written = writeSync(descriptor, content, done, pieceAt(content, done));
      done += written;
      if (done < content.byteLength) fdatasyncSync(descriptor);
      pace?.rest(written, performance.now() - begunMs);
    }
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/** As `writeDurable`, without blocking the thread. */
export async function writeDurableAside(file: string, content: Uint8Array, pace?: DiskPace): Promise<void> {
  const handle = await open(file, 'w');
  try {
    for (let done = 0; done < content.byteLength; ) {
      const begunMs = performance.now();
      const { bytesWritten } = await handle.write(content, done, pieceAt(content, done));
      done += bytesWritten;
      if (done < content.byteLength) await handle.datasync();
      await pace?.restAside(bytesWritten, performance.now() - begunMs);
    }
    await handle.sync();
  } finally {
    await handle.close();
  }
}

const pieceAt = ({ byteLength }: Uint8Array, done: number): number => Math.min(syncBytes, byteLength - done);

const pieceBytes = 1 << 22;

/** Whether the file holds exactly these bytes. */
export async function isContentOf(file: string, content: Uint8Array): Promise<boolean> {
  const handle = await open(file, 'r');
  try {
    const piece = Buffer.allocUnsafe(Math.min(pieceBytes, content.byteLength + 1));
    for (let at = 0; ; ) {
      const { bytesRead } = await handle.read(piece, 0, piece.length, at);
      if (bytesRead === 0) return at === content.byteLength;
      if (!piece.subarray(0, bytesRead).equals(content.subarray(at, at + bytesRead))) return false;
      at += bytesRead;
    }
  } finally {
    await handle.close();
  }
}

/** Readers see the old content or the new, never something between. */
export function replaceDurable(file: string, content: string): void {
  const aside = `${file}.${randomUUID()}`;
  try {
    writeDurable(aside, Buffer.from(content));
    renameSync(aside, file);
  } catch (error) {
    rmSync(aside, { force: true });
    throw error;
  }
  syncFolder(path.dirname(file));
}

/** What a kill left of replacing it. Nobody else may be replacing it now. */
export function removeUnfinished(file: string): void {
  const folder = path.dirname(file);
  const prefix = `${path.basename(file)}.`;
  for (const name of readdirSync(folder)) {
    if (name.startsWith(prefix) && isUuid.test(name.slice(prefix.length)))
      rmSync(path.join(folder, name), { force: true });
  }
}

const isUuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

export function syncFolder(dir: string): void {
  // Windows can neither open nor flush a folder; its file system journals names by itself.
  if (process.platform === 'win32') return;
  const descriptor = openSync(dir, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
