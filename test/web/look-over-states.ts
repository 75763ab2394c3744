// Pages in their states, in a real browser: no error in the console, no request that leaves the service, nothing serious for
// whoever hears the page, no sideways scrolling on a phone.

import { browser, testWith } from '../requirements.ts';
import { exploreDeskOfFile } from './explore-desk.ts';
import { show } from './show.ts';
import type { State } from './state.ts';
import { lookAs, lookAt, lookOver, type Visit, visit } from './visit.ts';

const phone = { width: 360, colours: 'light' } as const;
const desk = { width: 1280, colours: 'dark' } as const;

export function lookOverStates(states: readonly State[]): void {
  const service = exploreDeskOfFile();
  let opened: Promise<Visit> | undefined;
  for (const state of states) {
    testWith(browser, `${state.name}: readable by everybody, on a phone and on a desk`, async () => {
      opened ??= visit(service().browser, service().url, phone);
      const visited = await opened;
      await show(visited, state, phone);
      await lookOver(visited, `${state.name} at ${phone.width}`);
      await lookAs(visited, desk);
      await lookAt(visited, `${state.name} at ${desk.width}`);
    });
  }
}
