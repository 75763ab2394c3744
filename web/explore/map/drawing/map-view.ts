// A map on a canvas. What is seen, and some way around it, is painted once; while the reader moves, the finished picture is only
// shifted and stretched by the browser, so that thousands of points cost no more than one. It is painted anew where its edge comes
// into sight, or the move has ended.

import { type LayerId, type MapLayer, shrinkAt } from '../layer.ts';
import {
  around,
  between,
  type Camera,
  clamped,
  pulled,
  type Size,
  type Spot,
  spotOf,
  worldAt,
  zoomedAt,
} from './camera.ts';
import { followGestures } from './gestures.ts';
import type { Ground } from './ground.ts';
import { LabelRoom } from './labels.ts';
import {
  type Canvas,
  type Inks,
  paintLand,
  paintNames,
  paintParkNames,
  paintStations,
  placeTiles,
} from './paint-ground.ts';
import { type Circle, paintCircle, paintLayer, paintPlace } from './paint-layers.ts';
import type { PictureTiles } from './picture-tiles.ts';
import { nowhere } from './point-grid.ts';
import { metresPerPixel, type World, worldPixels } from './projection.ts';

/** A point of a layer. */
export type Hit = { readonly layer: LayerId; readonly point: number };

type MapWish = {
  readonly place: World;
  /** What is seen at first. */
  readonly radiusMetres: number;
  /** Stays at the point that is pointed to. */
  readonly pin: HTMLElement;
  /** The reader points to something else, or to nothing. */
  readonly onPoint: (hit: Hit | undefined) => void;
  /** What is seen has changed: metres of a pixel. */
  readonly onMoved: (metresPerPixel: number) => void;
  readonly motion: 'usual' | 'reduced';
};

type Glide = { readonly from: Camera; readonly to: Camera; readonly begunMs: number };

/** Painted beyond each edge, as a share of the map's own size. */
const margin = 0.5;
const glideMs = 260;
/** After so long without a move, what was stretched is painted anew. */
const settleMs = 120;
const reaches = { mouse: 6, touch: 18 } as const;

export class MapView {
  readonly #host: HTMLElement;
  readonly #canvas: HTMLCanvasElement;
  readonly #context: CanvasRenderingContext2D;
  readonly #wish: MapWish;
  readonly #stops: (() => void)[] = [];
  #ground: Ground | undefined;
  #pictures: PictureTiles | undefined;
  #layers: readonly MapLayer[] = [];
  #circles: readonly Circle[] = [];
  #size: Size = { width: 0, height: 0 };
  #camera: Camera;
  #painted: Camera | undefined;
  #glide: Glide | undefined;
  #pointed: Hit | undefined;
  #frame = 0;
  #settling = 0;

  constructor(host: HTMLElement, wish: MapWish) {
    this.#host = host;
    this.#wish = wish;
    this.#canvas = document.createElement('canvas');
    this.#canvas.setAttribute('aria-hidden', 'true');
    host.prepend(this.#canvas);
    this.#context = this.#canvas.getContext('2d', { alpha: false }) ?? nowhere();
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

  setGround(ground: Ground, pictures: PictureTiles | undefined): void {
    this.#ground = ground;
    this.#pictures = pictures;
    this.repaint();
  }

  zoomBy(zooms: number, spot: Spot = this.#middle()): void {
    const target = this.#target();
    this.#glideTo(zoomedAt(target, Math.round(4 * (target.zoom + zooms)) / 4, spot, this.#size));
  }

  /** Back to the place and its circle. */
  home(): void {
    this.#glideTo(around(this.#wish.place, this.#wish.radiusMetres, this.#size));
  }

  /** Brings a point into sight and points to it. */
  show(hit: Hit): void {
    const at = this.#worldOf(hit);
    if (at === undefined) return;
    const { left, top } = spotOf(at, this.#camera, this.#size);
    const isInSight = left > 40 && top > 90 && left < this.#size.width - 40 && top < this.#size.height - 40;
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
    this.#canvas.remove();
  }

  repaint(): void {
    this.#painted = undefined;
    this.#draw();
  }

  #middle(): Spot {
    return { left: this.#size.width / 2, top: this.#size.height / 2 };
  }

  #resize(): void {
    const { clientWidth: width, clientHeight: height } = this.#host;
    if (width === 0 || (width === this.#size.width && height === this.#size.height)) return;
    const isFirst = this.#size.width === 0;
    this.#size = { width, height };
    if (isFirst) this.#camera = around(this.#wish.place, this.#wish.radiusMetres, this.#size);
    this.repaint();
  }

  #target(): Camera {
    return this.#glide?.to ?? this.#camera;
  }

  #moveTo(camera: Camera): void {
    this.#glide = undefined;
    this.#camera = camera;
    this.#draw();
  }

  #glideTo(to: Camera): void {
    if (this.#wish.motion === 'reduced') {
      this.#moveTo(to);
      return;
    }
    this.#glide = { from: this.#camera, to, begunMs: performance.now() };
    this.#draw();
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
      else this.#draw();
    }
    if (this.#painted === undefined || !this.#covers(this.#painted)) this.#paint();
    else if (this.#painted.zoom !== this.#camera.zoom) this.#settleLater();
    this.#shift();
    this.#movePin();
    this.#wish.onMoved(metresPerPixel(this.#camera.y, this.#camera.zoom));
  }

  /** Whether what was painted reaches to every edge, and is not stretched out of shape. */
  #covers(painted: Camera): boolean {
    const stretch = 2 ** (this.#camera.zoom - painted.zoom);
    if (stretch > 2 || stretch < 0.6) return false;
    const scale = worldPixels(this.#camera.zoom);
    const reach = (1 + 2 * margin) * stretch;
    const right = Math.abs((painted.x - this.#camera.x) * scale);
    const down = Math.abs((painted.y - this.#camera.y) * scale);
    return (
      right <= ((reach - 1) * this.#size.width) / 2 + 0.5 &&
      down <= ((reach - 1) * this.#size.height) / 2 + 0.5
    );
  }

  #settleLater(): void {
    clearTimeout(this.#settling);
    this.#settling = setTimeout(() => {
      if (this.#glide === undefined && this.#painted?.zoom !== this.#camera.zoom) this.repaint();
    }, settleMs);
  }

  /** Puts the finished picture where it belongs now. */
  #shift(): void {
    const painted = this.#painted ?? nowhere();
    const stretch = 2 ** (this.#camera.zoom - painted.zoom);
    const { left, top } = spotOf(painted, this.#camera, this.#size);
    const whole = (pixels: number) =>
      stretch === 1 ? Math.round(pixels * devicePixelRatio) / devicePixelRatio : pixels;
    const x = whole(left - (0.5 + margin) * this.#size.width * stretch);
    const y = whole(top - (0.5 + margin) * this.#size.height * stretch);
    this.#canvas.style.transform = `translate(${x}px, ${y}px) scale(${stretch})`;
  }

  #paint(): void {
    const size = {
      width: this.#size.width * (1 + 2 * margin),
      height: this.#size.height * (1 + 2 * margin),
    };
    const ratio = devicePixelRatio;
    const [wide, high] = [Math.round(size.width * ratio), Math.round(size.height * ratio)];
    if (this.#canvas.width !== wide || this.#canvas.height !== high) {
      this.#canvas.width = wide;
      this.#canvas.height = high;
      this.#canvas.style.width = `${size.width}px`;
      this.#canvas.style.height = `${size.height}px`;
    }
    const context = this.#context;
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    const canvas: Canvas = { context, camera: this.#camera, size, inks: inksOf(this.#host) };
    context.fillStyle = canvas.inks.colour('--map-paper');
    context.fillRect(0, 0, size.width, size.height);
    const room = new LabelRoom();
    const placed = placeTiles(this.#ground?.seen(this.#camera, size) ?? [], canvas);
    const isPictured = this.#pictures !== undefined && this.#pictures.fault === undefined;
    paintLand(canvas, placed);
    if (isPictured) this.#pictures?.paint(context, this.#camera, size);
    for (const circle of this.#circles) paintCircle(canvas, this.#wish.place, circle);
    for (const layer of this.#layers) paintLayer(canvas, layer);
    if (!isPictured) {
      const middle = spotOf(this.#wish.place, this.#camera, size);
      room.take(middle.left, middle.top, 20, 20);
      paintStations(canvas, placed, room);
      paintNames(canvas, placed, room);
      paintParkNames(canvas, placed, room);
    }
    paintPlace(canvas, this.#wish.place);
    this.#painted = this.#camera;
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
    pin.hidden = at === undefined;
    if (at === undefined) return;
    const { left, top } = spotOf(at, this.#camera, this.#size);
    pin.style.transform = `translate(${Math.round(left)}px, ${Math.round(top)}px)`;
    // Words stand where there is room.
    pin.dataset.side = left > this.#size.width / 2 ? 'left' : 'right';
    pin.dataset.height = top < this.#size.height / 3 ? 'below' : 'above';
  }

  /** The topmost point there; of those of a layer the nearest. */
  #hitAt(spot: Spot, reach: number): Hit | undefined {
    const at = worldAt(spot, this.#camera, this.#size);
    const scale = worldPixels(this.#camera.zoom);
    const shrink = shrinkAt(this.#camera.zoom);
    for (const layer of this.#layers.toReversed()) {
      const far = (layer.largest + reach) / scale;
      let nearest: number | undefined;
      let nearestBy = 0;
      layer.grid.eachIn(
        { west: at.x - far, east: at.x + far, north: at.y - far, south: at.y + far },
        (point) => {
          const pixels =
            scale * Math.hypot((layer.xs[point] ?? nowhere()) - at.x, (layer.ys[point] ?? nowhere()) - at.y);
          const by = pixels - shrink * (layer.radii[point] ?? nowhere());
          if (by > reach || (nearest !== undefined && by >= nearestBy)) return;
          nearest = point;
          nearestBy = by;
        },
      );
      if (nearest !== undefined) return { layer: layer.id, point: nearest };
    }
    return undefined;
  }
}

/** Each colour is looked up once a painting. */
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
