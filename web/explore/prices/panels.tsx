// What homes were sold for.

import { Panel } from '../panel.tsx';
import type { PanelsWish } from '../place.ts';
import { useCall } from '../use-call.ts';

export function PricesPanels({ place }: PanelsWish) {
  const called = useCall('/area/sold-prices', { area: place.area });
  return (
    <Panel id="prices" title="Sold prices" called={called} room={300}>
      {(told) => <pre>{JSON.stringify(told, null, 2)}</pre>}
    </Panel>
  );
}
