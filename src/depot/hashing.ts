// The hash of a file, read in pieces.

import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import type { Content } from './format.ts';

export async function contentOf(file: string): Promise<Content> {
  const hash = createHash('sha256');
  let bytes = 0;
  for await (const chunk of createReadStream(file, { highWaterMark: 1 << 20 })) {
    hash.update(chunk);
    bytes += chunk.length;
  }
  return { bytes, sha256: hash.digest('hex') };
}

export const textContent = (text: string): Content => ({
  bytes: Buffer.byteLength(text),
  sha256: createHash('sha256').update(text).digest('hex'),
});

export const isSame = (a: Content, b: Content): boolean => a.bytes === b.bytes && a.sha256 === b.sha256;
