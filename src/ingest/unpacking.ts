// Ceilings of what a file may unpack to. A few megabytes can be made to unpack to terabytes; real files of publishers
// unpack to 5 to 40 times their size, and their workbooks to 13 MB.

import { FileRefused } from './refusal.ts';
import { formatCount } from './tally.ts';

/** No method of packing gets here with data; 1,000 is what it makes of zeros. */
const mostTimes = 100;
/** Below it, even an extreme ratio costs nothing. */
const freeBytes = 1 << 24;

const tooManyTimes = (packed: number, unpacked: number): boolean =>
  unpacked > freeBytes && unpacked > mostTimes * packed;

/** Passes chunks on until they are more than `packed` bytes can honestly hold. Throws FileRefused. */
export async function* withinRatio(
  chunks: AsyncIterable<Uint8Array>,
  name: string,
  packed: number,
): AsyncGenerator<Uint8Array> {
  let unpacked = 0;
  for await (const chunk of chunks) {
    unpacked += chunk.byteLength;
    if (tooManyTimes(packed, unpacked)) {
      throw new FileRefused(
        name,
        `unpacks to more than ${mostTimes} times its size. No publisher's file does that; somebody made it to fill the memory. Download it again from its publisher`,
      );
    }
    yield chunk;
  }
}

/** All of it in memory. Throws FileRefused beyond a size that its kind never has. */
export async function wholeOf(
  chunks: AsyncIterable<Uint8Array>,
  name: string,
  mostBytes: number,
): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of chunks) {
    bytes += chunk.byteLength;
    if (bytes > mostBytes) {
      throw new FileRefused(
        name,
        `has more than ${formatCount(mostBytes >> 20)} MB, many times what a file of its kind has. Is it the right file?`,
      );
    }
    parts.push(chunk);
  }
  return Buffer.concat(parts);
}
