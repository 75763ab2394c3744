// Bank Rate, the same everywhere.

import { Panel } from '../panel.tsx';
import { useCall } from '../use-call.ts';

export function BankRatePanel() {
  const called = useCall('/bank-rates', {});
  return (
    <Panel id="bank-rate" title="Bank Rate" called={called} room={300}>
      {(told) => <pre>{JSON.stringify(told, null, 2)}</pre>}
    </Panel>
  );
}
