// A real browser for tests of the pages: Chromium without a window, one for a run, a context of its own for each test.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { TestContext } from 'node:test';
import { type Browser, type BrowserServer, chromium, type Page } from 'playwright-core';
import { browser, testWith } from './requirements.ts';

/** A test that is skipped where there is no browser. */
export const test = (name: string, run: (context: TestContext) => Promise<void>): void =>
  testWith(browser, name, (_, context) => run(context));

export type RunningBrowser = { readonly browser: Browser; readonly close: () => Promise<void> };

/** Names the address of the browser that `npm test` started for all files of a run. */
export const browserVariable = 'DOMESDAY_TEST_BROWSER';

const args = ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage'];

/** The one of this run; a file that runs alone starts its own, and so does one that wants other options. */
export async function startBrowser(
  executable: string,
  options: readonly string[] = [],
): Promise<RunningBrowser> {
  const address = process.env[browserVariable];
  if (address !== undefined && options.length === 0) {
    const browser = await chromium.connect(address);
    return { browser, close: () => browser.close() };
  }
  const { env, remove } = folderOfItsOwn();
  const browser = await chromium.launch({ executablePath: executable, args: [...args, ...options], env });
  const close = async () => {
    await browser.close();
    remove();
  };
  return { browser, close };
}

/** For several processes, which find it by its address. */
export async function serveBrowser(executable: string): Promise<{ address: string; close(): Promise<void> }> {
  const { env, remove } = folderOfItsOwn();
  const server: BrowserServer = await chromium.launchServer({ executablePath: executable, args, env });
  const close = async () => {
    await server.close();
    remove();
  };
  return { address: server.wsEndpoint(), close };
}

/** It leaves folders of its own behind; here they go with it. */
function folderOfItsOwn() {
  const folder = mkdtempSync(path.join(tmpdir(), 'domesday-browser-'));
  return {
    env: { ...process.env, TMPDIR: folder },
    remove: () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }),
  };
}

export type OpenedPage = { readonly page: Page; readonly close: () => Promise<void> };

/** Opens an address in a context of its own, and waits until it is loaded. */
export async function openPage(executable: string, url: string): Promise<OpenedPage> {
  const { browser, close } = await startBrowser(executable);
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 } });
  const page = await context.newPage();
  await page.goto(url);
  const closeBoth = async () => {
    await context.close();
    await close();
  };
  return { page, close: closeBoth };
}
