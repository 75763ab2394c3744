// A sign as small finished pictures, one for each size that occurs. To copy one costs a phone far less than to outline and fill a
// shape, and thousands of copies that overlap cost no more than thousands that do not.

import type { Tone } from '../layer.ts';
import { nowhere } from './point-grid.ts';

type Sign = {
  readonly shape: Tone['shape'];
  readonly fill: string;
  readonly opacity: number;
  readonly edge?: { readonly colour: string; readonly pixels: number };
  readonly letter?: { readonly text: string; readonly font: string; readonly colour: string };
};

type Stamp = {
  readonly picture: ImageBitmap;
  /** Pixels of the screen from its corner to its middle. */
  readonly half: number;
  readonly work: number;
};

const pixelsAWork = 2_000;

export class Stamps {
  readonly #sign: Sign;
  readonly #ratio: number;
  /** By the radius in half pixels of the screen. */
  readonly #bySize: (Stamp | undefined)[] = [];

  constructor(sign: Sign, ratio: number) {
    this.#sign = sign;
    this.#ratio = ratio;
  }

  /** Copies the sign to that spot, on whole pixels of the screen, so that it stays sharp; the context has to count in those. Returns
   *  how much work it was. */
  put(context: CanvasRenderingContext2D, left: number, top: number, radius: number): number {
    const size = Math.max(2, Math.round(2 * radius * this.#ratio));
    const { picture, half, work } = this.#bySize[size] ?? this.#make(size);
    context.drawImage(picture, Math.round(left * this.#ratio) - half, Math.round(top * this.#ratio) - half);
    return work;
  }

  #make(size: number): Stamp {
    const { shape, fill, opacity, edge, letter } = this.#sign;
    const half = Math.ceil(size / 2 + ((edge?.pixels ?? 0) * this.#ratio) / 2) + 1;
    const sheet = new OffscreenCanvas(2 * half, 2 * half);
    const context = sheet.getContext('2d') ?? nowhere();
    context.translate(half, half);
    context.scale(this.#ratio, this.#ratio);
    context.beginPath();
    outlines[shape](context, size / 2 / this.#ratio);
    context.globalAlpha = opacity;
    context.fillStyle = fill;
    context.fill();
    context.globalAlpha = 1;
    if (edge !== undefined) {
      context.strokeStyle = edge.colour;
      context.lineWidth = edge.pixels;
      context.stroke();
    }
    if (letter !== undefined) {
      context.font = letter.font;
      context.textAlign = 'center';
      context.textBaseline = 'middle';
      context.fillStyle = letter.colour;
      context.fillText(letter.text, 0, 0.5);
    }
    const stamp = { picture: sheet.transferToImageBitmap(), half, work: 1 + (2 * half) ** 2 / pixelsAWork };
    this.#bySize[size] = stamp;
    return stamp;
  }
}

/** Around the middle. */
type Outline = (context: OffscreenCanvasRenderingContext2D, radius: number) => void;

const disc: Outline = (context, radius) => context.arc(0, 0, radius, 0, 2 * Math.PI);

const outlines: Readonly<Record<Tone['shape'], Outline>> = {
  disc,
  ring: disc,
  square: (context, radius) => context.rect(-radius, -radius, 2 * radius, 2 * radius),
  diamond: (context, radius) => {
    context.moveTo(0, -radius);
    context.lineTo(radius, 0);
    context.lineTo(0, radius);
    context.lineTo(-radius, 0);
    context.closePath();
  },
  leaf: (context, radius) => {
    context.moveTo(0, -radius);
    context.lineTo(radius, radius * 0.8);
    context.lineTo(-radius, radius * 0.8);
    context.closePath();
  },
};
