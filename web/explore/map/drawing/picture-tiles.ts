// Map tiles of another maker, where the operator has set some: pictures that are fetched as they are needed and kept while they are
// seen. One that failed is asked for again later.

import { AskAgain, type Failed } from './ask-again.ts';
import { type Camera, type Size, spotOf, worldAt } from './camera.ts';
import type { Steps } from './canvas.ts';
import { worldPixels } from './projection.ts';
import type { TileArchive } from './tile-archive.ts';

type Picture = { readonly kind: 'picture'; readonly image: CanvasImageSource } | { readonly kind: 'none' };
type Zooms = { readonly least: number; readonly most: number };

const mostPictures = 200;
const usualZooms: Zooms = { least: 0, most: 19 };
const pictureWork = 150;
/** Another maker's host is asked less often than our own: what it does not have fails as what it could not send. */
const waits = { firstMs: 1_000, mostMs: 300_000 } as const;
const archiveName = 'archive';

export class PictureTiles {
  readonly #load: (z: number, x: number, y: number) => Promise<Picture | Failed>;
  readonly #archive: Promise<TileArchive> | undefined;
  readonly #asking: AskAgain;
  readonly #onChange: () => void;
  readonly #pictures = new Map<string, Picture>();
  #zooms: Zooms | undefined;
  /** The archive is none that can be shown, however often it is asked for. */
  #isHopeless = false;
  /** Why there are none, for the reader. */
  fault: string | undefined;

  constructor(address: string, onChange: () => void) {
    this.#onChange = onChange;
    this.#asking = new AskAgain(waits, onChange);
    if (!new URL(address, location.href).pathname.endsWith('.pmtiles')) {
      this.#zooms = usualZooms;
      this.#load = (z, x, y) => loadPicture(address, z, x, y);
      return;
    }
    // Fetched only where an operator has set an archive.
    const archive = import('./tile-archive.ts').then((module) => new module.TileArchive(address));
    this.#archive = archive;
    this.#load = async (z, x, y) => readPicture(await archive, z, x, y);
  }

  /** Draws what is there; what is not is asked for, and its part of the next coarser tile stands in for it. */
  *paint(context: CanvasRenderingContext2D, camera: Camera, size: Size): Steps {
    if (this.#zooms === undefined) {
      void this.#open();
      return;
    }
    const { least, most } = this.#zooms;
    const z = Math.min(most, Math.max(least, Math.round(camera.zoom)));
    for (const zoom of z > least ? [z - 1, z] : [z])
      yield* this.#paintZoom(context, camera, size, zoom, zoom === z ? 'ask' : 'leave');
  }

  *#paintZoom(
    context: CanvasRenderingContext2D,
    camera: Camera,
    size: Size,
    z: number,
    missing: 'ask' | 'leave',
  ): Steps {
    const tiles = 2 ** z;
    const side = worldPixels(camera.zoom) / tiles;
    const first = worldAt({ left: 0, top: 0 }, camera, size);
    const last = worldAt({ left: size.width, top: size.height }, camera, size);
    for (let y = Math.floor(first.y * tiles); y <= Math.floor(last.y * tiles); y += 1) {
      for (let x = Math.floor(first.x * tiles); x <= Math.floor(last.x * tiles); x += 1) {
        const known = this.#pictures.get(`${z}/${x}/${y}`);
        if (known === undefined && missing === 'ask') void this.#ask(z, x, y);
        if (known?.kind !== 'picture') continue;
        const { left, top } = spotOf({ x: x / tiles, y: y / tiles }, camera, size);
        // Half a pixel more, so that no seam shines through.
        context.drawImage(known.image, left, top, side + 0.5, side + 0.5);
        yield pictureWork;
      }
    }
  }

  async #open(): Promise<void> {
    const archive = this.#archive;
    // What cannot be shown stays so.
    if (archive === undefined || this.#isHopeless) return;
    const opened = await this.#asking.ask(archiveName, async () => (await archive).open());
    if (opened.kind === 'not now') return;
    this.#isHopeless = opened.kind === 'fault';
    this.fault = opened.kind === 'opened' ? undefined : opened.why;
    if (opened.kind === 'opened') this.#zooms = opened.zooms;
    this.#onChange();
  }

  async #ask(z: number, x: number, y: number): Promise<void> {
    const name = `${z}/${x}/${y}`;
    const asked = await this.#asking.ask(name, () => this.#load(z, x, y));
    if (asked.kind !== 'picture' && asked.kind !== 'none') return;
    this.#pictures.set(name, asked);
    for (const oldest of this.#pictures.keys()) {
      if (this.#pictures.size <= mostPictures) break;
      this.#pictures.delete(oldest);
    }
    if (asked.kind === 'picture') this.#onChange();
  }
}

async function readPicture(archive: TileArchive, z: number, x: number, y: number): Promise<Picture | Failed> {
  const read = await archive.read(z, x, y);
  if (read.kind === 'failed') return read;
  const image =
    read.kind === 'tile' ? await decoded(() => createImageBitmap(new Blob([read.bytes]))) : undefined;
  return image === undefined ? { kind: 'none' } : { kind: 'picture', image };
}

/** A picture of another host does not say why it did not come. */
async function loadPicture(address: string, z: number, x: number, y: number): Promise<Picture | Failed> {
  const image = new Image();
  image.referrerPolicy = 'origin';
  image.src = address.replaceAll('{z}', String(z)).replaceAll('{x}', String(x)).replaceAll('{y}', String(y));
  const loaded = await decoded(async () => {
    await image.decode();
    return image;
  });
  return loaded === undefined
    ? { kind: 'failed', why: 'there was no picture' }
    : { kind: 'picture', image: loaded };
}

/** Undefined for what is no picture. */
async function decoded(decode: () => Promise<CanvasImageSource>): Promise<CanvasImageSource | undefined> {
  try {
    return await decode();
  } catch (fault) {
    if (fault instanceof DOMException) return undefined;
    throw fault;
  }
}
