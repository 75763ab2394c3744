// The pages of the public valuation site (check-council-tax-band), read strictly: a page of another form is called
// odd, because a home overlooked on it would look as if it did not exist.

import { parseWrittenDay } from '../uk/calendar.ts';
import { packPostcodeText } from '../uk/postcode.ts';

export type SiteHome = {
  /** Without the postcode. */
  readonly address: string;
  /** A to I. */
  readonly band: string;
  /** As the site names it. */
  readonly authority: string;
  /** Address of its own page. */
  readonly page: string;
};

export type SearchPage =
  | {
      readonly kind: 'results';
      /** Those with a band. */
      readonly homes: readonly SiteHome[];
      /** Rows on this page: its homes, and entries that were deleted. The site counts both. */
      readonly rows: number;
      /** Number of the first row on this page, from 1. */
      readonly first: number;
      /** Rows on all pages. */
      readonly total: number;
      readonly next: string | undefined;
    }
  | { readonly kind: 'no results' }
  /** Only the form: the site does not know this session. */
  | { readonly kind: 'form' }
  /** The site says that it is closed, or to us: nothing was said about the postcode. */
  | { readonly kind: 'closed'; readonly problem: string }
  | { readonly kind: 'odd'; readonly problem: string };

type PropertyPage =
  | {
      readonly kind: 'property';
      readonly band: string;
      /** Empty where the page has none. */
      readonly reference: string;
      readonly effective: number | undefined;
    }
  | { readonly kind: 'odd'; readonly problem: string };

/** What the site shows on one page. */
export const homesPerPage = 20;

/** Words in the heading or title of a page that stands in for every page of a site. */
const closed =
  /\b(denied|forbidden|blocked|rejected|captcha|robot|too many|unusual|verify|unavailable|down|maintenance|problem with|temporarily|error|sorry)\b/i;

const odd = (problem: string) => ({ kind: 'odd', problem }) as const;

/** The hidden field without which the form is refused. */
export function readToken(html: string): string | undefined {
  for (const { text } of startTags(html, 'input')) {
    if (attribute(text, 'name') === 'csrfToken') return attribute(text, 'value') || undefined;
  }
  return undefined;
}

/** `postcode` is the one that was searched for; links are resolved against `address`. */
export function readSearchPage(html: string, postcode: string, address: string): SearchPage {
  const heading = textOf(contentOf(html, 'h1') ?? '');
  const wanted = packPostcodeText(postcode);
  const none = /^No results for\b(.*)$/i.exec(heading);
  if (none !== null) {
    const named = packPostcodeText((none[1] ?? '').trim());
    return named === undefined || named === wanted
      ? { kind: 'no results' }
      : odd('no results for another postcode');
  }
  const found = /^Search results for\b(.*)$/i.exec(heading);
  if (found === null) {
    if (readToken(html) !== undefined) return { kind: 'form' };
    const problem = 'no known heading';
    const title = textOf(contentOf(html, 'title') ?? '');
    return closed.test(`${heading} ${title}`) ? { kind: 'closed', problem } : odd(problem);
  }
  if (packPostcodeText((found[1] ?? '').trim()) !== wanted) return odd('results for another postcode');
  const table = contentOf(html, 'table', (tag) => attribute(tag, 'id') === 'search-results-table');
  if (table === undefined) return odd('no table of results');
  const listed = readRows(table, wanted, address);
  if (typeof listed === 'string') return odd(listed);
  return withPlace(html, listed, address);
}

/** Where the page stands among all: "Showing 21 - 40 of 47 results". */
function withPlace(html: string, { homes, rows }: ListedRows, address: string): SearchPage {
  const next = readNext(html, address);
  const banner = /Showing\s+(\d{1,5})\s*[-–]\s*(\d{1,5})\s+of\s+(\d{1,5})\s+results?\b/i.exec(html);
  if (banner === null) {
    // One short page may do without; a long one could be the first of several.
    return next === undefined && rows < homesPerPage
      ? { kind: 'results', homes, rows, first: 1, total: rows, next }
      : odd('no count of results');
  }
  const [first, last, total] = [Number(banner[1]), Number(banner[2]), Number(banner[3])];
  if (last - first + 1 !== rows) return odd('fewer or more rows than the page says');
  if (last < total && next === undefined) return odd('no link to the next page');
  return { kind: 'results', homes, rows, first, total, next: last < total ? next : undefined };
}

const headings = { address: 'address', band: 'council tax band', authority: 'local authority' } as const;

type ListedRows = { readonly homes: readonly SiteHome[]; readonly rows: number };

/** What stands in place of the band where the entry was taken out of the list. */
const deleted = /^deleted\b/i;

/** Or what is odd about them. */
function readRows(table: string, postcode: number | undefined, address: string): ListedRows | string {
  const rows = table.split(/<tr\b/).slice(1);
  const header = cellsOf(rows[0] ?? '', 'th').map((cell) => textOf(cell).toLowerCase());
  const [addressAt, bandAt, authorityAt] = [
    header.indexOf(headings.address),
    header.indexOf(headings.band),
    header.indexOf(headings.authority),
  ];
  if (addressAt === -1 || bandAt === -1 || authorityAt === -1) return 'other columns in the table';
  const homes: SiteHome[] = [];
  for (const row of rows.slice(1)) {
    const cells = cellsOf(row, 'td');
    const link = firstTag(cells[addressAt] ?? '', 'a') ?? '';
    const band = textOf(cells[bandAt] ?? '');
    const text = withoutPostcode(textOf(cells[addressAt] ?? ''), postcode);
    if (cells.length !== header.length || text === undefined || text === '') return 'a row of another form';
    if (deleted.test(band)) continue;
    if (!/^[A-I]$/.test(band)) return 'a row without a band';
    const page = linkTo(attribute(link, 'href') ?? '', address);
    if (page === undefined) return 'a row without a link';
    homes.push({ address: text, band, authority: textOf(cells[authorityAt] ?? ''), page });
  }
  return rows.length === 1 ? 'a table without rows' : { homes, rows: rows.length - 1 };
}

/** Undefined where the address ends with another postcode. */
function withoutPostcode(text: string, postcode: number | undefined): string | undefined {
  const at = text.lastIndexOf(', ');
  const last = packPostcodeText(text.slice(at + 2));
  if (at === -1 || last === undefined) return text;
  return last === postcode ? text.slice(0, at) : undefined;
}

function readNext(html: string, address: string): string | undefined {
  const at = html.indexOf('hmrc-vo-pagination__item--next');
  const link = at === -1 ? undefined : firstTag(html.slice(at, at + 4000), 'a');
  return link === undefined ? undefined : linkTo(attribute(link, 'href') ?? '', address);
}

/** In lower case. */
const labels = {
  band: /^(?:council tax )?band$/,
  reference: /\breference\b/,
  effective: /^effective date\b/,
} as const;

export function readPropertyPage(html: string): PropertyPage {
  const terms = new Map<string, string>();
  for (const part of html.split(/<dt\b/).slice(1)) {
    const label = textOf(contentOf(`<dt${part}`, 'dt') ?? '').toLowerCase();
    const value = contentOf(part, 'dd');
    if (label !== '' && value !== undefined) terms.set(label, textOf(value));
  }
  const find = (label: RegExp) => [...terms].find(([name]) => label.test(name))?.[1] ?? '';
  const band = /^(?:Band )?([A-I])$/i.exec(find(labels.band))?.[1]?.toUpperCase();
  if (band === undefined) return odd('no band on the page of the property');
  const written = find(labels.effective);
  const effective = parseWrittenDay(written);
  if (written !== '' && effective === undefined) return odd('an effective date of another form');
  return { kind: 'property', band, reference: find(labels.reference), effective };
}

function cellsOf(row: string, name: 'td' | 'th'): readonly string[] {
  return row
    .split(`<${name}`)
    .slice(1)
    .map((cell) => cell.slice(cell.indexOf('>') + 1).split(`</${name}>`)[0] ?? '');
}

/** Longer ones are no tags of this site. */
const tagCharsMost = 2_000;

/** Every look goes on where the one before ended: a page of nothing but "<" takes no longer than any other. */
function* startTags(html: string, name: string) {
  const opening = `<${name}`;
  for (let at = html.indexOf(opening); at !== -1; at = html.indexOf(opening, at + opening.length)) {
    if (/\w/.test(html.charAt(at + opening.length))) continue;
    const end = html.indexOf('>', at);
    if (end === -1) return;
    if (end - at <= tagCharsMost) yield { text: html.slice(at, end + 1), end: end + 1 };
    at = end - opening.length;
  }
}

const firstTag = (html: string, name: string): string | undefined => {
  for (const { text } of startTags(html, name)) return text;
  return undefined;
};

/** What stands in the first such element. */
function contentOf(html: string, name: string, isWanted = (_tag: string) => true): string | undefined {
  for (const { text, end } of startTags(html, name)) {
    if (!isWanted(text)) continue;
    const to = html.indexOf(`</${name}>`, end);
    return to === -1 ? undefined : html.slice(end, to);
  }
  return undefined;
}

const attribute = (tag: string, name: string): string | undefined => {
  const value = new RegExp(`\\s${name}="([^"]*)"`).exec(tag)?.[1];
  return value === undefined ? undefined : decode(value);
};

/** Undefined where it leads nowhere, or off the site. */
function linkTo(href: string, address: string): string | undefined {
  if (href.trim() === '' || href.trim().startsWith('#')) return undefined;
  const to = URL.parse(href.trim(), address);
  return to !== null && to.origin === URL.parse(address)?.origin ? to.href : undefined;
}

const textOf = (html: string): string => decode(withoutTags(html)).replace(/\s+/g, ' ').trim();

/** As `replace(/<[^>]*>/g, ' ')`, which would look for the end of every "<" anew. */
function withoutTags(html: string): string {
  let text = '';
  let from = 0;
  for (let at = html.indexOf('<'); at !== -1; at = html.indexOf('<', from)) {
    const end = html.indexOf('>', at);
    if (end === -1) break;
    text += `${html.slice(from, at)} `;
    from = end + 1;
  }
  return text + html.slice(from);
}

const entities: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: ' ',
  ndash: '–',
  rsquo: '’',
};

function decode(text: string): string {
  return text.replace(/&(?:#(\d{1,6})|#x([\da-f]{1,6})|([a-z]{2,6}));/gi, (whole, decimal, hex, name) => {
    if (name !== undefined) return entities[String(name).toLowerCase()] ?? whole;
    const code = decimal === undefined ? Number.parseInt(hex, 16) : Number(decimal);
    return code > 0 && code <= 0x10_ffff ? String.fromCodePoint(code) : whole;
  });
}
