// The place on a map.

import { useEffect, useState } from 'preact/hooks';
import { aroundCall, crimeCall, lookupCall } from '../calls/place-calls.ts';
import { type Called, useCall } from '../calls/use-call.ts';
import { OfFirst, Panel } from '../panel.tsx';
import type { PanelsWish } from '../place.ts';
import { useChosenLayers } from './chosen-layers.ts';
import { PlaceMap } from './place-map.tsx';
import { placeLayerIds } from './places-layers.ts';

/** Longer than that the map does not wait for what lies on it. */
const patienceMs = 500;

/** Of the map with its switches, about. */
const room = { desk: 880, phone: 1600 };

export function MapPanel({ place, beside }: PanelsWish) {
  const { postcode: asked } = place;
  const called = useCall(lookupCall(asked));
  // Side by side with where it is.
  const places = useCall(aroundCall(asked));
  const crime = useCall(crimeCall(asked));
  const [sales, setSales] = useState<Called<'/area/sold-prices'> | undefined>(undefined);
  const { isOn } = useChosenLayers();
  const inSight = [
    called,
    ...(placeLayerIds.some(isOn) ? [places] : []),
    ...(isOn('crime') ? [crime] : []),
    ...(sales !== undefined && isOn('sales') ? [sales] : []),
  ];
  const isTogether = places.kind !== 'loading' && crime.kind !== 'loading';
  const isLate = useIsLate();
  // What comes at about the same time is shown at once, so that no layer pushes the next one down.
  const shown: Called<'/postcodes/lookup'> =
    called.kind === 'answered' && !isTogether && !isLate
      ? { kind: 'loading', call: called.call, again: called.again }
      : called;
  return (
    <Panel
      id="map"
      title={beside === undefined ? 'Map' : `Map of ${place.title}`}
      called={shown}
      also={[places, crime, ...(sales === undefined ? [] : [sales])]}
      inSight={inSight}
      room={room}
      coverage="sample alone"
      controls={
        beside === undefined ? null : (
          <OfFirst
            place={place}
            beside={beside}
            id="map"
            said={`This map is of ${place.title} alone.`}
            sought={`that of ${beside.title}`}
          />
        )
      }
    >
      {({ latitude, longitude, postcode }) =>
        latitude === null || longitude === null ? (
          <p class="lacking">
            {postcode} has no point on the map: the directory of postcodes keeps none for it.
          </p>
        ) : (
          <PlaceMap {...{ place, latitude, longitude, places, crime, sales }} onSales={setSales} />
        )
      }
    </Panel>
  );
}

function useIsLate(): boolean {
  const [isLate, setIsLate] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setIsLate(true), patienceMs);
    return () => clearTimeout(timer);
  }, []);
  return isLate;
}
