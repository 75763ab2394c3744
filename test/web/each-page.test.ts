// Each page once, in the first of its states, on a phone: it is drawn, nothing goes wrong, and nothing is wider than the screen.
// The slow run looks at every state.

import { test } from '../browser.ts';
import { serviceOfFile } from './service.ts';
import { show } from './show.ts';
import { states } from './states/index.ts';
import { lookAt, type Visit, visit } from './visit.ts';

const service = serviceOfFile();
let opened: Promise<Visit> | undefined;
const pageOf = ({ path }: { readonly path: string }) => new URL(path, 'http://any').pathname;
for (const [page, [state]] of Map.groupBy(states, pageOf)) {
  if (state === undefined) continue;
  test(`${page} is drawn`, async () => {
    opened ??= visit(service().browser, service().running.url, { width: 360, colours: 'light' });
    const visited = await opened;
    await show(visited, state);
    await lookAt(visited, state.name);
  });
}
