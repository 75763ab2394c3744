// Reads PMTiles (version 3): one file with every tile of a map and a directory of them, of which only the pieces are fetched that
// are looked at. The format: https://github.com/protomaps/PMTiles/blob/main/spec/v3/spec.md.

import type { Failed } from './ask-again.ts';
import { nowhere } from './point-grid.ts';

const headerBytes = 127;
/** The specification keeps header and first directory within it. */
const firstBytes = 16_384;
const deepest = 4;
const directoriesKept = 64;

const codings = { plain: 1, gzip: 2 } as const;
/** Kinds of tiles: 2 to 5 are pictures (PNG, JPEG, WebP, AVIF). */
const pictureKinds = [2, 3, 4, 5];

type Head = {
  readonly leavesAt: number;
  readonly tilesAt: number;
  readonly coding: number;
  readonly zooms: { readonly least: number; readonly most: number };
  readonly root: Directory;
};

type Directory = {
  readonly ids: Float64Array;
  readonly runs: Float64Array;
  readonly lengths: Float64Array;
  readonly offsets: Float64Array;
};

/** `fault`: it will not be better another time. */
type NotOpened = { readonly kind: 'fault'; readonly why: string } | Failed;
type Opened = { readonly kind: 'opened'; readonly head: Head } | NotOpened;

const fault = (why: string): NotOpened => ({ kind: 'fault', why });
const failed = (why: string): Failed => ({ kind: 'failed', why });
const notInParts = failed('it cannot be fetched in parts');

type ReadTile =
  | { readonly kind: 'tile'; readonly bytes: Uint8Array<ArrayBuffer> }
  /** The archive has no such tile. */
  | { readonly kind: 'none' }
  | NotOpened;

export class TileArchive {
  readonly #address: string;
  #opening: Promise<Opened> | undefined;
  readonly #leaves = new Map<number, Promise<Directory | undefined>>();

  constructor(address: string) {
    this.#address = address;
  }

  /** The zooms that it has, or why it cannot be shown. */
  async open(): Promise<{ readonly kind: 'opened'; readonly zooms: Head['zooms'] } | NotOpened> {
    const opened = await this.#open();
    return opened.kind === 'opened' ? { kind: 'opened', zooms: opened.head.zooms } : opened;
  }

  async read(z: number, x: number, y: number): Promise<ReadTile> {
    const opened = await this.#open();
    if (opened.kind !== 'opened') return opened;
    const { head } = opened;
    const wanted = tileNumber(z, x, y);
    let directory = head.root;
    for (let depth = 0; depth < deepest; depth += 1) {
      const at = lastNotAfter(directory.ids, wanted);
      if (at === -1) return { kind: 'none' };
      const run = directory.runs[at] ?? nowhere();
      const offset = directory.offsets[at] ?? nowhere();
      const length = directory.lengths[at] ?? nowhere();
      if (run > 0) {
        const isIn = wanted - (directory.ids[at] ?? nowhere()) < run;
        if (!isIn) return { kind: 'none' };
        const bytes = await fetchPiece(this.#address, head.tilesAt + offset, length);
        return bytes === undefined ? notInParts : { kind: 'tile', bytes };
      }
      const leaf = await this.#leaf(head, offset, length);
      if (leaf === undefined) return failed('a part of its directory did not come');
      directory = leaf;
    }
    return { kind: 'none' };
  }

  async #open(): Promise<Opened> {
    this.#opening ??= this.#readHead();
    const opened = await this.#opening;
    // The next one asks again.
    if (opened.kind === 'failed') this.#opening = undefined;
    return opened;
  }

  async #readHead(): Promise<Opened> {
    const bytes = await fetchPiece(this.#address, 0, firstBytes);
    if (bytes === undefined) return notInParts;
    if (bytes.length < headerBytes) return fault('it is too short for a PMTiles archive');
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    if (new TextDecoder().decode(bytes.subarray(0, 7)) !== 'PMTiles' || view.getUint8(7) !== 3)
      return fault('it is no PMTiles archive of version 3');
    const number = (at: number) => Number(view.getBigUint64(at, true));
    const coding = view.getUint8(97);
    if (coding !== codings.plain && coding !== codings.gzip)
      return fault('its directories are compressed otherwise than by gzip');
    if (view.getUint8(98) > codings.plain || !pictureKinds.includes(view.getUint8(99)))
      return fault('its tiles are no pictures; archives of shapes (vector tiles) are not supported');
    const [rootAt, rootLength] = [number(8), number(16)];
    const inFirst =
      rootAt + rootLength <= bytes.length ? bytes.subarray(rootAt, rootAt + rootLength) : undefined;
    const packed = inFirst ?? (await fetchPiece(this.#address, rootAt, rootLength));
    if (packed === undefined) return notInParts;
    const root = await readDirectory(packed, coding);
    if (root === undefined) return fault('its directory is damaged');
    const zooms = { least: view.getUint8(100), most: view.getUint8(101) };
    return { kind: 'opened', head: { leavesAt: number(40), tilesAt: number(56), coding, zooms, root } };
  }

  async #leaf({ leavesAt, coding }: Head, offset: number, length: number): Promise<Directory | undefined> {
    const known = this.#leaves.get(offset);
    if (known !== undefined) return known;
    const reading = fetchPiece(this.#address, leavesAt + offset, length).then((bytes) =>
      bytes === undefined ? undefined : readDirectory(bytes, coding),
    );
    this.#leaves.set(offset, reading);
    for (const oldest of this.#leaves.keys()) {
      if (this.#leaves.size <= directoriesKept) break;
      this.#leaves.delete(oldest);
    }
    const read = await reading;
    if (read === undefined) this.#leaves.delete(offset);
    return read;
  }
}

/** Undefined where the host does not answer with that piece. */
async function fetchPiece(
  address: string,
  from: number,
  length: number,
): Promise<Uint8Array<ArrayBuffer> | undefined> {
  try {
    const range = `bytes=${from}-${from + length - 1}`;
    const response = await fetch(address, { headers: { range }, credentials: 'omit' });
    if (response.status === 206) return new Uint8Array(await response.arrayBuffer());
    // A host that sends all of it may send gigabytes.
    await response.body?.cancel();
    return undefined;
  } catch (failure) {
    if (failure instanceof TypeError) return undefined;
    throw failure;
  }
}

async function readDirectory(
  packed: Uint8Array<ArrayBuffer>,
  coding: number,
): Promise<Directory | undefined> {
  try {
    const bytes = coding === codings.gzip ? await unzipped(packed) : packed;
    return parseDirectory(bytes);
  } catch (failure) {
    // Of the decompressor, and of a directory that ends too early.
    if (failure instanceof TypeError || failure instanceof RangeError) return undefined;
    throw failure;
  }
}

async function unzipped(bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array> {
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

/** Throws RangeError where it ends too early. */
function parseDirectory(bytes: Uint8Array): Directory {
  let at = 0;
  const next = () => {
    let [value, factor] = [0, 1];
    for (;;) {
      const byte = bytes[at] ?? nowhere();
      at += 1;
      value += (byte & 127) * factor;
      if (byte < 128) return value;
      factor *= 128;
    }
  };
  const count = next();
  if (count > bytes.length) nowhere();
  const column = (read: (before: number, index: number) => number) => {
    const values = new Float64Array(count);
    for (let index = 0; index < count; index += 1)
      values[index] = read(index === 0 ? 0 : (values[index - 1] ?? nowhere()), index);
    return values;
  };
  const ids = column((before) => before + next());
  const runs = column(next);
  const lengths = column(next);
  // 0: right behind the one before it.
  const offsets = column((before, index) => {
    const told = next();
    return told === 0 && index > 0 ? before + (lengths[index - 1] ?? nowhere()) : told - 1;
  });
  return { ids, runs, lengths, offsets };
}

function lastNotAfter(ids: Float64Array, wanted: number): number {
  let [low, high] = [0, ids.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((ids[middle] ?? nowhere()) <= wanted) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

/** Tiles are numbered zoom after zoom, within a zoom along a curve of Hilbert. */
export function tileNumber(z: number, x: number, y: number): number {
  let number = (4 ** z - 1) / 3;
  let [column, row] = [x, y];
  for (let side = 2 ** (z - 1); side >= 1; side /= 2) {
    const [right, lower] = [(column & side) > 0 ? 1 : 0, (row & side) > 0 ? 1 : 0];
    number += side * side * ((3 * right) ^ lower);
    if (lower === 1) continue;
    if (right === 1) [column, row] = [side - 1 - column, side - 1 - row];
    [column, row] = [row, column];
  }
  return number;
}
