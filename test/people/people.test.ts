// Everything that holds of people, over both engines.

import { accountsContract } from './contract-accounts.ts';
import { clockContract } from './contract-clock.ts';
import { erasingContract } from './contract-erasing.ts';
import { joiningContract } from './contract-joining.ts';
import { signingInContract } from './contract-signing-in.ts';
import { postgres, sqlite } from './house.ts';

for (const engine of [sqlite, postgres]) {
  joiningContract(engine);
  signingInContract(engine);
  accountsContract(engine);
  erasingContract(engine);
  clockContract(engine);
}
