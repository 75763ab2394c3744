// Keeps a finished picture of the map in sight while the next one is painted beside it, some of it in each frame. While the reader
// moves, the browser only shifts and stretches the finished one, so that a frame costs the same however many points there are.

import { type Camera, fitOf, type Size, spotOf } from './camera.ts';
import type { Inks, Steps } from './canvas.ts';
import { type Motion, Pace } from './pace.ts';
import { type MapContent, paintMap } from './painting.ts';
import { nowhere } from './point-grid.ts';

/** What the reader sees: `size` of the map on the page. */
type View = { readonly camera: Camera; readonly size: Size; readonly motion: Motion };

type Sheet = { readonly canvas: HTMLCanvasElement; readonly context: CanvasRenderingContext2D };
/** `size` is that of the whole picture, beyond what is seen. */
type Picture = { readonly sheet: Sheet; readonly camera: Camera; readonly size: Size };

/** Painted beyond each edge, as a share of the map's own size. */
const margin = 0.5;
/** While the reader moves, the next picture begins before the edge of this one comes into sight, or it looks coarse. */
const leastReserve = 0.25;
const stretches = { least: 0.8, most: 1.5 } as const;

export class Painter {
  readonly #host: HTMLElement;
  readonly #pace = new Pace();
  #front = newSheet();
  #back = newSheet();
  #shown: Picture | undefined;
  #begun: { readonly picture: Picture; readonly steps: Steps } | undefined;
  #isStale = true;

  constructor(host: HTMLElement) {
    this.#host = host;
  }

  /** What is shown has changed. */
  repaint(): void {
    this.#isStale = true;
  }

  remove(): void {
    this.#front.canvas.remove();
  }

  /** Paints as much as this frame has time for, and puts the finished picture where it belongs. A picture that was begun is
   *  finished whatever happens meanwhile, so that something new is seen even while everything changes without end. */
  frame(nowMs: number, view: View, content: () => MapContent): 'done' | 'going on' {
    if (this.#begun === undefined && this.#isDue(view)) this.#begin(view, content());
    if (this.#begun === undefined) this.#pace.rest();
    else if (isFinished(this.#begun.steps, this.#pace.workAt(nowMs, view.motion))) {
      [this.#front, this.#back] = [this.#back, this.#front];
      this.#shown = this.#begun.picture;
      this.#begun = undefined;
    }
    this.#place(view);
    return this.#begun !== undefined || this.#isDue(view) ? 'going on' : 'done';
  }

  #isDue({ camera, size, motion }: View): boolean {
    if (this.#isStale || this.#shown === undefined) return true;
    const { stretch, reserve } = fitOf(this.#shown, { camera, size });
    if (reserve < leastReserve) return true;
    // Words at the edge have to be placed anew wherever it comes to rest.
    if (motion === 'still') return !isSame(this.#shown.camera, camera);
    return stretch < stretches.least || stretch > stretches.most;
  }

  #begin({ camera, size: seen }: View, content: MapContent): void {
    this.#isStale = false;
    const { canvas, context } = this.#back;
    const size = { width: seen.width * (1 + 2 * margin), height: seen.height * (1 + 2 * margin) };
    const ratio = devicePixelRatio;
    const [wide, high] = [Math.round(size.width * ratio), Math.round(size.height * ratio)];
    if (canvas.width !== wide || canvas.height !== high) {
      canvas.width = wide;
      canvas.height = high;
    }
    canvas.style.width = `${size.width}px`;
    canvas.style.height = `${size.height}px`;
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    const [left, top] = [seen.width * margin, seen.height * margin];
    const steps = paintMap(
      {
        context,
        camera,
        size,
        seen: { left, top, right: left + seen.width, bottom: top + seen.height },
        ratio,
        inks: inksOf(this.#host),
      },
      content,
    );
    this.#begun = { picture: { sheet: this.#back, camera, size }, steps };
  }

  #place({ camera, size }: View): void {
    if (this.#shown === undefined) return;
    const { sheet, camera: painted, size: whole } = this.#shown;
    const { stretch } = fitOf(this.#shown, { camera, size });
    const { left, top } = spotOf(painted, camera, size);
    const sharp = (pixels: number) =>
      stretch === 1 ? Math.round(pixels * devicePixelRatio) / devicePixelRatio : pixels;
    const x = sharp(left - (whole.width / 2) * stretch);
    const y = sharp(top - (whole.height / 2) * stretch);
    sheet.canvas.style.transform = `translate(${x}px, ${y}px) scale(${stretch})`;
    if (sheet.canvas.isConnected) return;
    // The picture before this one makes room for it. Before the first there is none: an empty canvas is black.
    if (this.#back.canvas.isConnected) this.#back.canvas.replaceWith(sheet.canvas);
    else this.#host.prepend(sheet.canvas);
  }
}

const isSame = (one: Camera, other: Camera): boolean =>
  one.x === other.x && one.y === other.y && one.zoom === other.zoom;

/** Goes on with the steps for about that much work. */
function isFinished(steps: Steps, work: number): boolean {
  for (let done = 0; done < work; ) {
    const step = steps.next();
    if (step.done === true) return true;
    done += step.value;
  }
  return false;
}

function newSheet(): Sheet {
  const canvas = document.createElement('canvas');
  canvas.setAttribute('aria-hidden', 'true');
  return { canvas, context: canvas.getContext('2d', { alpha: false }) ?? nowhere() };
}

/** Each colour is looked up once a picture. */
function inksOf(host: HTMLElement): Inks {
  const style = getComputedStyle(host);
  const known = new Map<string, string>();
  const colour = (name: string) => {
    const found = known.get(name) ?? style.getPropertyValue(name).trim();
    known.set(name, found);
    return found;
  };
  return { colour, sans: style.getPropertyValue('--sans'), serif: style.getPropertyValue('--serif') };
}
