// The place on a map.

import { Panel } from '../panel.tsx';
import type { PanelsWish } from '../place.ts';
import { useCall } from '../use-call.ts';
import { PlaceMap } from './place-map.tsx';

/** Of the map with its switches, about. */
const roomPixels = 640;

export function MapPanel({ place }: PanelsWish) {
  const called = useCall('/postcodes/lookup', { postcode: place.postcode });
  return (
    <Panel id="map" title="Map" called={called} room={roomPixels} coverage="sample alone">
      {({ latitude, longitude, postcode }) =>
        latitude === null || longitude === null ? (
          <p class="lacking">
            {postcode} has no point on the map: the directory of postcodes keeps none for it.
          </p>
        ) : (
          <PlaceMap place={place} latitude={latitude} longitude={longitude} />
        )
      }
    </Panel>
  );
}
