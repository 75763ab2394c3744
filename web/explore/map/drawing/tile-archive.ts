// Reads the tiles of a PMTiles archive: one file with every tile of a map, of which only the pieces are fetched that are looked at.

import { Compression, PMTiles, ResolvedValueCache, type Source, TileType } from 'pmtiles';
import type { Failed } from './ask-again.ts';

const directoriesKept = 64;
const directoryCodings = [Compression.None, Compression.Gzip];
const pictureKinds = [TileType.Png, TileType.Jpeg, TileType.Webp, TileType.Avif];

type Zooms = { readonly least: number; readonly most: number };

/** `fault`: it will not be better another time. */
type NotOpened = { readonly kind: 'fault'; readonly why: string } | Failed;
type Opened = { readonly kind: 'opened'; readonly zooms: Zooms } | NotOpened;

type ReadTile =
  | { readonly kind: 'tile'; readonly bytes: ArrayBuffer }
  /** The archive has no such tile. */
  | { readonly kind: 'none' }
  | NotOpened;

/** The host does not answer with the piece that was asked for. */
class PieceMissing extends Error {
  override name = 'PieceMissing';
}

export class TileArchive {
  readonly #archive: PMTiles;

  constructor(address: string) {
    // This cache does not keep what failed.
    this.#archive = new PMTiles(piecesOf(address), new ResolvedValueCache(directoriesKept));
  }

  /** The zooms that it has, or why it cannot be shown. */
  async open(): Promise<Opened> {
    try {
      const head = await this.#archive.getHeader();
      if (head.specVersion !== 3) return fault('it is no PMTiles archive of version 3');
      if (!directoryCodings.includes(head.internalCompression))
        return fault('its directories are compressed otherwise than by gzip');
      if (head.tileCompression > Compression.None || !pictureKinds.includes(head.tileType))
        return fault('its tiles are no pictures; archives of shapes (vector tiles) are not supported');
      return { kind: 'opened', zooms: { least: head.minZoom, most: head.maxZoom } };
    } catch (error) {
      return notOpened(error, 'it is no PMTiles archive of version 3, or a damaged one');
    }
  }

  async read(z: number, x: number, y: number): Promise<ReadTile> {
    try {
      const tile = await this.#archive.getZxy(z, x, y);
      return tile === undefined ? { kind: 'none' } : { kind: 'tile', bytes: tile.data };
    } catch (error) {
      return notOpened(error, 'a part of its directory is damaged');
    }
  }
}

const fault = (why: string): NotOpened => ({ kind: 'fault', why });

const notOpened = (error: unknown, why: string): NotOpened =>
  error instanceof PieceMissing ? { kind: 'failed', why: 'it cannot be fetched in parts' } : fault(why);

/** Tiles that are asked for at the same time share the directories that they need. */
function piecesOf(address: string): Source {
  const underWay = new Map<string, Promise<ArrayBuffer>>();
  return {
    getKey: () => address,
    getBytes: async (from, length) => {
      const range = `bytes=${from}-${from + length - 1}`;
      const fetching = underWay.get(range) ?? fetchPiece(address, range);
      underWay.set(range, fetching);
      try {
        return { data: await fetching };
      } finally {
        underWay.delete(range);
      }
    },
  };
}

async function fetchPiece(address: string, range: string): Promise<ArrayBuffer> {
  try {
    const response = await fetch(address, { headers: { range }, credentials: 'omit' });
    if (response.status === 206) return await response.arrayBuffer();
    // A host that sends all of it may send gigabytes.
    await response.body?.cancel();
  } catch (failure) {
    if (!(failure instanceof TypeError)) throw failure;
  }
  throw new PieceMissing('the host did not answer with that piece');
}
