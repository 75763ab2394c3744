// A newcomer's service, whose demo account pays for what its pages ask.

import assert from 'node:assert/strict';
import { type Running, runDomesday, startDomesday } from '../rig.ts';

/** Without limits of a minute: the tests of a file look at more places in one than any visitor does. */
export async function startDemo(home: string): Promise<Running> {
  const running = await startDomesday(home, { DOMESDAY_SANDBOX_PAGE_CALLS: '1000000' });
  const accounts = async (...args: readonly string[]) => {
    const told = await runDomesday(['accounts', ...args, '--json'], { DOMESDAY_HOME: home });
    assert.equal(told.code, 0, told.err);
    return told.out;
  };
  const listed: { readonly accounts: readonly { readonly accountId: string; readonly name: string }[] } =
    JSON.parse(await accounts('list'));
  const demo = listed.accounts.find(({ name }) => name === 'demo') ?? assert.fail('no demo account was made');
  await accounts('plan', demo.accountId, 'premium', '--per-minute', 'none');
  return running;
}
