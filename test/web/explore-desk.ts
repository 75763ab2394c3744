// The explorer against the real service: opens a place as a reader does, and asks the API the same questions for comparison.

import assert from 'node:assert/strict';
import { setTimeout } from 'node:timers/promises';
import { publicKey } from '../../src/ledger/public-sandbox.ts';
import type { Answers } from '../../web/api/answers.ts';
import { startBrowser } from '../browser.ts';
import { bundledHome } from '../rig.ts';
import { startDemo } from './demo.ts';
import { type Look, type Visit, visit } from './visit.ts';

export type ExploreDesk = {
  readonly url: string;
  /** Nothing is prepared: every answer is the service's own. */
  readonly open: (path: string, width: Look['width']) => Promise<Visit>;
  /** What the API answers: for the made-up town to the public sandbox key, else to the demo account. */
  readonly call: <Path extends keyof Answers>(
    path: Path,
    params: Readonly<Record<string, string>>,
  ) => Promise<Answers[Path]>;
  /** Whatever it answers, with what X-Data-Coverage says. */
  readonly ask: (
    path: keyof Answers,
    params: Readonly<Record<string, string>>,
  ) => Promise<{ readonly status: number; readonly coverage: string | null; readonly text: string }>;
  /** The same as the table that the API writes. */
  readonly table: (path: keyof Answers, params: Readonly<Record<string, string>>) => Promise<string>;
  /** Calls that pages made whose address has that text. */
  readonly asked: (text: string) => readonly string[];
  readonly close: () => Promise<void>;
};

/** `arrange`: what happens to its home before the service starts. */
export async function openExploreDesk(
  executable: string,
  arrange: (home: string) => Promise<void> = async () => {},
): Promise<ExploreDesk> {
  const { home, remove } = await bundledHome();
  await arrange(home);
  const running = await startDemo(home);
  const { browser, close } = await startBrowser(executable);
  const demoKey = /dd_live_\w+/.exec(running.output())?.[0] ?? assert.fail('no demo key was printed');
  const asked: string[] = [];
  const ask = async (path: string, params: Readonly<Record<string, string>>, accept: string) => {
    const isTown = Object.values(params).some((value) => value.startsWith('ZZ'));
    // As a page of the service asks: others have ten calls a minute.
    const key = isTown
      ? { 'x-api-key': publicKey, 'sec-fetch-site': 'same-origin' }
      : { 'x-api-key': demoKey };
    for (;;) {
      const response = await fetch(`${running.url}/api/v1${path}?${new URLSearchParams(params)}`, {
        headers: { ...key, accept },
      });
      const text = await response.text();
      const { status, headers } = response;
      if (status !== 429) return { status, coverage: headers.get('x-data-coverage'), text };
      // The pages that the tests opened have taken this minute. They wait, and so does this.
      await setTimeout(1000 * Number(headers.get('retry-after')));
    }
  };
  const told = async (...question: Parameters<typeof ask>): Promise<string> => {
    const { status, text } = await ask(...question);
    assert.equal(status, 200, text);
    return text;
  };
  return {
    url: running.url,
    open: async (path, width) => {
      const visited = await visit(browser, running.url, { width, colours: 'light' });
      visited.page.on('request', (request) => asked.push(request.url()));
      await visited.page.goto(path);
      return visited;
    },
    call: async (path, params) => JSON.parse(await told(path, params, 'application/json')).data,
    ask: (path, params) => ask(path, params, 'application/json'),
    table: (path, params) => told(path, params, 'text/csv'),
    asked: (text) => asked.filter((url) => url.includes(text)),
    close: async () => {
      await close();
      await running.stop();
      remove();
    },
  };
}
