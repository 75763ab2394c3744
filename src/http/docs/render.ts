// Blocks of a page as HTML.

import { errors } from '../../errors.ts';
import { statusName } from '../wire/status-names.ts';
import type { Block, Call, Card, ParamRow, Shown } from './blocks.ts';
import type { Field } from './fields.ts';
import { breakable, colouredJson, type Html, html, nothing, prose, shellCode } from './html.ts';
import { errorPath } from './inline.ts';
import { answerBody } from './markdown.ts';
import { samplesOf } from './samples.ts';
import { tryForm } from './try-form.ts';

/** `part` keeps the ids of two lists of blocks on one page apart. */
export const renderBlocks = (blocks: readonly Block[], shown: Shown, part: string): readonly Html[] =>
  blocks.map((block, place) => html`${render(block, shown, `${part}-${place}`)}\n`);

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
