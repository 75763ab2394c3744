// The reference at /docs: one page, made on the server from the endpoints and the error table, so that it
// cannot drift from them and reads without JavaScript. web/docs/docs.js only adds the forms.

import { basePath, type Endpoint } from '../../contract/endpoint.ts';
import { exampleParams } from '../../contract/examples.ts';
import type { Param } from '../../contract/params.ts';
import { type ErrorCode, errorCodes, errors, isErrorCode } from '../../errors.ts';
import { statusName } from '../wire/status-names.ts';
import {
  boundsOf,
  choicesOf,
  curlLine,
  defaultOf,
  exampleReply,
  type Field,
  replyFields,
  typeName,
} from './fields.ts';
import { exampleOrigin, type GuideBlock, type GuideSection, guide } from './guide.ts';

type Html = { readonly html: string };
type Piece = string | number | Html | readonly Html[];

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Every value put into the template is escaped, unless this function made it. */
function html(parts: TemplateStringsArray, ...pieces: readonly Piece[]): Html {
  return { html: parts.map((part, index) => part + markup(pieces[index] ?? '')).join('') };
}

function markup(piece: Piece): string {
  if (typeof piece === 'string') return piece.replace(/[&<>"']/g, (character) => entities[character] ?? '');
  if (typeof piece === 'number') return String(piece);
  return 'html' in piece ? piece.html : piece.map((item) => item.html).join('');
}

const nothing: Html = { html: '' };

export function docsPage(endpoints: readonly Endpoint[], version: string): string {
  const page = html`<!doctype html>
<html lang="en-GB">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Domesday API reference</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/docs/docs.css">
<script type="module" src="/docs/docs.js"></script>
</head>
<body>
<a class="skip" href="#main">Skip to the reference</a>
<header class="bar">
<p class="brand"><a href="#main">Domesday</a> <span class="version">v${version}</span></p>
<form class="key js-only" id="key-form" autocomplete="off" hidden>
<label for="key">API key</label>
<input id="key" type="password" autocomplete="off" spellcheck="false" autocapitalize="off" placeholder="key, dd_test_…" aria-describedby="key-note">
<button type="button" id="key-show" aria-pressed="false" aria-controls="key">Show</button>
<span id="key-note" class="unseen">Kept in this tab only, and forgotten when you close it.</span>
</form>
</header>
<div class="columns">
${contents(endpoints)}
<main id="main" tabindex="-1">
<section class="opening" aria-labelledby="title">
<h1 id="title">UK property data</h1>
<p class="lead">Official open data behind ${endpoints.length === 1 ? 'one endpoint' : `${endpoints.length} endpoints`}, answered as JSON. Put a test key in the field at the top of this page and try any of them here: anyone can use a test key, and it never costs a credit.</p>
</section>
${guide.map(guideSection)}
<h2 class="part" id="endpoints">Endpoints</h2>
${endpoints.map(endpointSection)}
<h2 class="part" id="errors">Error codes</h2>
<p class="measure">No error is ever charged. Each reply names its code and links to the paragraph here.</p>
${errorGroups(endpoints)}
</main>
</div>
</body>
</html>
`;
  return page.html;
}

const anchorOf = ({ method, path }: Endpoint): string =>
  `${method.toLowerCase()}${path.replaceAll('/', '-')}`;

function contents(endpoints: readonly Endpoint[]): Html {
  const link = (href: string, label: Piece) => html`<li><a href="#${href}">${label}</a></li>`;
  return html`<details class="contents" open>
<summary>Contents</summary>
<nav aria-label="Contents">
<h2>Start</h2>
<ul>${guide.map(({ id, title }) => link(id, title))}</ul>
<h2><a href="#endpoints">Endpoints</a></h2>
<ul class="paths">${endpoints.map((endpoint) => link(anchorOf(endpoint), breakable(endpoint.path)))}</ul>
<h2><a href="#errors">Error codes</a></h2>
<ul>${statuses().map((status) => link(`status-${status}`, `${status} ${statusName(status)}`))}</ul>
</nav>
</details>`;
}

/** Lets a long path break after a slash or an underscore, and nowhere else. */
function breakable(text: string): readonly Html[] {
  return text.split(/(?<=[/_])/).map((part, index) => (index === 0 ? html`${part}` : html`<wbr>${part}`));
}

/** Text of ours in which backticks mark code; a code of the error table links to its paragraph. */
function prose(text: string): readonly Html[] {
  return text.split('`').map((part, index) => {
    if (index % 2 === 0) return html`${part}`;
    return isErrorCode(part) ? codeLink(part) : html`<code>${part}</code>`;
  });
}

const codeLink = (code: ErrorCode): Html => html`<a class="code" href="#${code}">${breakable(code)}</a>`;

function guideSection({ id, title, blocks }: GuideSection): Html {
  return html`<section class="guide" id="${id}" aria-labelledby="${id}-title">
<h2 id="${id}-title">${title}</h2>
${blocks.map(guideBlock)}
</section>
`;
}

function guideBlock(block: GuideBlock): Html {
  switch (block.kind) {
    case 'text':
      return html`<p>${prose(block.text)}</p>`;
    case 'code':
      return block.language === 'json'
        ? jsonBlock(block.code)
        : html`<div class="copyable"><pre tabindex="0"><code data-origin="${exampleOrigin}">${block.code}</code></pre>${copyButton}</div>`;
    case 'terms':
      return html`<dl class="terms">${block.terms.map(
        ([term, meaning]) => html`<div><dt><code>${term}</code></dt><dd>${prose(meaning)}</dd></div>`,
      )}</dl>`;
  }
}

const copyButton = html`<button type="button" class="copy js-only" hidden>Copy</button>`;

const jsonToken = /"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*|\b(?:true|false|null)\b/g;

/** Colours keys, strings and other values; what stands between them is punctuation. */
function jsonBlock(json: string): Html {
  const pieces: Html[] = [];
  let end = 0;
  for (const { 0: token, index } of json.matchAll(jsonToken)) {
    const after = index + token.length;
    const kind = token[0] !== '"' ? 'value' : json[after] === ':' ? 'name' : 'text';
    pieces.push(html`${json.slice(end, index)}<span class="json-${kind}">${token}</span>`);
    end = after;
  }
  return html`<pre tabindex="0"><code>${pieces}${json.slice(end)}</code></pre>`;
}

function endpointSection(endpoint: Endpoint): Html {
  const { method, path, summary, description, credits, envelope, errors: codes } = endpoint;
  const id = anchorOf(endpoint);
  const cost = credits === 0 ? 'free' : credits === 1 ? '1 credit' : `${credits} credits`;
  return html`<section class="endpoint" id="${id}" aria-labelledby="${id}-title">
<header>
<h3 id="${id}-title"><span class="method">${method}</span> <code>${breakable(path)}</code></h3>
<p class="summary">${summary}</p>
<p class="facts"><span>${cost}</span>${envelope === 'top-level' ? html`<span>no data wrapper</span>` : nothing}</p>
</header>
<div class="told">
<p>${prose(description)}</p>
<h4>${method === 'GET' ? 'Parameters' : 'Members of the JSON body'}</h4>
${paramsTable(endpoint)}
<h4>Answer</h4>
<ul class="fields"><li><p><code class="name">success</code> <span class="type">true</span></p></li>${replyFields(endpoint).map(fieldItem)}</ul>
<h4>Errors</h4>
<ul class="codes">${codes.map((code) => html`<li><span class="status">${errors[code].status}</span> ${codeLink(code)}</li>`)}</ul>
</div>
<div class="shown">
<h4>Request</h4>
<div class="copyable curl"><pre tabindex="0"><code data-origin="${exampleOrigin}">${curlLine(endpoint, exampleOrigin)}</code></pre>${copyButton}</div>
${tryForm(endpoint, id)}
<h4>Example answer</h4>
${jsonBlock(exampleReply(endpoint))}
</div>
</section>
`;
}

function paramsTable({ params }: Endpoint): Html {
  const rows = Object.entries(params);
  if (rows.length === 0) return html`<p>None.</p>`;
  return html`<table class="params">
<thead><tr><th scope="col">Name</th><th scope="col">Value</th><th scope="col">Meaning</th></tr></thead>
<tbody>${rows.map(([name, param]) => paramRow(name, param))}</tbody>
</table>`;
}

function paramRow(name: string, { required, schema, description, example }: Param<unknown, ErrorCode>): Html {
  const fallback = defaultOf(schema);
  const bounds = boundsOf(schema);
  return html`<tr>
<th scope="row"><code class="name">${name}</code>${required ? html` <span class="required">required</span>` : nothing}</th>
<td>${typeName(schema)}${bounds === '' ? nothing : html`, ${bounds}`}${fallback === '' ? nothing : html`, default <code>${fallback}</code>`}</td>
<td>${prose(description)}${example === undefined ? nothing : html` <span class="example">For example <code>${example}</code></span>`}</td>
</tr>`;
}

function fieldItem({ name, type, isOptional, description, fields }: Field): Html {
  return html`<li><p><code class="name">${name}</code> <span class="type">${type}${isOptional ? ', may be absent' : ''}</span>${
    description === '' ? nothing : html` <span class="meaning">${prose(description)}</span>`
  }</p>${fields.length === 0 ? nothing : html`<ul>${fields.map(fieldItem)}</ul>`}</li>`;
}

function tryForm(endpoint: Endpoint, id: string): Html {
  const { method, path, params, credits, errors: codes } = endpoint;
  const examples = new Map(exampleParams(endpoint).map(([name, value]) => [name, String(value)]));
  return html`<form class="try js-only" data-method="${method}" data-path="${basePath}${path}" data-credits="${credits}" aria-labelledby="${id}-try" autocomplete="off" hidden>
<h4 id="${id}-try">Try it</h4>
<div class="inputs">
${Object.entries(params).map(([name, param]) => paramInput(`${id}-${name}`, name, param, examples.get(name) ?? ''))}
<p class="input wide"><label for="${id}-outcome">X-Sandbox-Outcome <span class="hint">test keys only</span></label>
<select id="${id}-outcome" class="outcome"><option value="">the real answer</option>${codes.map((code) => html`<option>${code}</option>`)}</select></p>
</div>
<p class="buttons"><button type="submit">Send</button>${
    examples.size === 0 ? nothing : html`<button type="button" class="fill">Fill in the example</button>`
  }<span class="key-state"></span></p>
<p class="outcome-line" role="status"></p>
<div class="reply" hidden>
<details><summary>Headers</summary><table class="headers"><tbody></tbody></table></details>
<pre tabindex="0" aria-label="Body of the reply"><code></code></pre>
</div>
</form>`;
}

function paramInput(id: string, name: string, param: Param<unknown, ErrorCode>, fill: string): Html {
  const { schema, required, example } = param;
  const choices = choicesOf(schema);
  const placeholder = example ?? defaultOf(schema);
  const mode = schema.type === 'integer' ? 'numeric' : 'text';
  const label = html`<label for="${id}">${name}${required ? html` <span class="required">required</span>` : nothing}</label>`;
  const control =
    choices.length > 0
      ? html`<select id="${id}" name="${name}" data-fill="${fill}"><option value=""></option>${choices.map((choice) => html`<option>${choice}</option>`)}</select>`
      : html`<input id="${id}" name="${name}" type="text" inputmode="${mode}" placeholder="${placeholder}" data-fill="${fill}" spellcheck="false" autocapitalize="off">`;
  return html`<p class="input">${label}${control}</p>
`;
}

function statuses(): readonly number[] {
  return [...new Set(errorCodes.map((code) => errors[code].status))].sort((a, b) => a - b);
}

function errorGroups(endpoints: readonly Endpoint[]): readonly Html[] {
  return statuses().map(
    (status) => html`<section class="errors" aria-labelledby="status-${status}">
<h3 id="status-${status}"><span class="status">${status}</span> ${statusName(status)}</h3>
${errorCodes.filter((code) => errors[code].status === status).map((code) => errorEntry(code, endpoints))}
</section>
`,
  );
}

function errorEntry(code: ErrorCode, endpoints: readonly Endpoint[]): Html {
  const { when, message, extras } = errors[code];
  return html`<article class="error" id="${code}">
<h4><a class="code" href="#${code}">${breakable(code)}</a></h4>
<dl>
<div><dt>When</dt><dd>${prose(when)}</dd></div>
<div><dt>What to do</dt><dd>${prose(message)}</dd></div>
${extras === undefined ? nothing : html`<div><dt>Also sent</dt><dd><code>${JSON.stringify(extras)}</code></dd></div>`}
${usedBy(code, endpoints)}
</dl>
</article>
`;
}

function usedBy(code: ErrorCode, endpoints: readonly Endpoint[]): Html {
  const users = endpoints.filter((endpoint) => endpoint.errors.includes(code));
  if (users.length === 0) return nothing;
  if (users.length === endpoints.length) return html`<div><dt>Used by</dt><dd>Every endpoint</dd></div>`;
  const links = users.map(
    (endpoint) =>
      html`<li><a href="#${anchorOf(endpoint)}"><code>${breakable(endpoint.path)}</code></a></li>`,
  );
  return html`<div><dt>Used by</dt><dd><ul class="users">${links}</ul></dd></div>`;
}
