// The service is killed outright while customers call and people change what is theirs, and started again on what is left.

import assert from 'node:assert/strict';
import { ToldChanges } from '../people/changes.ts';
import { copyBundled } from '../prebuilt.ts';
import { startDomesday, temporaryHome } from '../rig.ts';
import type { Fault } from './fault.ts';
import { assertBooksHold, call, makeCustomer, noLoad } from './load.ts';
import { PageChanges, pagesEnv } from './page-changes.ts';

/** So often the service is killed while it builds the sandbox. Then it finds one. */
const firstStarts = 2;
const connections = 16;
/** A kill finds as many changes of people acknowledged, and another one under way. */
const changesMost = 4;

export async function killUnderLoad(kills: number): Promise<string> {
  const { home, remove } = temporaryHome();
  try {
    const { accountId, key } = await makeCustomer(home);
    const load = noLoad();
    const changes = new ToldChanges();
    const pages = new PageChanges({ DOMESDAY_HOME: home });
    let random = 12_345;
    for (let round = 0; round < kills; round += 1) {
      random = (random * 1_103_515_245 + 12_345) % 2_147_483_648;
      const killAfter = 1 + (random % 120);
      if (round === firstStarts) await copyBundled(home);
      const running = await startDomesday(home, { DOMESDAY_LOG: 'silent', ...pagesEnv });
      await using _ = { [Symbol.asyncDispose]: async () => void (await running.stop('SIGKILL')) };
      const changed = changes.acknowledged + (random % (changesMost + 1));
      let isKilled = false;
      const people = pages.makeOn(running.url, changes, () => !isKilled);
      const calls = call(load, {
        url: running.url,
        key,
        round: `r${round}`,
        connections,
        afterReply: (answered) => {
          if (answered >= killAfter && changes.acknowledged >= changed && !isKilled) {
            isKilled = true;
            running.child.kill('SIGKILL');
          }
          return 'go on';
        },
      });
      // What no promise allows ends the run.
      people.catch(() => running.child.kill('SIGKILL'));
      await Promise.all([people, calls]);
    }
    assert.ok(load.reported.size > kills * 10, `only ${load.reported.size} charges were reported`);
    assert.ok(
      changes.acknowledged > kills,
      `only ${changes.acknowledged} changes of people were acknowledged`,
    );
    await changes.assertThere(home);
    const { unreported } = await assertBooksHold(home, accountId, load);
    return `${kills} kills: ${load.reported.size} charges, ${changes.acknowledged} changes of people, 0 lost, none twice; ${unreported} charges and at most ${changes.refused} changes done whose reply the kill cut off`;
  } finally {
    remove();
  }
}

export const kills: readonly Fault[] = [
  {
    name: 'kill -9 under load',
    promise:
      'a charge that was reported is in the journal exactly once, a change of people that was acknowledged is there; the service starts again without repair',
    run: (scale) => killUnderLoad(scale === 'long' ? 1_000 : 25),
  },
];
