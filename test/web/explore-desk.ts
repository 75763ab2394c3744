// The explorer against the real service: opens a place as a reader does, and asks the API the same questions for comparison.

import assert from 'node:assert/strict';
import { publicKey } from '../../src/ledger/public-sandbox.ts';
import type { Answers } from '../../web/api/answers.ts';
import { startBrowser } from '../browser.ts';
import { bundledHome } from '../rig.ts';
import { startDemo } from './demo.ts';
import { type Look, type Visit, visit } from './visit.ts';

export type ExploreDesk = {
  /** Nothing is prepared: every answer is the service's own. */
  readonly open: (path: string, width: Look['width']) => Promise<Visit>;
  /** What the API answers: for the made-up town to the public sandbox key, else to the demo account. */
  readonly call: <Path extends keyof Answers>(
    path: Path,
    params: Readonly<Record<string, string>>,
  ) => Promise<Answers[Path]>;
  /** Calls that pages made whose address has that text. */
  readonly asked: (text: string) => readonly string[];
  readonly close: () => Promise<void>;
};

export async function openExploreDesk(executable: string): Promise<ExploreDesk> {
  const { home, remove } = await bundledHome();
  const running = await startDemo(home);
  const { browser, close } = await startBrowser(executable);
  const demoKey = /dd_live_\w+/.exec(running.output())?.[0] ?? assert.fail('no demo key was printed');
  const asked: string[] = [];
  return {
    open: async (path, width) => {
      const visited = await visit(browser, running.url, { width, colours: 'light' });
      visited.page.on('request', (request) => asked.push(request.url()));
      await visited.page.goto(path);
      return visited;
    },
    call: async (path, params) => {
      const key = params.postcode?.startsWith('ZZ') ? publicKey : demoKey;
      const response = await fetch(`${running.url}/api/v1${path}?${new URLSearchParams(params)}`, {
        headers: { 'x-api-key': key },
      });
      const body = JSON.parse(await response.text());
      assert.equal(response.status, 200, JSON.stringify(body));
      return body.data;
    },
    asked: (text) => asked.filter((url) => url.includes(text)),
    close: async () => {
      await close();
      await running.stop();
      remove();
    },
  };
}
