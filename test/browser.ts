// A real browser for tests of the pages: Chromium without a window.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type Browser, chromium, type Page } from 'playwright-core';

export type RunningBrowser = { readonly browser: Browser; readonly close: () => Promise<void> };

export async function startBrowser(
  executable: string,
  options: readonly string[] = [],
): Promise<RunningBrowser> {
  // It leaves folders of its own behind; here they go with it.
  const folder = mkdtempSync(path.join(tmpdir(), 'domesday-browser-'));
  const browser = await chromium.launch({
    executablePath: executable,
    args: ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage', ...options],
    env: { ...process.env, TMPDIR: folder },
  });
  return {
    browser,
    close: async () => {
      await browser.close();
      rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

export type OpenedPage = { readonly page: Page; readonly close: () => Promise<void> };

/** Opens an address in a browser of its own, and waits until it is loaded. */
export async function openPage(executable: string, url: string): Promise<OpenedPage> {
  const { browser, close } = await startBrowser(executable);
  const page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
  await page.goto(url);
  return { page, close };
}
