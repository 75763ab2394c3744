// Crime around the place.

import { Panel } from '../panel.tsx';
import type { PanelsWish } from '../place.ts';
import { useCall } from '../use-call.ts';

export function CrimePanels({ place }: PanelsWish) {
  const called = useCall('/crime/by-postcode', { postcode: place.postcode });
  return (
    <Panel id="crime" title="Crime" called={called} room={300}>
      {(told) => <pre>{JSON.stringify(told, null, 2)}</pre>}
    </Panel>
  );
}
