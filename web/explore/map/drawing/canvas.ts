// What everything that paints is given, and how it tells how much it has done.

import type { Camera, Rectangle, Size } from './camera.ts';

/** Colours and letters of the page. */
export type Inks = {
  readonly colour: (name: string) => string;
  readonly sans: string;
  readonly serif: string;
};

export type Canvas = {
  readonly context: CanvasRenderingContext2D;
  readonly camera: Camera;
  /** Of the whole canvas, beyond what is seen. */
  readonly size: Size;
  /** The part of it that is seen. */
  readonly seen: Rectangle;
  /** Pixels of the screen for each of the page. */
  readonly ratio: number;
  readonly inks: Inks;
};

/** Painting in small steps, so that it can go on in a later frame. Each step tells its work: about microseconds on a desk. */
export type Steps = Generator<number, void, void>;
