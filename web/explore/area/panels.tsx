// The five objects of area statistics.

import { Panel } from '../panel.tsx';
import type { PanelsWish } from '../place.ts';
import { useCall } from '../use-call.ts';

export function AreaPanels({ place }: PanelsWish) {
  const called = useCall('/area/statistics', { postcode: place.postcode });
  return (
    <Panel id="area" title="Area" called={called} room={300}>
      {(told) => <pre>{JSON.stringify(told, null, 2)}</pre>}
    </Panel>
  );
}
