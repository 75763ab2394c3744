// The map itself as a component: the canvas with its buttons, its scale, and the words of what is pointed to.

import { useEffect, useRef, useState } from 'preact/hooks';
import { countText } from '../../formats.ts';
import { isTouched } from '../../touch.ts';
import type { Ground } from './drawing/ground.ts';
import type { Hit } from './drawing/hit.ts';
import { MapView } from './drawing/map-view.ts';
import type { Circle } from './drawing/paint-layers.ts';
import type { PictureTiles } from './drawing/picture-tiles.ts';
import { toWorld } from './drawing/projection.ts';
import type { LayerId, MapLayer } from './layer.ts';

type MapCanvasWish = {
  /** Of the place in the middle. */
  readonly title: string;
  readonly latitude: number;
  readonly longitude: number;
  readonly radiusMetres: number;
  readonly layers: readonly MapLayer[];
  readonly circles: readonly Circle[];
  readonly titles: Readonly<Record<LayerId, string>>;
  /** Whether stations of the ground are drawn. */
  readonly stations: 'shown' | 'left out';
  readonly ground: Ground;
  readonly pictures: PictureTiles | undefined;
  /** For lists that show a point on the map. */
  readonly view: { current: MapView | undefined };
};

/** How long nothing has moved before it is read out what is in sight. */
const quietMs = 700;

export function MapCanvas(wish: MapCanvasWish) {
  const { title, latitude, longitude, radiusMetres, layers, circles, stations, ground, pictures, view } =
    wish;
  const host = useRef<HTMLDivElement>(null);
  const pin = useRef<HTMLDivElement>(null);
  const over = useRef<HTMLDivElement>(null);
  const shown = useRef(layers);
  const [hit, setHit] = useState<Hit | undefined>(undefined);
  const [scale, setScale] = useState<number | undefined>(undefined);
  const [inSight, setInSight] = useState('');
  const [hint, setHint] = useState<'not yet' | 'shown' | 'was shown'>('not yet');
  shown.current = layers;
  useEffect(() => {
    if (host.current === null || pin.current === null || over.current === null) return;
    const place = host.current;
    let quiet = 0;
    const made = new MapView(place, {
      place: toWorld(latitude, longitude),
      radiusMetres,
      pin: pin.current,
      over: over.current,
      motion: matchMedia('(prefers-reduced-motion: reduce)').matches ? 'reduced' : 'usual',
      onPoint: setHit,
      onScrolledPast: () => setHint((now) => (now === 'not yet' ? 'shown' : now)),
      onMoved: (metres) => {
        setScale(inSteps(metres));
        clearTimeout(quiet);
        quiet = window.setTimeout(() => {
          if (document.activeElement !== place) return;
          setInSight(
            shown.current
              .map(
                (layer) =>
                  `${wish.titles[layer.id]}: ${countText(made.countInSight(layer), 'point')} in sight`,
              )
              .join('. '),
          );
        }, quietMs);
      },
    });
    view.current = made;
    return () => {
      clearTimeout(quiet);
      made.remove();
      view.current = undefined;
    };
  }, [latitude, longitude, radiusMetres]);
  useEffect(() => view.current?.setLayers(layers, circles), [layers, circles, latitude, longitude]);
  useEffect(
    () => view.current?.setGround(ground, pictures, stations),
    [ground, pictures, stations, latitude, longitude],
  );
  const pointed = layers.find(({ id }) => id === hit?.layer);
  const facts =
    hit === undefined || pointed === undefined || hit.point >= pointed.xs.length
      ? undefined
      : pointed.factsOf(hit.point);
  return (
    <div class="map-frame">
      <div
        class="map"
        ref={host}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a map is moved by keys.
        tabIndex={0}
        role="application"
        aria-roledescription="map"
        aria-label={`Map around ${title}`}
        aria-describedby="map-keys"
      >
        <div class="map-pin" ref={pin} hidden>
          {facts === undefined ? null : (
            <div class="map-tip">
              <strong>{facts.title}</strong>
              {facts.lines.map((line) => (
                <span key={line}>{line}</span>
              ))}
            </div>
          )}
        </div>
        <div ref={over}>
          <div class="map-buttons">
            <button type="button" aria-label="Zoom in" onClick={() => view.current?.zoomBy(1)}>
              +
            </button>
            <button type="button" aria-label="Zoom out" onClick={() => view.current?.zoomBy(-1)}>
              −
            </button>
            <button type="button" aria-label={`Back to ${title}`} onClick={() => view.current?.home()}>
              ◎
            </button>
          </div>
          <ScaleBar metresPerPixel={scale} />
        </div>
        {hint === 'shown' ? (
          <p class="map-hint" aria-hidden="true" onAnimationEnd={() => setHint('was shown')}>
            To zoom, hold Ctrl or ⌘ while you scroll, or click the map first.
          </p>
        ) : null}
      </div>
      <p class="unseen" id="map-keys">
        {isTouched()
          ? 'Two fingers move and zoom the map.'
          : 'Arrow keys move the map, plus and minus zoom, 0 goes back to the place.'}{' '}
        Everything on it is in the lists below.
      </p>
      <p class="unseen" role="status">
        {facts === undefined ? inSight : `${facts.title}. ${facts.lines.join('. ')}`}
      </p>
    </div>
  );
}

/** Small moves to north and south change nothing that is read. */
const inSteps = (metres: number): number => 2 ** (Math.round(40 * Math.log2(metres)) / 40);

const barPixels = 110;

/** The longest round distance that fits. Before the map knows its scale, only the room for it. */
function ScaleBar({ metresPerPixel }: { readonly metresPerPixel: number | undefined }) {
  if (metresPerPixel === undefined)
    return (
      <div class="map-scale unknown" style={{ width: `${barPixels}px` }}>
        {'\u00a0'}
      </div>
    );
  const most = metresPerPixel * barPixels;
  const power = 10 ** Math.floor(Math.log10(most));
  const metres = power * ([5, 2, 1].find((step) => step * power <= most) ?? 1);
  return (
    <div class="map-scale" style={{ width: `${metres / metresPerPixel}px` }}>
      {metres >= 1000 ? `${metres / 1000} km` : `${metres} m`}
    </div>
  );
}
