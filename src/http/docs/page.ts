// The reference at /docs: one page, made on the server from the endpoints and the error table, so that it
// cannot drift from them and reads without JavaScript. web/docs/docs.js only adds the forms.

import { basePath, type Endpoint } from '../../contract/endpoint.ts';
import { exampleParams, exampleText } from '../../contract/examples.ts';
import type { Example, Param } from '../../contract/params.ts';
import { type ErrorCode, errors } from '../../errors.ts';
import { plans } from '../../ledger/plans.ts';
import { statusName } from '../wire/status-names.ts';
import { errorGroups, errorStatuses } from './error-pages.ts';
import {
  anchorOf,
  boundsOf,
  choicesOf,
  curlLine,
  defaultOf,
  exampleReply,
  type Field,
  replyFields,
  tableWords,
  typeName,
} from './fields.ts';
import { guide } from './guide.ts';
import { exampleOrigin, type GuideBlock, type GuideSection } from './guide-blocks.ts';
import {
  brand,
  breakable,
  codeLink,
  type Html,
  html,
  jsonBlock,
  nothing,
  type Piece,
  page,
  prose,
  type Reference,
  shellCode,
} from './html.ts';

export function docsPage(reference: Reference): string {
  const { endpoints, version, publicKey } = reference;
  const sections = guide(reference);
  const body = html`<header class="bar">
${brand(version)}
${keyForm(publicKey)}
</header>
<div class="columns">
${contents(endpoints, sections)}
<main id="main" tabindex="-1">
${opening(endpoints.length, publicKey)}
${sections.map((section) => guideSection(section, reference))}
<h2 class="part" id="endpoints">Endpoints</h2>
${endpoints.map((endpoint) => endpointSection(endpoint, reference))}
<h2 class="part" id="errors">Error codes</h2>
<p class="measure">No error is ever charged. Each reply names its code and links to the code’s page.</p>
${errorGroups}
</main>
</div>`;
  const script = html`<script type="module" src="/docs/docs.js"></script>`;
  return page({ title: 'Domesday API reference', script, body });
}

function keyForm(publicKey: string | undefined): Html {
  const choice =
    publicKey === undefined
      ? html`<label for="key">API key</label>`
      : html`<label class="unseen" for="key-choice">Key that the forms send</label>
<select id="key-choice" data-public-key="${publicKey}"><option value="public">Public sandbox key</option><option value="own">My own key</option></select>
<label class="unseen" for="key">API key</label>`;
  return html`<form class="key js-only" id="key-form" autocomplete="off" hidden>
${choice}
<input id="key" type="password" autocomplete="off" spellcheck="false" autocapitalize="off" placeholder="your key, dd_…" aria-describedby="key-note">
<button type="button" id="key-show" aria-pressed="false" aria-controls="key">Show</button>
<span id="key-note" class="unseen">A key of your own is kept in this tab only, and forgotten when you close it.</span>
</form>`;
}

function opening(count: number, publicKey: string | undefined): Html {
  const what = html`Official open data behind ${count === 1 ? 'one endpoint' : `${count} endpoints`}, answered as JSON.`;
  const how =
    publicKey === undefined
      ? html`<p class="lead">${what} Ask whoever runs this service for a key and put it in the field at the top of this page, then try any endpoint here: a test key is free.</p>`
      : html`<p class="lead">${what} Every form on this page works at once: it sends the public sandbox key, which is free for everyone and answers from a made-up town. For real data choose “My own key” at the top.</p>
<div class="copyable public-key"><pre tabindex="0" aria-label="Public sandbox key"><code>${publicKey}</code></pre>${copyButton}</div>
<p class="measure">This key is no secret. It answers ${plans.basic.limits.minute ?? 'any number of'} calls a minute from one address; a key of your own has its own limits.</p>`;
  return html`<section class="opening" aria-labelledby="title">
<h1 id="title">UK property data</h1>
${how}
</section>`;
}

function contents(endpoints: readonly Endpoint[], sections: readonly GuideSection[]): Html {
  const link = (href: string, label: Piece) => html`<li><a href="#${href}">${label}</a></li>`;
  return html`<details class="contents" open>
<summary>Contents</summary>
<nav aria-label="Contents">
<h2>Start</h2>
<ul>${sections.map(({ id, title }) => link(id, title))}</ul>
<h2><a href="#endpoints">Endpoints</a></h2>
<ul class="paths">${endpoints.map((endpoint) => link(anchorOf(endpoint), breakable(endpoint.path)))}</ul>
<h2><a href="#errors">Error codes</a></h2>
<ul>${errorStatuses.map((status) => link(`status-${status}`, `${status} ${statusName(status)}`))}</ul>
</nav>
</details>`;
}

function guideSection({ id, title, blocks }: GuideSection, reference: Reference): Html {
  return html`<section class="guide" id="${id}" aria-labelledby="${id}-title">
<h2 id="${id}-title">${title}</h2>
${blocks.map((block) => guideBlock(block, reference))}
</section>
`;
}

function guideBlock(block: GuideBlock, reference: Reference): Html {
  switch (block.kind) {
    case 'text':
      return html`<p>${prose(block.text)}</p>`;
    case 'code':
      if (block.language === 'text') return html`<pre tabindex="0"><code>${block.code}</code></pre>`;
      return block.language === 'json'
        ? jsonBlock(block.code)
        : html`<div class="copyable"><pre tabindex="0">${shellCode(block.code, reference)}</pre>${copyButton}</div>`;
    case 'terms':
      return html`<dl class="terms">${block.terms.map(
        ([term, meaning]) => html`<div><dt><code>${term}</code></dt><dd>${prose(meaning)}</dd></div>`,
      )}</dl>`;
  }
}

const copyButton = html`<button type="button" class="copy js-only" hidden>Copy</button>`;

function endpointSection(endpoint: Endpoint, reference: Reference): Html {
  const { publicUrl: origin = exampleOrigin, publicKey } = reference;
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
<h4>Columns as CSV</h4>
${endpoint.csv.map((table) => html`<p>${prose(tableWords(table))}</p>`)}
<h4>Errors</h4>
<ul class="codes">${codes.map((code) => html`<li><span class="status">${errors[code].status}</span> ${codeLink(code)}</li>`)}</ul>
</div>
<div class="shown">
<h4>Request</h4>
<div class="copyable curl"><pre tabindex="0">${shellCode(curlLine(endpoint, { origin, set: 'sandbox', key: publicKey }), reference)}</pre>${copyButton}</div>
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
<td>${prose(description)}${example === undefined ? nothing : html` <span class="example">${exampleWords(example)}</span>`}</td>
</tr>`;
}

function exampleWords(example: Example): Html {
  if (typeof example === 'string') return html`For example <code>${example}</code>`;
  const { sandbox, live } = example;
  return html`For example <code>${sandbox}</code> in the sandbox${live === undefined ? nothing : html`, <code>${live}</code> with a live key`}`;
}

function fieldItem({ name, type, isOptional, description, fields }: Field): Html {
  return html`<li><p><code class="name">${name}</code> <span class="type">${type}${isOptional ? ', may be absent' : ''}</span>${
    description === '' ? nothing : html` <span class="meaning">${prose(description)}</span>`
  }</p>${fields.length === 0 ? nothing : html`<ul>${fields.map(fieldItem)}</ul>`}</li>`;
}

function tryForm(endpoint: Endpoint, id: string): Html {
  const { method, path, params, credits, errors: codes } = endpoint;
  const fills = {
    sandbox: new Map(exampleParams(endpoint, 'sandbox')),
    live: new Map(exampleParams(endpoint, 'live')),
  };
  const hasLive = fills.live.size > 0 || fills.sandbox.size === 0;
  return html`<form class="try js-only" data-method="${method}" data-path="${basePath}${path}" data-credits="${credits}" data-live-example="${hasLive ? 'there' : 'none'}" aria-labelledby="${id}-try" autocomplete="off" hidden>
<h4 id="${id}-try">Try it</h4>
<div class="inputs">
${Object.entries(params).map(([name, param]) =>
  paramInput(`${id}-${name}`, name, param, {
    sandbox: String(fills.sandbox.get(name) ?? ''),
    live: String(fills.live.get(name) ?? ''),
  }),
)}
<p class="input wide outcome-choice"><label for="${id}-outcome">X-Sandbox-Outcome <span class="hint">test keys only</span></label>
<select id="${id}-outcome" class="outcome"><option value="">the real answer</option>${codes.map((code) => html`<option>${code}</option>`)}</select></p>
</div>
<p class="buttons"><button type="submit">Send</button>${
    fills.sandbox.size === 0 ? nothing : html`<button type="button" class="fill">Fill in the example</button>`
  }<span class="key-state"></span></p>
<p class="outcome-line" role="status"></p>
<div class="reply" hidden>
<details><summary>Headers</summary><table class="headers"><tbody></tbody></table></details>
<pre tabindex="0" aria-label="Body of the reply"><code></code></pre>
</div>
</form>`;
}

type Fill = { readonly sandbox: string; readonly live: string };

/** Filled in with what the sandbox answers, so that one click shows something. */
function paramInput(id: string, name: string, param: Param<unknown, ErrorCode>, fill: Fill): Html {
  const { schema, required, example } = param;
  const choices = choicesOf(schema);
  const placeholder = exampleText(example, 'sandbox') ?? defaultOf(schema);
  const mode = schema.type === 'integer' ? 'numeric' : 'text';
  const label = html`<label for="${id}">${name}${required ? html` <span class="required">required</span>` : nothing}</label>`;
  const fills = html`data-sandbox="${fill.sandbox}" data-live="${fill.live}"`;
  const control =
    choices.length > 0
      ? html`<select id="${id}" name="${name}" ${fills}><option value=""></option>${choices.map((choice) => html`<option>${choice}</option>`)}</select>`
      : html`<input id="${id}" name="${name}" type="text" inputmode="${mode}" placeholder="${placeholder}" value="${fill.sandbox}" ${fills} spellcheck="false" autocapitalize="off">`;
  return html`<p class="input">${label}${control}</p>
`;
}
