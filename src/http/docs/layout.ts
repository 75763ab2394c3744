// The frame around a page of the documentation: the bar with the search, the contents at the left, the page itself, what is on
// it, and the pages before and after it.

import type { Block, DocsPage, Shown } from './blocks.ts';
import { breakable, type Html, html, nothing, page, prose } from './html.ts';
import { renderBlocks } from './render.ts';

/** A group of the contents: its title, and pages by what they are called there. */
export type NavGroup = {
  readonly title: string;
  readonly links: readonly { readonly href: string; readonly label: string; readonly isCode?: true }[];
};

type Frame = {
  readonly contents: readonly NavGroup[];
  readonly version: string;
  readonly shown: Shown;
  /** Address of the page as Markdown; undefined of a page that is not there. */
  readonly asMarkdown: string | undefined;
};

export function layOut(told: DocsPage, frame: Frame): string {
  const { path, title, blocks, beside } = told;
  const { asMarkdown } = frame;
  const isReference = beside.length > 0;
  // What an endpoint does is said before its request is shown, on a phone too.
  const opened = isReference ? blocks.findIndex(({ kind }) => kind === 'heading') : 0;
  const [intro, rest] = [blocks.slice(0, opened), blocks.slice(opened)];
  const alternate =
    asMarkdown === undefined
      ? nothing
      : html`<link rel="alternate" type="text/markdown" href="${asMarkdown}">\n`;
  const script = html`${alternate}<script type="module" src="/docs/docs.js"></script>${
    isReference ? html`\n<script type="module" src="/docs/try.js"></script>` : nothing
  }`;
  const body = html`${bar(frame)}
<div class="columns${isReference ? ' reference' : ''}">
${contents(frame, path)}
<main id="main" tabindex="-1">
${opening(told, frame, renderBlocks(intro, frame.shown, 'intro'))}
${isReference ? html`<div class="shown">\n${renderBlocks(beside, frame.shown, 'beside')}</div>` : nothing}
<div class="told">
${renderBlocks(rest, frame.shown, 'call')}</div>
${footer(told, frame)}
</main>
${isReference ? nothing : onThisPage(blocks)}
</div>`;
  return page({ title: `${title} · Domesday docs`, script, body });
}

function bar({ version }: Frame): Html {
  return html`<header class="bar">
<button type="button" class="menu" popovertarget="contents" aria-label="Contents"><span aria-hidden="true"></span></button>
<p class="brand"><a href="/">Domesday</a> <a class="docs" href="/docs">Docs</a> <span class="version">v${version}</span></p>
<form class="search js-only" role="search" hidden>
<label class="unseen" for="search">Search the documentation</label>
<input id="search" type="search" role="combobox" aria-expanded="false" aria-controls="found" aria-autocomplete="list" autocomplete="off" spellcheck="false" autocapitalize="off" placeholder="Search">
<kbd aria-hidden="true">/</kbd>
<div id="found" class="found" role="listbox" aria-label="Pages found" hidden></div>
<p id="found-count" class="unseen" role="status"></p>
</form>
<p class="elsewhere"><a href="/explore">Explore</a> <a href="/account">Dashboard</a></p>
</header>`;
}

function contents({ contents: groups }: Frame, path: string): Html {
  return html`<nav id="contents" class="contents" popover aria-label="Documentation">
${groups.map(
  ({ title, links }) => html`<p>${title}</p>
<ul>${links.map(
    ({ href, label, isCode }) =>
      html`<li><a href="${href}"${isCode ? html` class="path"` : nothing}${href === path ? html` aria-current="page"` : nothing}>${breakable(label)}</a></li>`,
  )}</ul>
`,
)}</nav>`;
}

function opening(
  { title, summary, facts, trail, blocks, beside }: DocsPage,
  { asMarkdown }: Frame,
  intro: readonly Html[],
): Html {
  const method = /^(GET|POST) (\/.*)$/.exec(title);
  const head =
    method === null
      ? html`<h1 id="title"${/^[A-Z_]+$/.test(title) ? html` class="code-title"` : nothing}>${breakable(title)}</h1>`
      : html`<h1 id="title" class="code-title"><span class="method">${method[1] ?? ''}</span> ${breakable(method[2] ?? '')}</h1>`;
  return html`<header class="opening">
<p class="trail"><span>${trail.map(([words, href]) => html`<a href="${href}">${words}</a> <span aria-hidden="true">›</span> `)}</span>${
    asMarkdown === undefined ? nothing : html`<a class="as-markdown" href="${asMarkdown}">Markdown</a>`
  }</p>
${head}
<p class="lead">${prose(summary)}</p>
${facts.length === 0 ? nothing : html`<p class="facts">${facts.map((fact) => html`<span>${fact}</span>`)}</p>`}
${intro}
${beside.length === 0 ? nothing : chips(blocks)}
</header>`;
}

type Heading = Extract<Block, { readonly kind: 'heading' }>;
const headingsOf = (blocks: readonly Block[]): readonly Heading[] =>
  blocks.filter((block) => block.kind === 'heading');

const links = (headings: readonly Heading[]): Html =>
  html`<ul>${headings.map(({ id, text }) => html`<li><a href="#${id}">${text}</a></li>`)}</ul>`;

const chips = (blocks: readonly Block[]): Html =>
  html`<nav class="chips" aria-label="On this page">${links(headingsOf(blocks))}</nav>`;

function onThisPage(blocks: readonly Block[]): Html {
  const headings = headingsOf(blocks);
  if (headings.length < 2) return nothing;
  return html`<nav class="toc" aria-label="On this page"><p>On this page</p>
${links(headings)}</nav>`;
}

/** In the order of the contents. */
function footer({ path }: DocsPage, { contents: groups }: Frame): Html {
  const all = groups.flatMap(({ links: each }) => each);
  const place = all.findIndex(({ href }) => href === path);
  const before = place > 0 ? all[place - 1] : undefined;
  const after = place === -1 ? undefined : all[place + 1];
  const step = (way: 'before' | 'after', to: (typeof all)[number] | undefined) =>
    to === undefined
      ? nothing
      : html`<a class="${way}" rel="${way === 'before' ? 'prev' : 'next'}" href="${to.href}"><span>${way === 'before' ? 'Previous' : 'Next'}</span> ${breakable(to.label)}</a>`;
  return html`<footer class="steps">${step('before', before)}${step('after', after)}</footer>`;
}
