// The real service for the length of a test, with a browser beside it and the command that hands out links.

import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import type { Browser } from 'playwright-core';
import { startBrowser } from '../browser.ts';
import { bundledHome, type Running, runDomesday, startDomesday } from '../rig.ts';

export type Service = {
  readonly browser: Browser;
  readonly running: Running;
  readonly home: string;
  /** As an operator hands it on, where no mail is sent: the path within the service. */
  readonly link: (email: string, purpose: 'confirm' | 'reset' | 'invite') => Promise<string>;
};

export async function startService(
  executable: string,
  context: TestContext,
  env: Record<string, string> = {},
): Promise<Service> {
  const { home, remove } = await bundledHome();
  const running = await startDomesday(home, env);
  const { browser, close } = await startBrowser(executable);
  context.after(async () => {
    await close();
    await running.stop();
    remove();
  });
  const link = async (email: string, purpose: string) => {
    const told = await runDomesday(['people', 'link', email], { DOMESDAY_HOME: home, ...env });
    assert.equal(told.code, 0, told.err);
    const found = told.out
      .match(/\/account\/\w+#\S+/g)
      ?.find((each) => each.startsWith(`/account/${purpose}#`));
    assert.ok(found, `no link to ${purpose} in: ${told.out}`);
    return found;
  };
  return { browser, running, home, link };
}
