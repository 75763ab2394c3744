// The place on a map.

import { Panel } from '../panel.tsx';
import type { PanelsWish } from '../place.ts';
import { useCall } from '../use-call.ts';

export function MapPanel({ place }: PanelsWish) {
  const called = useCall('/postcodes/lookup', { postcode: place.postcode });
  return (
    <Panel id="map" title="Map" called={called} room={300}>
      {(told) => <pre>{JSON.stringify(told, null, 2)}</pre>}
    </Panel>
  );
}
