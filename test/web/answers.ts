// What a page is told in a test without a service behind it: answers by route, typed by the contract of the pages. Whatever a
// page asks beyond them is a fault of the test.

import type { Route as Asked, Page } from 'playwright-core';
import type { RefusalCode } from '../../src/people/people.ts';
import type { RouteName, Routes } from '../../src/portal/routes.ts';

export type Refused = {
  readonly status: number;
  readonly error: { readonly code: RefusalCode; readonly message: string; readonly field?: string };
};

/** `never`: the answer does not come. */
type AnswerOf<R extends RouteName> = Routes[R]['tells'] | Refused | 'never';

export type Answers = { readonly [R in RouteName]?: AnswerOf<R> };

export const refused = (status: number, code: RefusalCode, message: string, field?: string): Refused => ({
  status,
  error: { code, message, ...(field === undefined ? {} : { field }) },
});

const isRefused = (answer: object): answer is Refused => 'error' in answer && 'status' in answer;

/** Beside the answers, live events end at once. */
export async function answerPortal(page: Page, answers: Answers, faults: string[]): Promise<void> {
  const prepared = Object.entries(answers).map(([route, answer]) => {
    const [method = '', path = ''] = route.split(' ');
    return { method, form: new RegExp(`^${path.replaceAll(/:\w+/g, '[^/]+')}$`), answer };
  });
  await page.route('**/portal/**', async (asked: Asked) => {
    const request = asked.request();
    const { pathname } = new URL(request.url());
    if (pathname.endsWith('/live')) return asked.fulfill({ status: 204 });
    const found = prepared.find(({ method, form }) => method === request.method() && form.test(pathname));
    if (found?.answer === 'never') return;
    if (found?.answer === undefined) {
      faults.push(`nothing is prepared for ${request.method()} ${pathname}`);
      return asked.fulfill({
        status: 404,
        json: { error: { code: 'NOT_FOUND', message: 'Nothing is prepared.' } },
      });
    }
    const { answer } = found;
    return isRefused(answer)
      ? asked.fulfill({ status: answer.status, json: { error: answer.error } })
      : asked.fulfill({ json: answer });
  });
}
