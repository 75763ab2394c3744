// The power fails: a file system of its own is shut down under the service without writing what it still holds.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import path from 'node:path';
import { copyBundled } from '../prebuilt.ts';
import { startDomesday } from '../rig.ts';
import { cuttableDisk, type Fault, mounts } from './fault.ts';
import { assertBooksHold, call, makeCustomer, noLoad } from './load.ts';

async function cutPowerUnderLoad(cuts: number): Promise<string> {
  const disk = cuttableDisk(256);
  const home = path.join(disk.folder, 'home');
  try {
    await copyBundled(home);
    execFileSync('sync', ['-f', home]); // the copy is the test's own, and not what is tried
    const { accountId, key } = await makeCustomer(home);
    const load = noLoad();
    for (let cut = 0; cut < cuts; cut += 1) {
      const running = await startDomesday(home, { DOMESDAY_LOG: 'silent' });
      await call(load, {
        url: running.url,
        key,
        round: `p${cut}`,
        connections: 16,
        afterReply: (answered) => {
          if (answered === 20 + 37 * cut) disk.cutPower();
          // Some more, which must not be reported as charged.
          if (answered === 60 + 37 * cut) running.child.kill('SIGKILL');
          return 'go on';
        },
      });
      await running.stop('SIGKILL');
      disk.comeBack();
      await assertBooksHold(home, accountId, load);
    }
    assert.ok(load.reported.size > 20 * cuts);
    const failed = [...load.statuses].filter(([status]) => status !== 200);
    const { unreported } = await assertBooksHold(home, accountId, load);
    return `${cuts} cuts, ${load.reported.size} reported charges, none missing; refused meanwhile: ${failed.map(([status, count]) => `${count} × ${status}`).join(', ')}; ${unreported} charged and not reported`;
  } finally {
    disk.remove();
  }
}

export const powerCuts: Fault = {
  name: 'power cut under load',
  promise: 'what was reported as charged was on disk: it is there when the power is back',
  needs: mounts,
  run: (scale) => cutPowerUnderLoad(scale === 'long' ? 50 : 5),
};
