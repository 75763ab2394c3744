// Fingers, mouse, wheel and keys on a map, as moves of its camera.

import type { Spot } from './camera.ts';

type Moves = {
  readonly pull: (right: number, down: number) => void;
  /** By so many zooms, at once. */
  readonly zoomAt: (zooms: number, spot: Spot) => void;
  /** By so many zooms, gently. */
  readonly glideAt: (zooms: number, spot: Spot) => void;
  readonly glideBy: (right: number, down: number) => void;
  readonly home: () => void;
  /** The pointer is above that spot, or left the map. */
  readonly hover: (spot: Spot | undefined) => void;
  readonly tap: (spot: Spot, by: string) => void;
  readonly escape: () => void;
  /** The wheel scrolled the page, with the pointer above the map. */
  readonly scrolledPast: () => void;
  readonly middle: () => Spot;
};

/** Pixels that a hand trembles. */
const tremble = 5;
const keySteps = 80;
const wheelPixelsPerZoom = 240;
const doubleTapMs = 300;

/** Returns how to stop listening. */
export function followGestures(host: HTMLElement, moves: Moves): () => void {
  const stop = new AbortController();
  const listening = { signal: stop.signal };
  const spotOf = ({ clientX, clientY }: MouseEvent): Spot => {
    const { left, top } = host.getBoundingClientRect();
    // The map lies within its border.
    return { left: clientX - left - host.clientLeft, top: clientY - top - host.clientTop };
  };
  const held = new Map<number, Spot>();
  let pulledBy = 0;
  let lastTapMs = Number.NEGATIVE_INFINITY;

  host.addEventListener(
    'pointerdown',
    (event) => {
      if (event.button !== 0 || isOnControl(event.target)) return;
      if (held.size === 0) pulledBy = 0;
      held.set(event.pointerId, spotOf(event));
      host.setPointerCapture(event.pointerId);
    },
    listening,
  );
  host.addEventListener(
    'pointermove',
    (event) => {
      const now = spotOf(event);
      const before = held.get(event.pointerId);
      if (before === undefined) {
        if (event.pointerType === 'mouse') moves.hover(isOnControl(event.target) ? undefined : now);
        return;
      }
      held.set(event.pointerId, now);
      pulledBy += Math.hypot(now.left - before.left, now.top - before.top);
      const other = held.entries().find(([id]) => id !== event.pointerId)?.[1];
      if (other === undefined) {
        if (pulledBy > tremble) moves.pull(now.left - before.left, now.top - before.top);
        return;
      }
      const [wide, was] = [now, before].map((each) =>
        Math.max(1, Math.hypot(each.left - other.left, each.top - other.top)),
      );
      const middle = { left: (now.left + other.left) / 2, top: (now.top + other.top) / 2 };
      moves.pull((now.left - before.left) / 2, (now.top - before.top) / 2);
      if (wide !== undefined && was !== undefined) moves.zoomAt(Math.log2(wide / was), middle);
    },
    listening,
  );
  const release = (event: PointerEvent) => {
    if (!held.delete(event.pointerId) || event.type !== 'pointerup' || held.size > 0 || pulledBy > tremble)
      return;
    const isSecond = event.timeStamp - lastTapMs < doubleTapMs;
    lastTapMs = isSecond ? Number.NEGATIVE_INFINITY : event.timeStamp;
    if (isSecond) moves.glideAt(1, spotOf(event));
    else moves.tap(spotOf(event), event.pointerType);
  };
  host.addEventListener('pointerup', release, listening);
  host.addEventListener('pointercancel', release, listening);
  host.addEventListener('pointerleave', () => moves.hover(undefined), listening);
  host.addEventListener(
    'wheel',
    (event) => {
      // A page that is scrolled past the map goes on scrolling; whoever is in the map, or holds the key for it, zooms.
      if (!event.ctrlKey && !event.metaKey && !host.contains(document.activeElement)) {
        moves.scrolledPast();
        return;
      }
      event.preventDefault();
      const pixels = event.deltaMode === WheelEvent.DOM_DELTA_PIXEL ? event.deltaY : 32 * event.deltaY;
      moves.zoomAt(-pixels / wheelPixelsPerZoom, spotOf(event));
    },
    { ...listening, passive: false },
  );
  host.addEventListener(
    'keydown',
    (event) => {
      if (event.target !== host || event.ctrlKey || event.metaKey || event.altKey) return;
      const move = keyMoves[event.key];
      if (move === undefined) return;
      event.preventDefault();
      move(moves, event.shiftKey ? 3 * keySteps : keySteps);
    },
    listening,
  );
  return () => stop.abort();
}

const keyMoves: Readonly<Record<string, (moves: Moves, step: number) => void>> = {
  ArrowLeft: (moves, step) => moves.glideBy(step, 0),
  ArrowRight: (moves, step) => moves.glideBy(-step, 0),
  ArrowUp: (moves, step) => moves.glideBy(0, step),
  ArrowDown: (moves, step) => moves.glideBy(0, -step),
  '+': (moves) => moves.glideAt(1, moves.middle()),
  '=': (moves) => moves.glideAt(1, moves.middle()),
  '-': (moves) => moves.glideAt(-1, moves.middle()),
  _: (moves) => moves.glideAt(-1, moves.middle()),
  0: (moves) => moves.home(),
  Home: (moves) => moves.home(),
  Escape: (moves) => moves.escape(),
};

const isOnControl = (target: EventTarget | null): boolean =>
  target instanceof Element && target.closest('button, a, input') !== null;
