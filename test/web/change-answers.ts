// Answers of the API as a test wants them: those of the service, changed call by call, whether a page asks for one alone or for many
// in a batch.

import type { Page, Route } from 'playwright-core';

export type CallAnswer = {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  // biome-ignore lint/suspicious/noExplicitAny: JSON, of which each test knows the shape.
  readonly body: any;
};

/** Undefined: as the service says. */
type Change = (told: CallAnswer, params: URLSearchParams) => CallAnswer | undefined;

type Calls = {
  readonly calls: readonly { readonly path: string; readonly params: Readonly<Record<string, string>> }[];
};
type Results = { readonly results: CallAnswer[] };

/** `paths`: such as `/crime/by-postcode`; the last change of one counts. */
export async function changeAnswers(
  page: Page,
  paths: readonly string[] | 'every call',
  change: Change,
): Promise<void> {
  const isMeant = (path: string) => paths === 'every call' || paths.includes(path);
  await page.route('**/api/v1/**', async (route) => {
    const { pathname, searchParams } = new URL(route.request().url());
    const path = pathname.replace('/api/v1', '');
    if (path === '/batch') return changeBatch(route, isMeant, change);
    if (!isMeant(path) || route.request().headers().accept === 'text/csv') return route.fallback();
    const response = await fetchAsPage(route);
    const told = { status: response.status(), headers: response.headers(), body: await response.json() };
    const { status, headers = {}, body } = change(told, searchParams) ?? told;
    await route.fulfill({ response, status, headers: { ...response.headers(), ...headers }, json: body });
  });
}

/** Playwright leaves out where a request comes from, by which the service knows its own pages. */
const fetchAsPage = (route: Route) =>
  route.fetch({ headers: { ...route.request().headers(), 'sec-fetch-site': 'same-origin' } });

async function changeBatch(route: Route, isMeant: (path: string) => boolean, change: Change): Promise<void> {
  const { calls }: Calls = route.request().postDataJSON();
  if (!calls.some(({ path }) => isMeant(path))) return route.fallback();
  const response = await fetchAsPage(route);
  const told: Results = await response.json();
  const results = told.results.map((result, place) => {
    const { path = '', params = {} } = calls[place] ?? {};
    if (!isMeant(path)) return result;
    const changed = change(result, new URLSearchParams(params));
    return changed && { creditsCharged: 0, ...result, headers: {}, ...changed };
  });
  await route.fulfill({
    response,
    json: { ...told, results: results.map((result, place) => result ?? told.results[place]) },
  });
}

/** As the service refuses. */
export const refusal = (
  status: number,
  error: Readonly<Record<string, unknown>>,
  headers: Readonly<Record<string, string>> = {},
): CallAnswer => ({ status, headers, body: { success: false, error } });

export const notNow = refusal(503, { code: 'DATABASE_ERROR', message: 'Not now.' });
