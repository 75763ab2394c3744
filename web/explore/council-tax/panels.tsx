// Council tax of the place.

import { Panel } from '../panel.tsx';
import type { PanelsWish } from '../place.ts';
import { useCall } from '../use-call.ts';

export function CouncilTaxPanels({ place }: PanelsWish) {
  const called = useCall('/council-tax/lookup', { postcode: place.postcode });
  return (
    <Panel id="council-tax" title="Council tax" called={called} room={300}>
      {(told) => <pre>{JSON.stringify(told, null, 2)}</pre>}
    </Panel>
  );
}
