// A map that the reader moves: where it looks, what lies on it, and what is pointed to. The painter paints it.

import type { MapLayer } from '../layer.ts';
import {
  around,
  between,
  type Camera,
  clamped,
  pulled,
  type Rectangle,
  type Size,
  type Spot,
  spotOf,
  worldAt,
  zoomedAt,
} from './camera.ts';
import { followGestures } from './gestures.ts';
import type { Ground } from './ground.ts';
import { type Hit, hitAt } from './hit.ts';
import type { Motion } from './pace.ts';
import type { Circle } from './paint-layers.ts';
import { Painter } from './painter.ts';
import type { MapContent } from './painting.ts';
import type { PictureTiles } from './picture-tiles.ts';
import { metresPerPixel, type World } from './projection.ts';

type MapWish = {
  readonly place: World;
  /** What is seen at first. */
  readonly radiusMetres: number;
  /** Stays at the point that is pointed to. */
  readonly pin: HTMLElement;
  /** Each of its children lies over the map. */
  readonly over: HTMLElement;
  /** The reader points to something else, or to nothing. */
  readonly onPoint: (hit: Hit | undefined) => void;
  /** What is seen has changed: metres of a pixel. */
  readonly onMoved: (metresPerPixel: number) => void;
  /** The wheel scrolled the page instead of zooming. */
  readonly onScrolledPast: () => void;
  readonly motion: 'usual' | 'reduced';
};

type Glide = { readonly from: Camera; readonly to: Camera; readonly begunMs: number };

const glideMs = 260;
/** After so long without a move the map is still. */
const settleMs = 120;
const reaches = { mouse: 6, touch: 18 } as const;

export class MapView {
  readonly #host: HTMLElement;
  readonly #painter: Painter;
  readonly #wish: MapWish;
  readonly #stops: (() => void)[] = [];
  #ground: Ground | undefined;
  #pictures: PictureTiles | undefined;
  #layers: readonly MapLayer[] = [];
  #circles: readonly Circle[] = [];
  #stations: MapContent['stations'] = 'left out';
  #size: Size = { width: 0, height: 0 };
  #camera: Camera;
  #motion: Motion = 'still';
  #glide: Glide | undefined;
  #pointed: Hit | undefined;
  /** Nobody has moved it from there. */
  #isHome = true;
  #frame = 0;
  #settling = 0;

  constructor(host: HTMLElement, wish: MapWish) {
    this.#host = host;
    this.#wish = wish;
    this.#painter = new Painter(host);
    this.#camera = { ...wish.place, zoom: 15 };
    const sizes = new ResizeObserver(() => this.#resize());
    sizes.observe(host);
    const dark = matchMedia('(prefers-color-scheme: dark)');
    const repaint = () => this.repaint();
    dark.addEventListener('change', repaint);
    this.#stops.push(
      () => sizes.disconnect(),
      () => dark.removeEventListener('change', repaint),
      followGestures(host, {
        pull: (right, down) => this.#moveTo(pulled(this.#camera, right, down)),
        zoomAt: (zooms, spot) =>
          this.#moveTo(zoomedAt(this.#camera, this.#camera.zoom + zooms, spot, this.#size)),
        glideAt: (zooms, spot) => this.zoomBy(zooms, spot),
        glideBy: (right, down) => this.#glideTo(pulled(this.#target(), right, down)),
        home: () => this.home(),
        hover: (spot) => this.#pointTo(spot === undefined ? undefined : this.#hitAt(spot, reaches.mouse)),
        tap: (spot, by) => {
          host.focus({ preventScroll: true });
          this.#pointTo(this.#hitAt(spot, by === 'mouse' ? reaches.mouse : reaches.touch));
        },
        escape: () => this.#pointTo(undefined),
        scrolledPast: wish.onScrolledPast,
        middle: () => this.#middle(),
      }),
    );
    this.#resize();
  }

  /** From the lowest to the topmost. */
  setLayers(layers: readonly MapLayer[], circles: readonly Circle[]): void {
    this.#layers = layers;
    this.#circles = circles;
    const pointed = this.#pointed;
    if (pointed !== undefined && !layers.some(({ id }) => id === pointed.layer)) this.#pointTo(undefined);
    this.repaint();
  }

  setGround(ground: Ground, pictures: PictureTiles | undefined, stations: MapContent['stations']): void {
    this.#ground = ground;
    this.#pictures = pictures;
    this.#stations = stations;
    this.repaint();
  }

  zoomBy(zooms: number, spot: Spot = this.#middle()): void {
    const target = this.#target();
    this.#glideTo(zoomedAt(target, Math.round(4 * (target.zoom + zooms)) / 4, spot, this.#size));
  }

  /** Back to the place and its circle. */
  home(): void {
    this.#glideTo(this.#homeCamera());
    this.#isHome = true;
  }

  /** Brings a point into sight and points to it. */
  show(hit: Hit): void {
    const at = this.#worldOf(hit);
    if (at === undefined) return;
    const { left, top } = spotOf(at, this.#camera, this.#size);
    const isInSight = left > 40 && top > 90 && left < this.#size.width - 40 && top < this.#size.height - 64;
    if (!isInSight) this.#glideTo(clamped({ ...at, zoom: Math.max(15, this.#camera.zoom) }));
    this.#pointTo(hit);
  }

  /** How many points of a layer are in sight. */
  countInSight(layer: MapLayer): number {
    const first = worldAt({ left: 0, top: 0 }, this.#camera, this.#size);
    const last = worldAt({ left: this.#size.width, top: this.#size.height }, this.#camera, this.#size);
    let count = 0;
    layer.grid.eachIn({ west: first.x, north: first.y, east: last.x, south: last.y }, () => {
      count += 1;
    });
    return count;
  }

  remove(): void {
    for (const stop of this.#stops) stop();
    cancelAnimationFrame(this.#frame);
    clearTimeout(this.#settling);
    this.#painter.remove();
  }

  repaint(): void {
    this.#painter.repaint();
    this.#draw();
  }

  #middle(): Spot {
    return { left: this.#size.width / 2, top: this.#size.height / 2 };
  }

  #resize(): void {
    const { clientWidth: width, clientHeight: height } = this.#host;
    if (width === 0 || (width === this.#size.width && height === this.#size.height)) return;
    this.#size = { width, height };
    if (this.#isHome) {
      this.#glide = undefined;
      this.#camera = this.#homeCamera();
    }
    this.repaint();
  }

  #homeCamera(): Camera {
    return around(this.#wish.place, this.#wish.radiusMetres, this.#size, this.#over());
  }

  #over(): readonly Rectangle[] {
    return [...this.#wish.over.children]
      .filter((each) => each instanceof HTMLElement)
      .filter(({ offsetWidth }) => offsetWidth > 0)
      .map(({ offsetLeft: left, offsetTop: top, offsetWidth, offsetHeight }) => ({
        left,
        top,
        right: left + offsetWidth,
        bottom: top + offsetHeight,
      }));
  }

  #target(): Camera {
    return this.#glide?.to ?? this.#camera;
  }

  #moveTo(camera: Camera): void {
    this.#glide = undefined;
    this.#camera = camera;
    this.#isHome = false;
    this.#move();
  }

  #glideTo(to: Camera): void {
    if (this.#wish.motion === 'reduced') {
      this.#moveTo(to);
      return;
    }
    this.#glide = { from: this.#camera, to, begunMs: performance.now() };
    this.#isHome = false;
    this.#move();
  }

  #draw(): void {
    if (this.#frame !== 0) return;
    this.#frame = requestAnimationFrame((nowMs) => {
      this.#frame = 0;
      this.#drawFrame(nowMs);
    });
  }

  #drawFrame(nowMs: number): void {
    if (this.#size.width === 0) return;
    const glide = this.#glide;
    if (glide !== undefined) {
      const share = (nowMs - glide.begunMs) / glideMs;
      this.#camera = share >= 1 ? glide.to : between(glide.from, glide.to, share);
      if (share >= 1) this.#glide = undefined;
      else this.#move();
    }
    const { place } = this.#wish;
    const left = this.#painter.frame(
      nowMs,
      { camera: this.#camera, size: this.#size, motion: this.#motion },
      () => ({
        place,
        ground: this.#ground,
        pictures: this.#pictures,
        layers: this.#layers,
        circles: this.#circles,
        stations: this.#stations,
        over: this.#over(),
      }),
    );
    if (left === 'going on') this.#draw();
    this.#movePin();
    this.#wish.onMoved(metresPerPixel(this.#camera.y, this.#camera.zoom));
  }

  /** Draws the next frame of a move; when none follows, the map is still, and what was stretched is painted anew. */
  #move(): void {
    this.#motion = 'moving';
    clearTimeout(this.#settling);
    this.#settling = window.setTimeout(() => {
      this.#motion = 'still';
      this.#draw();
    }, settleMs);
    this.#draw();
  }

  #worldOf({ layer, point }: Hit): World | undefined {
    const found = this.#layers.find(({ id }) => id === layer);
    const x = found?.xs[point];
    const y = found?.ys[point];
    return x === undefined || y === undefined ? undefined : { x, y };
  }

  #pointTo(hit: Hit | undefined): void {
    if (hit?.layer === this.#pointed?.layer && hit?.point === this.#pointed?.point) return;
    this.#pointed = hit;
    this.#movePin();
    this.#wish.onPoint(hit);
  }

  #movePin(): void {
    const at = this.#pointed === undefined ? undefined : this.#worldOf(this.#pointed);
    const { pin } = this.#wish;
    // What is said again is worked out again.
    if (pin.hidden !== (at === undefined)) pin.hidden = at === undefined;
    if (at === undefined) return;
    const { left, top } = spotOf(at, this.#camera, this.#size);
    pin.style.transform = `translate(${Math.round(left)}px, ${Math.round(top)}px)`;
    // Words stand where there is room.
    pin.dataset.side = left > this.#size.width / 2 ? 'left' : 'right';
    pin.dataset.height = top < this.#size.height / 3 ? 'below' : 'above';
  }

  #hitAt(spot: Spot, reach: number): Hit | undefined {
    return hitAt(this.#layers, spot, reach, this.#camera, this.#size);
  }
}
