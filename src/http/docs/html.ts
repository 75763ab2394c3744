// The markup that all pages of the documentation share. Whatever is put into it is escaped.

import { isErrorCode } from '../../errors.ts';
import { exampleOrigin, type Shown } from './blocks.ts';
import { type Inline, inlineOf } from './inline.ts';

export type Html = { readonly html: string };
type Piece = string | number | Html | readonly Html[];

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

type Page = {
  readonly title: string;
  /** What is loaded beside the styles. */
  readonly script: Html;
  readonly body: Html;
};

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
<a class="skip" href="#main">Skip to the text</a>
${body}
</body>
</html>
`.html;

/** A call to type. Where its address is the example's, operations.ts and web/docs/origin.js put the page's own there. */
export const shellCode = (code: string, { publicUrl }: Shown): Html =>
  publicUrl === undefined
    ? html`<code data-origin="${exampleOrigin}">${code}</code>`
    : html`<code data-public-url="${publicUrl}">${code}</code>`;

/** Lets a long path break after a slash or an underscore, and nowhere else. */
export function breakable(text: string): readonly Html[] {
  return text.split(/(?<=[/_])/).map((part, index) => (index === 0 ? html`${part}` : html`<wbr>${part}`));
}

/** Text of ours, with the marks that inline.ts reads. */
export const prose = (text: string): readonly Html[] => inlineOf(text).map(inlineHtml);

/** As many characters go to the next line whole, on a phone too: a broken date or code is read twice. */
const fitsALine = 20;

function inlineHtml(part: Inline): Html {
  switch (part.kind) {
    case 'plain':
      return html`${part.text}`;
    case 'strong':
      return html`<strong>${part.text}</strong>`;
    case 'code':
      return part.text.length <= fitsALine
        ? html`<code class="short">${part.text}</code>`
        : html`<code>${breakable(part.text)}</code>`;
    case 'link': {
      const [first] = part.inside;
      const isCode = part.inside.length === 1 && first?.kind === 'code' && isErrorCode(first.text);
      return html`<a${isCode ? html` class="code"` : nothing} href="${part.href}">${part.inside.map(inlineHtml)}</a>`;
    }
  }
}

const jsonToken = /"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*|\b(?:true|false|null)\b/g;

/** Colours keys, strings and other values; what stands between them is punctuation. */
export function colouredJson(json: string): readonly Html[] {
  const pieces: Html[] = [];
  let end = 0;
  for (const { 0: token, index } of json.matchAll(jsonToken)) {
    const after = index + token.length;
    const kind = token[0] !== '"' ? 'value' : json[after] === ':' ? 'name' : 'text';
    pieces.push(html`${json.slice(end, index)}<span class="json-${kind}">${token}</span>`);
    end = after;
  }
  return [...pieces, html`${json.slice(end)}`];
}
