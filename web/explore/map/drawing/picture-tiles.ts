// Map tiles of another maker, where the operator has set some: pictures that are fetched as they are needed and kept while they are
// seen.

import { type Camera, type Size, spotOf, worldAt } from './camera.ts';
import type { Steps } from './canvas.ts';
import { worldPixels } from './projection.ts';
import { TileArchive } from './tile-archive.ts';

type Picture = { readonly image: CanvasImageSource } | 'asked' | 'none';

const mostPictures = 200;
const usualZooms = { least: 0, most: 19 };
const pictureWork = 150;

export class PictureTiles {
  readonly #load: (z: number, x: number, y: number) => Promise<CanvasImageSource | undefined>;
  readonly #onChange: () => void;
  readonly #pictures = new Map<string, Picture>();
  #zooms: typeof usualZooms | undefined;
  /** Why there are none, for the reader. */
  fault: string | undefined;

  constructor(address: string, onChange: () => void) {
    this.#onChange = onChange;
    if (!new URL(address, location.href).pathname.endsWith('.pmtiles')) {
      this.#zooms = usualZooms;
      this.#load = (z, x, y) => loadPicture(address, z, x, y);
      return;
    }
    const archive = new TileArchive(address);
    this.#load = async (z, x, y) => {
      const bytes = await archive.read(z, x, y);
      return bytes === undefined ? undefined : decoded(() => createImageBitmap(new Blob([bytes])));
    };
    void archive.open().then((opened) => {
      if (opened.kind === 'fault') this.fault = opened.why;
      else this.#zooms = opened.zooms;
      onChange();
    });
  }

  /** Draws what is there; what is not is asked for, and its part of the next coarser tile stands in for it. */
  *paint(context: CanvasRenderingContext2D, camera: Camera, size: Size): Steps {
    if (this.#zooms === undefined) return;
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
        if (typeof known !== 'object') continue;
        const { left, top } = spotOf({ x: x / tiles, y: y / tiles }, camera, size);
        // Half a pixel more, so that no seam shines through.
        context.drawImage(known.image, left, top, side + 0.5, side + 0.5);
        yield pictureWork;
      }
    }
  }

  async #ask(z: number, x: number, y: number): Promise<void> {
    const name = `${z}/${x}/${y}`;
    this.#pictures.set(name, 'asked');
    const image = await this.#load(z, x, y);
    this.#pictures.set(name, image === undefined ? 'none' : { image });
    for (const oldest of this.#pictures.keys()) {
      if (this.#pictures.size <= mostPictures) break;
      this.#pictures.delete(oldest);
    }
    if (image !== undefined) this.#onChange();
  }
}

/** Undefined where the host has none. */
async function loadPicture(
  address: string,
  z: number,
  x: number,
  y: number,
): Promise<CanvasImageSource | undefined> {
  const image = new Image();
  image.referrerPolicy = 'origin';
  image.src = address.replaceAll('{z}', String(z)).replaceAll('{x}', String(x)).replaceAll('{y}', String(y));
  return decoded(async () => {
    await image.decode();
    return image;
  });
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
