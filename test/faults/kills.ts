// The service is killed outright while customers call, and started again on what is left.

import assert from 'node:assert/strict';
import { copyBundled } from '../prebuilt.ts';
import { startDomesday, temporaryHome } from '../rig.ts';
import type { Fault } from './fault.ts';
import { assertBooksHold, call, makeCustomer, noLoad } from './load.ts';

/** So often the service is killed while it builds the sandbox. Then it finds one. */
const firstStarts = 5;
const connections = 16;

type Kills = { readonly kills: number; readonly env: Record<string, string> };

export async function killUnderLoad({ kills, env }: Kills): Promise<string> {
  const { home, remove } = temporaryHome();
  try {
    const { accountId, key } = await makeCustomer(home);
    const load = noLoad();
    let random = 12_345;
    for (let round = 0; round < kills; round += 1) {
      random = (random * 1_103_515_245 + 12_345) % 2_147_483_648;
      const killAfter = 1 + (random % 120);
      if (round === firstStarts) await copyBundled(home);
      const running = await startDomesday(home, { DOMESDAY_LOG: 'silent', ...env });
      await call(load, {
        url: running.url,
        key,
        round: `r${round}`,
        connections,
        afterReply: (answered) => {
          if (answered === killAfter) running.child.kill('SIGKILL');
          return 'go on';
        },
      });
      await running.stop('SIGKILL');
    }
    assert.ok(load.reported.size > kills * 10, `only ${load.reported.size} charges were reported`);
    const { unreported } = await assertBooksHold(home, accountId, load);
    return `${kills} kills, ${load.reported.size} reported charges, none missing, none twice; ${unreported} charged whose reply the kill cut off`;
  } finally {
    remove();
  }
}

export const kills: readonly Fault[] = [
  {
    name: 'kill -9 under load',
    promise:
      'a charge that was reported is in the journal exactly once; the service starts again without repair',
    run: (scale) => killUnderLoad({ kills: scale === 'long' ? 1_000 : 25, env: {} }),
  },
];
