// A valuation site on this machine: form with token, session cookie, table of twenty, pages and records as the real
// one has them, and misbehaviour on demand.

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';

export type Mood =
  | 'well'
  | 'silent'
  | 'cut'
  | 'junk'
  | 'huge'
  | 'other columns'
  | 'no table'
  | 'no count'
  | 'no token'
  | 'expired'
  | 'other postcode'
  | 'endless'
  | 'crowded'
  | 'same page'
  | 'elsewhere'
  | 'in a circle'
  | 'odd band'
  | 'odd link'
  | 'many cookies'
  | 429
  | 403
  | 503
  | 404;

export type Listed = { readonly address: string; readonly band: string; readonly authority?: string };

export type ValuationServer = {
  readonly url: string;
  /** Method and address of each request, in order. */
  readonly asked: string[];
  /** How the next requests are answered, one after the other; then `mood`. */
  readonly moods: Mood[];
  mood: Mood;
  /** Sessions known so far are forgotten. */
  forget(): void;
  /** The longest that a request carried. */
  cookieLength: number;
  /** Of the requests, how many have been answered. */
  answered: number;
  /** Of whoever asks it: over when a question is met with silence. */
  readonly patience: Patience;
  close(): Promise<void>;
};

/** A caller's patience that ends when it is met with silence, and never by the clock: a slow machine is no slow service. */
type Patience = {
  /** For the request that begins now. */
  readonly deadline: () => AbortSignal;
  /** The service will not answer the newest request. */
  readonly meetSilence: () => void;
};

function patienceOfCaller(): Patience {
  let newest = new AbortController();
  return {
    deadline: () => {
      newest = new AbortController();
      return newest.signal;
    },
    meetSilence: () => newest.abort(new DOMException('Nothing was answered.', 'TimeoutError')),
  };
}

const base = '/check-council-tax-band';
const perPage = 20;

type Homes = Readonly<Record<string, readonly Listed[]>>;

/** `homes` by postcode; addresses come without it. */
export async function openValuationServer(homes: Homes): Promise<ValuationServer> {
  const asked: string[] = [];
  const moods: Mood[] = [];
  /** Token by session. */
  const sessions = new Map<string, string>();
  const server = createServer(async (request, response) => {
    asked.push(`${request.method} ${request.url}`);
    response.once('close', () => {
      site.answered += 1;
    });
    const body = await bodyOf(request);
    const mood = moods.shift() ?? site.mood;
    if (answerBadly(response, mood, site.patience)) return;
    const url = new URL(request.url ?? '', 'http://localhost');
    site.cookieLength = Math.max(site.cookieLength, request.headers.cookie?.length ?? 0);
    const more =
      mood === 'many cookies'
        ? Array.from({ length: 100 }, (_, at) => `c${asked.length}x${at}=${'x'.repeat(50)}`)
        : [];
    response.setHeader('set-cookie', more);
    const session = /mdtp=(\w+)/.exec(request.headers.cookie ?? '')?.[1] ?? '';
    if (request.method === 'GET' && url.pathname === `${base}/search` && url.search === '') {
      const fresh = `s${sessions.size + 1}`;
      sessions.set(fresh, `tok${sessions.size + 1}-1776492443422-80cb`);
      response.setHeader('set-cookie', [`mdtp=${fresh}; Path=/; HttpOnly; Secure; SameSite=Lax`, ...more]);
      return page(response, formOf(mood === 'no token' ? undefined : sessions.get(fresh)));
    }
    const token = mood === 'expired' ? undefined : sessions.get(session);
    if (request.method === 'POST') {
      const form = new URLSearchParams(body);
      if (token === undefined || form.get('csrfToken') !== token) return void response.writeHead(403).end();
      const key = Buffer.from(form.get('postcode') ?? '').toString('base64url');
      return void response.writeHead(303, { location: `${base}/search?postcode=${key}&page=0` }).end();
    }
    if (url.pathname.startsWith(`${base}/property/`))
      return page(response, recordOf(homes, url.pathname, mood));
    if (token === undefined) return page(response, formOf('tok-other'));
    const postcode = Buffer.from(url.searchParams.get('postcode') ?? '', 'base64url').toString();
    const number = Number(url.searchParams.get('page'));
    page(response, resultsOf(postcode, homes[postcode] ?? [], number, token, mood));
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  const site: ValuationServer = {
    url: `http://127.0.0.1:${port}${base}`,
    asked,
    moods,
    mood: 'well',
    answered: 0,
    cookieLength: 0,
    patience: patienceOfCaller(),
    forget: () => sessions.clear(),
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
  return site;
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of request) text += chunk;
  return text;
}

/** True where the answer is given (or never will be). */
function answerBadly(response: ServerResponse, mood: Mood, patience: Patience): boolean {
  if (typeof mood === 'number') {
    response.writeHead(mood, mood === 429 ? { 'retry-after': '120' } : {}).end();
    return true;
  }
  switch (mood) {
    case 'silent':
      patience.meetSilence();
      return true;
    case 'cut':
      response.writeHead(200, { 'content-length': '5000' });
      response.write('<html><h1>Search results for');
      response.socket?.destroy();
      return true;
    case 'junk':
      response.writeHead(200).end('<html><body><h1>Sorry, the service is down</h1></body></html>');
      return true;
    case 'huge':
      response.writeHead(200).end('<'.repeat(3_000_000));
      return true;
    case 'elsewhere':
      response.writeHead(303, { location: 'http://127.0.0.1:9/login' }).end();
      return true;
    case 'in a circle':
      response.writeHead(303, { location: `${base}/search` }).end();
      return true;
    default:
      return false;
  }
}

const escapeText = (text: string) => text.replaceAll('&', '&amp;').replaceAll("'", '&#x27;');
const page = (response: ServerResponse, html: string) =>
  void response
    .writeHead(200, { 'content-type': 'text/html; charset=UTF-8' })
    .end(`<!DOCTYPE html>\n${html}`);

const formOf = (token: string | undefined) => `<html lang="en"><head><title>Search</title></head><body>
  <h1 class="govuk-heading-l">Check your Council Tax band</h1>
  <form method="POST" novalidate action="${base}/search" role="search">
    ${token === undefined ? '' : `<input type="hidden" name="csrfToken" value="${token}"/>`}
    <input class="govuk-input" id="postcode" name="postcode" type="text" value="">
  </form></body></html>`;

const idOf = (postcode: string, index: number) => `${postcode.replace(' ', '')}-${index}`.toLowerCase();

function resultsOf(
  asked: string,
  homes: readonly Listed[],
  number: number,
  token: string,
  mood: Mood,
): string {
  const postcode = mood === 'other postcode' ? 'ZZ9 9ZZ' : asked;
  if (homes.length === 0) {
    return `<html><body><h1 class="govuk-heading-l">No results for ${postcode}</h1>${formOf(token)}</body></html>`;
  }
  const size = mood === 'endless' ? 1 : perPage;
  const at = mood === 'same page' ? 0 : number;
  const total = mood === 'endless' ? 400 : mood === 'crowded' ? 9_999 : homes.length;
  const shown = homes.slice(at * size, (at + 1) * size);
  const first = at * size + 1;
  const isLast = first - 1 + shown.length >= total;
  const key = Buffer.from(asked).toString('base64url');
  const table = `<table class="govuk-table" id="search-results-table">
    <thead class="govuk-table__head"><tr class="govuk-table__row">
      <th scope="col" class="govuk-table__header">Address</th>
      <th scope="col" class="govuk-table__header">${mood === 'other columns' ? 'Price' : 'Council Tax band'}</th>
      <th scope="col" class="govuk-table__header">Local Authority</th></tr></thead>
    <tbody class="govuk-table__body">${shown
      .map(({ address, band, authority = 'Islington' }, index) => {
        const text = escapeText(`${address}, ${postcode}`);
        const letter = mood === 'odd band' ? 'n/a' : band;
        const link =
          mood === 'odd link' ? 'javascript:alert(1)' : `${base}/property/${idOf(asked, first - 1 + index)}`;
        return `<tr class="govuk-table__row">
          <td class="govuk-table__cell"

><a href="${link}" class="govuk-link"
title="Property details for ${text} (Band ${band})">${text}</a></td>
          <td class="govuk-table__cell"

>${letter}</td>
          <td class="govuk-table__cell"

><a href="http://www.example.gov.uk" class="govuk-link">${authority}</a></td></tr>`;
      })
      .join('\n')}</tbody></table>`;
  const count = `Showing ${first} - ${first + shown.length - 1} of ${total} results`;
  const next = `<span class="hmrc-vo-pagination__item  hmrc-vo-pagination__item--next">
    <a class="hmrc-vo-pagination__link" href="${base}/search?postcode=${key}&amp;page=${number + 1}
    "><span aria-hidden="true">Next</span></a></span>`;
  return `<html><head><title>Search results for ${postcode}</title></head><body>
    <h1 class="govuk-heading-l">Search results for ${postcode}</h1>
    <div>${mood === 'no count' ? '' : count}</div><div>Last updated on 15 April 2026</div>
    ${mood === 'no table' ? '' : table}
    <nav class="hmrc-vo-pagination">${isLast ? '' : next}</nav>
    <p class="govuk-body">This data is not to be used for commercial use</p>${formOf(token)}</body></html>`;
}

function recordOf(homes: Homes, pathname: string, mood: Mood): string {
  const id = pathname.split('/').at(-1) ?? '';
  for (const [postcode, listed] of Object.entries(homes)) {
    for (const [index, { band, authority = 'Islington' }] of listed.entries()) {
      if (idOf(postcode, index) !== id) continue;
      const terms = [
        ['Local authority', authority],
        ['Local authority reference number', `REF${index + 1}`],
        ['Council Tax band', mood === 'odd band' ? 'Z' : band],
        ['Improvement indicator', 'No'],
        ['Effective date', '1 April 1993'],
        ['Mixed-use property', 'No'],
        ['Court code', 'None'],
      ];
      return `<html><body><h1>Property details</h1><dl class="govuk-summary-list">${terms
        .map(
          ([term, value]) => `<div class="govuk-summary-list__row">
            <dt class="govuk-summary-list__key">${term}</dt>
            <dd class="govuk-summary-list__value">${value}</dd></div>`,
        )
        .join('')}</dl></body></html>`;
    }
  }
  return '<html><body><h1>Page not found</h1></body></html>';
}
