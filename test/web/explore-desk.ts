// The explorer against the real service: opens a place as a reader does, and asks the API the same questions for comparison.

import assert from 'node:assert/strict';
import { after, before } from 'node:test';
import type { Request } from 'playwright-core';
import { publicKey } from '../../src/ledger/public-sandbox.ts';
import type { Answers } from '../../web/api/answers.ts';
import { targetOf } from '../../web/api/call.ts';
import { type RunningBrowser, startBrowser, test as testInBrowser } from '../browser.ts';
import { browser } from '../requirements.ts';
import { bundledHome } from '../rig.ts';
import { startDemo } from './demo.ts';
import { type Look, setLook, type Visit, visit } from './visit.ts';

type Params = Readonly<Record<string, string>>;

export type ExploreDesk = {
  readonly url: string;
  readonly browser: RunningBrowser['browser'];
  /** Nothing is prepared: every answer is the service's own. */
  readonly open: (path: string, look: Look | Look['width']) => Promise<Visit>;
  /** What the API answers: for the made-up town to the public sandbox key, else to the demo account. */
  readonly call: <Path extends keyof Answers>(path: Path, params: Params) => Promise<Answers[Path]>;
  /** Whatever it answers, with what X-Data-Coverage says. */
  readonly ask: (
    path: keyof Answers,
    params: Params,
  ) => Promise<{ readonly status: number; readonly coverage: string | null; readonly text: string }>;
  /** The same as the table that the API writes. */
  readonly table: (path: keyof Answers, params: Params) => Promise<string>;
  /** Calls that pages made, alone or in a batch, whose address has that text. */
  readonly asked: (text: string) => readonly string[];
};

/** Path and query of every call that a request makes. */
export function callsOf(request: Request): readonly string[] {
  const { pathname, search } = new URL(request.url());
  if (pathname !== '/api/v1/batch') return pathname.startsWith('/api/v1/') ? [pathname + search] : [];
  const { calls }: { readonly calls: readonly Parameters<typeof targetOf>[0][] } = request.postDataJSON();
  return calls.map(targetOf);
}

async function openExploreDesk(
  executable: string,
  arrange: (home: string) => Promise<void>,
): Promise<{ readonly desk: ExploreDesk; readonly close: () => Promise<void> }> {
  const { home, remove } = await bundledHome();
  await arrange(home);
  const running = await startDemo(home);
  const opened = await startBrowser(executable);
  const demoKey = /dd_live_\w+/.exec(running.output())?.[0] ?? assert.fail('no demo key was printed');
  const asked: string[] = [];
  const ask = async (path: string, params: Params, accept: string) => {
    const isTown = Object.values(params).some((value) => value.startsWith('ZZ'));
    // As a page of the service asks: others have ten calls a minute.
    const key = isTown
      ? { 'x-api-key': publicKey, 'sec-fetch-site': 'same-origin' }
      : { 'x-api-key': demoKey };
    const response = await fetch(`${running.url}/api/v1${path}?${new URLSearchParams(params)}`, {
      headers: { ...key, accept },
    });
    const { status, headers } = response;
    return { status, coverage: headers.get('x-data-coverage'), text: await response.text() };
  };
  const told = async (...question: Parameters<typeof ask>): Promise<string> => {
    const { status, text } = await ask(...question);
    assert.equal(status, 200, text);
    return text;
  };
  const desk: ExploreDesk = {
    url: running.url,
    browser: opened.browser,
    open: async (path, look) => {
      const shown = typeof look === 'number' ? ({ width: look, colours: 'light' } as const) : look;
      const visited = await visit(opened.browser, running.url, shown);
      visited.page.on('request', (request) => asked.push(...callsOf(request)));
      await visited.page.goto(path);
      return visited;
    },
    call: async (path, params) => JSON.parse(await told(path, params, 'application/json')).data,
    ask: (path, params) => ask(path, params, 'application/json'),
    table: (path, params) => told(path, params, 'text/csv'),
    asked: (text) => asked.filter((target) => target.includes(text)),
  };
  const close = async () => {
    await opened.close();
    await running.stop();
    remove();
  };
  return { desk, close };
}

/** One for all tests of a file. `arrange`: what happens to its home before the service starts. */
export function exploreDeskOfFile(
  arrange: (home: string) => Promise<void> = async () => {},
): () => ExploreDesk {
  let started: Awaited<ReturnType<typeof openExploreDesk>> | undefined;
  before(async () => {
    if (browser.kind === 'there') started = await openExploreDesk(browser.value, arrange);
  });
  after(() => started?.close());
  return () => started?.desk ?? assert.fail('there is no desk before the first test');
}

/** Tests that share a service, and a page that each finds as if it were new: the program of the pages is loaded once. Nothing may go
 *  wrong in any of them. Whoever changes the page for good (its clock, its scripts) takes another, by `desk().open`. */
export function explorer(arrange?: (home: string) => Promise<void>) {
  const desk = exploreDeskOfFile(arrange);
  let shared: Visit | undefined;
  const nothingWentWrong = () => assert.deepEqual(shared?.faults ?? [], []);
  const open = async (path: string, look: Look | Look['width']): Promise<Visit> => {
    nothingWentWrong();
    shared ??= await desk().open('about:blank', look);
    await shared.forget();
    await setLook(shared, typeof look === 'number' ? { width: look, colours: 'light' } : look);
    await shared.page.goto(path);
    return shared;
  };
  const test = (name: string, run: () => Promise<void>) =>
    testInBrowser(name, async () => {
      await run();
      nothingWentWrong();
    });
  return { desk, open, test };
}
