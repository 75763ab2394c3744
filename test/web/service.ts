// The real service for the tests of a file, with a browser beside it and the command that hands out links.

import assert from 'node:assert/strict';
import { after, before } from 'node:test';
import type { Browser } from 'playwright-core';
import { startBrowser } from '../browser.ts';
import { browser } from '../requirements.ts';
import { bundledHome, type Running, runDomesday, startDomesday } from '../rig.ts';

export type Service = {
  readonly browser: Browser;
  readonly running: Running;
  readonly home: string;
  /** As an operator hands it on, where no mail is sent: the path within the service. */
  readonly link: (email: string, purpose: 'confirm' | 'reset' | 'invite') => Promise<string>;
};

async function startService(
  executable: string,
  env: Record<string, string>,
): Promise<{ readonly service: Service; readonly stop: () => Promise<void> }> {
  const { home, remove } = await bundledHome();
  const running = await startDomesday(home, env);
  const opened = await startBrowser(executable);
  const link = async (email: string, purpose: string) => {
    const told = await runDomesday(['people', 'link', email], { DOMESDAY_HOME: home });
    assert.equal(told.code, 0, told.err);
    const found = told.out
      .match(/\/account\/\w+#\S+/g)
      ?.find((each) => each.startsWith(`/account/${purpose}#`));
    assert.ok(found, `no link to ${purpose} in: ${told.out}`);
    return found;
  };
  const stop = async () => {
    await opened.close();
    await running.stop();
    remove();
  };
  return { service: { browser: opened.browser, running, home, link }, stop };
}

/** One for all tests of a file, which stay apart by whom they sign up. */
export function serviceOfFile(env: Record<string, string> = {}): () => Service {
  let started: Awaited<ReturnType<typeof startService>> | undefined;
  before(async () => {
    if (browser.kind === 'there') started = await startService(browser.value, env);
  });
  after(() => started?.stop());
  return () => started?.service ?? assert.fail('there is no service before the first test');
}
