// Somebody who signed up, confirmed the address and is signed in, in a browser of their own. Quicker than by hand: the page itself
// asks the service, as its own program would.

import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import type { RouteName, Routes } from '../../src/portal/routes.ts';
import { runDomesday } from '../rig.ts';
import type { Service } from './service.ts';
import { type Visit, visit } from './visit.ts';

export const password = 'a quiet meadow at noon';

/** `in` has the parts of the path; the page's cookies and origin go with it. */
export async function askAs<R extends RouteName>(
  page: Page,
  route: R,
  wish: { readonly in?: Routes[R]['in']; readonly takes?: Routes[R]['takes'] } = {},
) {
  const [method = '', path = ''] = route.split(' ');
  const parts = new Map(Object.entries(wish.in ?? {}));
  const address = path.replaceAll(
    /:(\w+)/g,
    (_, name: string) => parts.get(name) ?? assert.fail(`no ${name}`),
  );
  return page.evaluate(
    async (asked) => {
      const response = await fetch(asked.address, {
        method: asked.method,
        ...(asked.takes === undefined
          ? {}
          : { headers: { 'content-type': 'application/json' }, body: JSON.stringify(asked.takes) }),
      });
      return { status: response.status, text: await response.text() };
    },
    { method, address, takes: method === 'GET' ? undefined : (wish.takes ?? {}) },
  );
}

/** What the service tells whom it does not refuse. */
export async function toldTo<R extends RouteName>(
  ...asked: Parameters<typeof askAs<R>>
): Promise<Routes[R]['tells']> {
  const { status, text } = await askAs<R>(...asked);
  assert.equal(status, 200, `${asked[1]}: ${text}`);
  const told: Routes[R]['tells'] = JSON.parse(text);
  return told;
}

export async function signUpAs(service: Service, email: string): Promise<Visit> {
  const visited = await visit(service.browser, service.running.url, { width: 1280, colours: 'light' });
  const { page } = visited;
  await page.goto('/account/sign-in');
  await toldTo(page, 'POST /portal/sign-up', { takes: { email } });
  const token = (await service.link(email, 'confirm')).split('#')[1] ?? assert.fail('a link without a token');
  await toldTo(page, 'POST /portal/confirm', { takes: { token, password } });
  await toldTo(page, 'POST /portal/sign-in', { takes: { email, password } });
  return visited;
}

/** The role is given by the command alone. */
export async function signUpAsOperator(service: Service, email: string): Promise<Visit> {
  const visited = await signUpAs(service, email);
  const made = await runDomesday(['people', 'operator', email], { DOMESDAY_HOME: service.home });
  assert.equal(made.code, 0, made.err);
  return visited;
}
