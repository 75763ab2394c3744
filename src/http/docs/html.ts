// The markup that the reference and the pages of error codes share. Whatever is put into it is escaped.

import type { Endpoint } from '../../contract/endpoint.ts';
import { type ErrorCode, isErrorCode } from '../../errors.ts';
import { exampleOrigin } from './guide-blocks.ts';

export type Html = { readonly html: string };
export type Piece = string | number | Html | readonly Html[];

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Every value put into the template is escaped, unless this function made it. */
export function html(parts: TemplateStringsArray, ...pieces: readonly Piece[]): Html {
  return { html: parts.map((part, index) => part + markup(pieces[index] ?? '')).join('') };
}

function markup(piece: Piece): string {
  if (typeof piece === 'string') return piece.replace(/[&<>"']/g, (character) => entities[character] ?? '');
  if (typeof piece === 'number') return String(piece);
  return 'html' in piece ? piece.html : piece.map((item) => item.html).join('');
}

export const nothing: Html = { html: '' };

type Page = { readonly title: string; readonly script: Html; readonly body: Html };

export const page = ({ title, script, body }: Page): string =>
  html`<!doctype html>
<html lang="en-GB">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/docs/colours.css">
<link rel="stylesheet" href="/docs/docs.css">
${script}
</head>
<body>
<a class="skip" href="#main">Skip to the reference</a>
${body}
</body>
</html>
`.html;

export const brand = (version: string): Html =>
  html`<p class="brand"><a href="/docs">Domesday</a> <span class="version">v${version}</span></p>`;

/** What every page is made for. */
export type Reference = {
  readonly endpoints: readonly Endpoint[];
  readonly version: string;
  /** The key that everybody may use; undefined where the operator has turned it off. */
  readonly publicKey: string | undefined;
  /** Where callers reach the service; undefined where it has not been told. */
  readonly publicUrl: string | undefined;
};

/** A call to type. Where its address is the example's, asked-address.ts and web/docs/origin.js put the page's own there. */
export const shellCode = (code: string, { publicUrl }: Pick<Reference, 'publicUrl'>): Html =>
  publicUrl === undefined
    ? html`<code data-origin="${exampleOrigin}">${code}</code>`
    : html`<code data-public-url="${publicUrl}">${code}</code>`;

/** For pages that have such calls and nothing else to run. */
export const originScript = html`<script type="module" src="/docs/origin.js"></script>`;

/** Lets a long path break after a slash or an underscore, and nowhere else. */
export function breakable(text: string): readonly Html[] {
  return text.split(/(?<=[/_])/).map((part, index) => (index === 0 ? html`${part}` : html`<wbr>${part}`));
}

/** Text of ours in which backticks mark code; a code of the error table links to its page. */
export function prose(text: string): readonly Html[] {
  return text.split('`').map((part, index) => {
    if (index % 2 === 0) return html`${part}`;
    return isErrorCode(part) ? codeLink(part) : html`<code>${part}</code>`;
  });
}

export const codeLink = (code: ErrorCode): Html =>
  html`<a class="code" href="/docs/errors/${code}">${breakable(code)}</a>`;

const jsonToken = /"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*|\b(?:true|false|null)\b/g;

/** Colours keys, strings and other values; what stands between them is punctuation. */
export function jsonBlock(json: string): Html {
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
