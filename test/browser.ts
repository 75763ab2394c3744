// A real browser for tests of the pages: Chromium without a window, spoken to by its own protocol.

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

type Reply = {
  readonly id?: number;
  readonly result?: Record<string, unknown>;
  readonly error?: { readonly message: string };
};

export type Page = {
  /** Runs an expression in the page and waits for its promise. */
  readonly evaluate: (expression: string) => Promise<unknown>;
  readonly send: (method: string, params?: object) => Promise<Record<string, unknown>>;
  readonly close: () => Promise<void>;
};

/** Opens an address in a browser of its own, and waits until it is loaded. */
export async function openPage(executable: string, url: string, width = 1280): Promise<Page> {
  const profile = mkdtempSync(path.join(tmpdir(), 'domesday-browser-'));
  const child = spawn(
    executable,
    [
      '--headless=new',
      '--no-sandbox',
      '--disable-gpu',
      '--disable-dev-shm-usage',
      '--remote-debugging-port=0',
      `--user-data-dir=${profile}`,
      'about:blank',
    ],
    // It leaves folders of its own behind; here they go with the profile.
    { stdio: ['ignore', 'ignore', 'pipe'], env: { ...process.env, TMPDIR: profile } },
  );
  const socket = new WebSocket(await pageAddress(child));
  await once(socket, 'open');
  const send = speaker(socket);
  await send('Page.enable');
  await send('Runtime.enable');
  await send('Emulation.setDeviceMetricsOverride', {
    width,
    height: 900,
    deviceScaleFactor: 1,
    mobile: width < 600,
  });
  const evaluate = async (expression: string): Promise<unknown> => {
    const { result, exceptionDetails } = await send('Runtime.evaluate', {
      expression,
      awaitPromise: true,
      returnByValue: true,
    });
    if (exceptionDetails !== undefined) throw new Error(JSON.stringify(exceptionDetails));
    return typeof result === 'object' && result !== null && 'value' in result ? result.value : undefined;
  };
  const loaded = eventOf(socket, 'Page.loadEventFired');
  await send('Page.navigate', { url });
  await loaded;
  return {
    evaluate,
    send,
    close: async () => {
      socket.close();
      child.kill();
      await once(child, 'close');
      rmSync(profile, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

/** The browser tells the address of its protocol on standard error; the list there names its one page. */
async function pageAddress(child: ChildProcess): Promise<string> {
  const browser = await new Promise<string>((resolve, reject) => {
    let said = '';
    child.stderr?.on('data', (chunk: Buffer) => {
      said += chunk;
      const found = /DevTools listening on ws:\/\/([^/]+)\//.exec(said)?.[1];
      if (found !== undefined) resolve(found);
    });
    child.once('close', () => reject(new Error(`The browser ended: ${said}`)));
    child.once('error', reject);
  });
  const pages: unknown = await (await fetch(`http://${browser}/json/list`)).json();
  for (const page of Array.isArray(pages) ? pages : []) {
    if (page.type === 'page') return String(page.webSocketDebuggerUrl);
  }
  throw new Error('The browser has no page.');
}

function speaker(socket: WebSocket): Page['send'] {
  const waiting = new Map<number, PromiseWithResolvers<Record<string, unknown>>>();
  let last = 0;
  socket.addEventListener('message', ({ data }) => {
    const { id, result = {}, error }: Reply = JSON.parse(String(data));
    const asker = id === undefined ? undefined : waiting.get(id);
    if (id === undefined || asker === undefined) return;
    waiting.delete(id);
    if (error === undefined) asker.resolve(result);
    else asker.reject(new Error(error.message));
  });
  return (method, params = {}) => {
    last += 1;
    const asker = Promise.withResolvers<Record<string, unknown>>();
    waiting.set(last, asker);
    socket.send(JSON.stringify({ id: last, method, params }));
    return asker.promise;
  };
}

function eventOf(socket: WebSocket, method: string): Promise<void> {
  return new Promise((resolve) => {
    socket.addEventListener('message', ({ data }) => {
      if (JSON.parse(String(data)).method === method) resolve();
    });
  });
}
