// The form that runs an endpoint from its page. Filled in with what the sandbox answers, so that one click shows something;
// web/docs/try.js makes it work, and without a script it is not there.

import { basePath, type Endpoint } from '../../contract/endpoint.ts';
import { exampleParams, exampleText } from '../../contract/examples.ts';
import type { Param } from '../../contract/params.ts';
import type { ErrorCode } from '../../errors.ts';
import type { Shown } from './blocks.ts';
import { choicesOf, defaultOf } from './fields.ts';
import { type Html, html, nothing, shellCode } from './html.ts';
import { exampleCall } from './reference.ts';
import { curlOf } from './samples.ts';

export function tryForm(endpoint: Endpoint, shown: Shown): Html {
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
