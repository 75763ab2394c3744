// Blocks of a page as HTML.

import { basePath, type Endpoint } from '../../contract/endpoint.ts';
import { exampleParams, exampleText } from '../../contract/examples.ts';
import type { Param } from '../../contract/params.ts';
import { type ErrorCode, errors } from '../../errors.ts';
import { statusName } from '../wire/status-names.ts';
import type { Block, Call, Card, ParamRow, Shown } from './blocks.ts';
import { choicesOf, defaultOf, type Field } from './fields.ts';
import { breakable, colouredJson, type Html, html, nothing, prose, shellCode } from './html.ts';
import { errorPath } from './inline.ts';
import { answerBody } from './markdown.ts';
import { exampleCall } from './reference.ts';
import { curlOf, samplesOf } from './samples.ts';

/** `part` keeps the ids of two lists of blocks on one page apart. */
export const renderBlocks = (blocks: readonly Block[], shown: Shown, part: string): readonly Html[] =>
  blocks.map((block, place) => html`${render(block, shown, `${part}-${place}`)}\n`);

// The form that runs an endpoint from its page. Filled in with what the sandbox answers, so that one click shows something;
// web/docs/try.js makes it work, and without a script it is not there.

function tryForm(endpoint: Endpoint, shown: Shown): Html {
  const { method, path, params, credits, errors: codes } = endpoint;
  const fills = {
    sandbox: new Map(exampleParams(endpoint, 'sandbox')),
    live: new Map(exampleParams(endpoint, 'live')),
  };
  const hasLive = fills.live.size > 0 || fills.sandbox.size === 0;
  return html`<form class="try js-only" data-method="${method}" data-path="${basePath}${path}" data-credits="${credits}" data-live-example="${hasLive ? 'there' : 'none'}" aria-labelledby="try" autocomplete="off" hidden>
<h2 id="try">Try it</h2>
${keyFields(shown)}
<div class="inputs">
${Object.entries(params).map(([name, param]) =>
  paramInput(name, param, {
    sandbox: String(fills.sandbox.get(name) ?? ''),
    live: String(fills.live.get(name) ?? ''),
  }),
)}
<p class="input wide outcome-choice"><label for="try-outcome">X-Sandbox-Outcome <span class="hint">test keys only</span></label>
<select id="try-outcome" class="outcome"><option value="">the real answer</option>${codes.map((code) => html`<option>${code}</option>`)}</select></p>
</div>
<p class="buttons"><button type="submit">Send</button>${
    fills.sandbox.size === 0 ? nothing : html`<button type="button" class="fill">Fill in the example</button>`
  }</p>
<p class="key-state"></p>
<details class="as-curl"><summary>This call as curl</summary>
<div class="copyable curl"><pre tabindex="0" aria-label="This call as curl">${shellCode(curlOf(exampleCall(endpoint), shown), shown)}</pre><button type="button" class="copy js-only" hidden>Copy</button></div></details>
<p class="outcome-line" role="status"></p>
<div class="reply" hidden>
<details><summary>Headers</summary><table class="headers"><tbody></tbody></table></details>
<pre tabindex="0" aria-label="Body of the reply"><code></code></pre>
</div>
</form>`;
}

function keyFields({ publicKey }: Shown): Html {
  const choice =
    publicKey === undefined
      ? nothing
      : html`<p class="input"><label for="key-choice">Key</label>
<select id="key-choice" data-public-key="${publicKey}"><option value="public">Public sandbox key</option><option value="own">My own key</option></select></p>`;
  return html`<div class="key" id="key-form">
${choice}
<p class="input own-key"><label for="key">Your API key</label>
<span class="with-button"><input id="key" type="password" autocomplete="off" spellcheck="false" autocapitalize="off" placeholder="dd_…" aria-describedby="key-note"><button type="button" id="key-show" aria-pressed="false" aria-controls="key">Show</button></span>
<span id="key-note" class="hint">Kept in this tab only, and forgotten when you close it.</span></p>
</div>`;
}

type Fill = { readonly sandbox: string; readonly live: string };

function paramInput(name: string, param: Param<unknown, ErrorCode>, fill: Fill): Html {
  const { schema, required, example } = param;
  const id = `try-${name}`;
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

function render(block: Block, shown: Shown, id: string): Html {
  switch (block.kind) {
    case 'heading':
      return html`<h2 id="${block.id}"><a class="anchor" href="#${block.id}">${block.text}</a></h2>`;
    case 'text':
      return html`<p>${prose(block.text)}</p>`;
    case 'note':
      return html`<div class="note"><p>${prose(block.text)}</p></div>`;
    case 'list':
      return html`<ul class="bullets">${block.items.map((item) => html`<li>${prose(item)}</li>`)}</ul>`;
    case 'terms':
      return html`<dl class="terms">${block.terms.map(
        ([term, meaning]) => html`<div><dt>${prose(term)}</dt><dd>${prose(meaning)}</dd></div>`,
      )}</dl>`;
    case 'table':
      return html`<div class="table" role="group" aria-label="Table" tabindex="0"><table>
<thead><tr>${block.head.map((cell) => html`<th scope="col">${cell}</th>`)}</tr></thead>
<tbody>${block.rows.map((row) => tableRow(row, block.head))}</tbody>
</table></div>`;
    case 'code':
      return codeBox(
        block.language === 'json'
          ? html`<code>${colouredJson(block.code)}</code>`
          : shellCode(block.code, shown),
      );
    case 'call':
      return callTabs(block.call, shown, id);
    case 'answer':
      return html`<div class="answer"><p class="answer-line"><span class="${block.status < 400 ? 'good' : 'bad'}">${block.status}</span> ${statusName(block.status)}</p>
<pre tabindex="0" aria-label="Answer"><code>${Object.entries(block.headers).map(
        ([name, value]) => html`<span class="json-name">${name}</span>: ${value}\n`,
      )}${Object.keys(block.headers).length === 0 ? '' : '\n'}${
        'json' in block.body ? colouredJson(answerBody(block.body)) : answerBody(block.body)
      }</code></pre></div>`;
    case 'cards':
      return html`<ul class="cards">${block.cards.map(cardItem)}</ul>`;
    case 'params':
      return html`<ul class="params">${block.rows.map(paramItem)}</ul>`;
    case 'fields':
      return html`<ul class="fields"><li><p><code class="name">success</code> <span class="type">true</span></p></li>${block.fields.map(fieldItem)}</ul>`;
    case 'codes':
      return html`<dl class="codes">${block.codes.map((code) => {
        const { status, when, message, advice = message } = errors[code];
        return html`<div id="${code}"><dt><span class="status">${status}</span> <a class="code" href="${errorPath(code)}">${breakable(code)}</a></dt><dd>${prose(when)}</dd><dd class="cure">${prose(advice)}</dd></div>\n`;
      })}</dl>`;
    case 'form':
      return tryForm(block.endpoint, shown);
  }
}

/** On a phone cells stand below each other, each with the title of its column. */
const tableRow = ([first = '', ...others]: readonly string[], head: readonly string[]): Html =>
  html`<tr><th scope="row">${prose(first)}</th>${others.map(
    (cell, place) => html`<td data-title="${asLabel(head[place + 1] ?? '')}">${prose(cell)}</td>`,
  )}</tr>\n`;

const asLabel = (title: string): string => (title.endsWith('?') ? title : `${title}:`);

const copyButton = html`<button type="button" class="copy js-only" hidden>Copy</button>`;

const codeBox = (code: Html): Html =>
  html`<div class="copyable"><pre tabindex="0">${code}</pre>${copyButton}</div>`;

/** Radio buttons, so that the tabs work without a script and by the arrow keys. */
function callTabs(call: Call, shown: Shown, id: string): Html {
  const samples = samplesOf(call, shown);
  return html`<fieldset class="tabs"><legend class="unseen">Language of the example</legend>
${samples.map(
  ({ name, label }, place) =>
    html`<input type="radio" name="${id}" id="${id}-${name}" value="${name}" class="pick-${name}"${place === 0 ? html` checked` : nothing}><label for="${id}-${name}">${label}</label>`,
)}
${samples.map(
  ({ name, label, code }) =>
    html`<div class="copyable panel panel-${name}"><pre tabindex="0" aria-label="${label}">${shellCode(code, shown)}</pre>${copyButton}</div>`,
)}
</fieldset>`;
}

const cardItem = ({ href, title, text }: Card): Html =>
  html`<li><a href="${href}">${title}</a><p>${prose(text)}</p></li>\n`;

const paramItem = ({ name, required, value, fallback, meaning }: ParamRow): Html =>
  html`<li><p><code class="name">${name}</code> <span class="type">${value}${fallback === '' ? nothing : html`, default <code>${fallback}</code>`}</span>${
    required ? html` <span class="required">required</span>` : nothing
  }</p><p class="meaning">${prose(meaning)}</p></li>\n`;

function fieldItem({ name, type, isOptional, description, fields }: Field): Html {
  return html`<li><p><code class="name">${name}</code> <span class="type">${type}${isOptional ? ', may be absent' : ''}</span></p>${
    description === '' ? nothing : html`<p class="meaning">${prose(description)}</p>`
  }${fields.length === 0 ? nothing : html`<ul>${fields.map(fieldItem)}</ul>`}</li>`;
}
