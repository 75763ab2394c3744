// The place on a map.

import { Panel } from '../panel.tsx';
import type { PanelsWish } from '../place.ts';
import { useCall } from '../use-call.ts';
import { PlaceMap, radiusMetres } from './place-map.tsx';

/** Of the map with its switches, about. */
const roomPixels = 640;

export function MapPanel({ place }: PanelsWish) {
  const { postcode: asked } = place;
  const called = useCall('/postcodes/lookup', { postcode: asked });
  // Side by side with where it is.
  const places = useCall('/area/places', { postcode: asked, radius: radiusMetres, limit: 500 });
  const crime = useCall('/crime/by-postcode', { postcode: asked, months: 12, points: 'true', limit: 2000 });
  return (
    <Panel id="map" title="Map" called={called} room={roomPixels} coverage="sample alone">
      {({ latitude, longitude, postcode }) =>
        latitude === null || longitude === null ? (
          <p class="lacking">
            {postcode} has no point on the map: the directory of postcodes keeps none for it.
          </p>
        ) : (
          <PlaceMap {...{ place, latitude, longitude, places, crime }} />
        )
      }
    </Panel>
  );
}
