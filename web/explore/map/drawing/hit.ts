// Which point of the layers lies under a finger or the mouse.

import { type LayerId, type MapLayer, shrinkAt } from '../layer.ts';
import { type Camera, type Size, type Spot, worldAt } from './camera.ts';
import { nowhere } from './point-grid.ts';
import { worldPixels } from './projection.ts';

/** A point of a layer. */
export type Hit = { readonly layer: LayerId; readonly point: number };

/** Of the topmost layer that has a point there, the nearest. `layers` from the lowest on; `reach` in pixels around each sign. */
export function hitAt(
  layers: readonly MapLayer[],
  spot: Spot,
  reach: number,
  camera: Camera,
  size: Size,
): Hit | undefined {
  const at = worldAt(spot, camera, size);
  const scale = worldPixels(camera.zoom);
  const shrink = shrinkAt(camera.zoom);
  for (const layer of layers.toReversed()) {
    const far = (shrink * layer.largest + reach) / scale;
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
