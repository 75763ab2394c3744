// Pages and their blocks as Markdown: for whoever asks for it, for language models, and for docs/api.md.

import { type ErrorCode, errors } from '../../errors.ts';
import { statusName } from '../wire/status-names.ts';
import type { Block, DocsPage, Shown } from './blocks.ts';
import type { Field } from './fields.ts';
import { type Inline, inlineOf } from './inline.ts';
import { curlOf } from './samples.ts';

export type MarkdownStyle = {
  readonly shown: Shown;
  /** Where a link of the pages leads in this document; undefined where its words alone stay. */
  readonly link: (href: string) => string | undefined;
  /** Level of the page's title. */
  readonly level: number;
  /** Whether each error code is told with its cause and cure, or named alone. */
  readonly codes: 'explained' | 'named';
};

export type Lines = readonly string[];

export function markdownPage(page: DocsPage, style: MarkdownStyle): Lines {
  const { title, summary, facts, blocks, beside } = page;
  return [
    `${'#'.repeat(style.level)} ${title}`,
    '',
    inlineMarkdown(summary, style),
    '',
    ...(facts.length === 0 ? [] : [`_${capital(facts.join(', '))}._`, '']),
    ...[...blocks, ...beside].flatMap((block) => [...blockLines(block, style), '']),
  ];
}

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

function blockLines(block: Block, style: MarkdownStyle): Lines {
  const words = (text: string) => inlineMarkdown(text, style);
  switch (block.kind) {
    case 'heading':
      return [`${'#'.repeat(style.level + 1)} ${block.text}`];
    case 'text':
      return [words(block.text)];
    case 'note':
      return [`> ${words(block.text)}`];
    case 'list':
      return block.items.map((item) => `- ${words(item)}`);
    case 'terms':
      return block.terms.map(([term, meaning]) => `- ${words(term)}: ${words(meaning)}`);
    case 'table':
      return markdownTable(
        block.head,
        block.rows.map((row) => row.map(words)),
      );
    case 'code':
      return fenced(block.language, block.code);
    case 'call':
      return fenced('sh', curlOf(block.call, style.shown));
    case 'answer':
      return answerLines(block);
    case 'cards':
      return block.cards.map(({ href, title, text }) => `- ${words(`[${title}](${href})`)}: ${words(text)}`);
    case 'params':
      return markdownTable(
        ['Parameter', 'Value', 'Default', 'Meaning'],
        block.rows.map(({ name, required, value, fallback, meaning }) => [
          `\`${name}\`${required ? ' (required)' : ''}`,
          value,
          fallback,
          words(meaning),
        ]),
      );
    case 'fields':
      return ['- `success`: true', ...block.fields.flatMap((field) => fieldLines(field, '', style))];
    case 'codes':
      return codeLines(block.codes, style);
    case 'form':
      return [];
  }
}

/** With its status and headers where they say something. */
function answerLines({ status, headers, body }: Extract<Block, { readonly kind: 'answer' }>): Lines {
  const shown = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  if (status === 200 && shown.length === 0 && 'json' in body) return fenced('json', answerBody(body));
  return fenced(
    'http',
    [`HTTP/1.1 ${status} ${statusName(status)}`, ...shown, '', answerBody(body)].join('\n').trimEnd(),
  );
}

export const answerBody = (body: { readonly json: unknown } | { readonly text: string }): string =>
  'json' in body ? JSON.stringify(body.json, null, 2) : body.text;

function codeLines(codes: readonly ErrorCode[], style: MarkdownStyle): Lines {
  const named = (code: ErrorCode) => inlineMarkdown(`\`${code}\``, style);
  if (style.codes === 'named') {
    return [`${codes.map((code) => `${errors[code].status} ${named(code)}`).join(', ')}.`];
  }
  return codes.map((code) => {
    const { status, when, message, advice = message } = errors[code];
    return `- ${status} ${named(code)}: ${inlineMarkdown(when, style)} What to do: ${inlineMarkdown(advice, style)}`;
  });
}

function fieldLines(
  { name, type, isOptional, description, fields }: Field,
  indent: string,
  style: MarkdownStyle,
): Lines {
  const meaning = description === '' ? '' : `. ${inlineMarkdown(description, style)}`;
  return [
    `${indent}- \`${name}\`: ${type}${isOptional ? ', may be absent' : ''}${meaning}`,
    ...fields.flatMap((field) => fieldLines(field, `${indent}  `, style)),
  ];
}

export const fenced = (language: string, code: string): Lines => [`\`\`\`${language}`, code, '```'];

export function markdownTable(head: Lines, rows: readonly Lines[]): Lines {
  const line = (cells: Lines) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  return [line(head), `|${head.map(() => '---').join('|')}|`, ...rows.map(line)];
}

/** Our words are Markdown already, but for angle brackets and for where links lead. */
export const inlineMarkdown = (text: string, style: Pick<MarkdownStyle, 'link'>): string =>
  inlineOf(text)
    .map((part) => partMarkdown(part, style))
    .join('');

function partMarkdown(part: Inline, style: Pick<MarkdownStyle, 'link'>): string {
  switch (part.kind) {
    case 'plain':
      return part.text.replaceAll('<', '&lt;');
    case 'code':
      return `\`${part.text}\``;
    case 'strong':
      return `**${part.text.replaceAll('<', '&lt;')}**`;
    case 'link': {
      const words = part.inside.map((inner) => partMarkdown(inner, style)).join('');
      const href = style.link(part.href);
      return href === undefined ? words : `[${words}](${href})`;
    }
  }
}

/** As the service serves it: pages lead to each other as Markdown. */
export const servedStyle = (shown: Shown): MarkdownStyle => ({
  shown,
  link: markdownAddress,
  level: 1,
  codes: 'explained',
});

/** `/docs/errors/CODE#x` → `/docs/errors/CODE.md#x`; files and endpoints stay. */
export function markdownAddress(href: string): string {
  const [path = '', anchor] = href.split('#');
  const isPage = path === '/docs' || (path.startsWith('/docs/') && !/\.\w+$/.test(path));
  return `${isPage ? `${path}.md` : path}${anchor === undefined ? '' : `#${anchor}`}`;
}
