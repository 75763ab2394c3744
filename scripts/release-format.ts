// The chapter on tables of docs/release-format.md, from the tables themselves. The rest of that document is written by
// hand and stands around it.

import { type Lines, markdownTable } from '../src/http/docs/markdown.ts';
import type { Column, Factor, Length, Rule } from '../src/release/column.ts';
import type { Origin, Table } from '../src/release/table.ts';
import { tables } from '../src/tables/index.ts';

const begin = '<!-- Tables: from here on generated. -->';
const end = '<!-- End of the tables. -->';

/** The document with its chapter on tables written anew. */
export function releaseFormat(before: string): string {
  const from = before.indexOf(begin);
  const to = before.indexOf(end);
  if (from === -1 || to < from) throw new Error(`docs/release-format.md needs the lines ${begin} and ${end}`);
  const chapter = [begin, '', ...tableLines(), end].join('\n');
  return before.slice(0, from) + chapter + before.slice(to + end.length);
}

function tableLines(): Lines {
  return Object.entries(tables).flatMap(([subject, list]) => [
    `### ${subject}`,
    '',
    // Parts of which the same is told are told of together.
    ...[...Map.groupBy(list, ({ about }) => about).values()].flatMap(chapterOf),
  ]);
}

function chapterOf(same: readonly Table[]): Lines {
  const [first] = same;
  if (first === undefined) return [];
  const { prefix, order, about, columns } = first;
  const names = same.map(({ part }) => `\`${part}\``).join(', ');
  const inPart = prefix === undefined ? '' : ` Names of columns begin with \`${prefix}\` and a space.`;
  const lie = order === undefined ? '' : ` Order: ${order}.`;
  const owner = [...new Set(same.map(({ origin }) => describeOrigin(origin)))].join(', ');
  return [
    `#### ${names}${prefix === undefined ? '' : `: \`${prefix}\``}`,
    '',
    `${about}${lie}${inPart} ${owner}.`,
    '',
    ...markdownTable(
      ['Column', 'Type', 'Values', 'Meaning'],
      Object.entries(columns).map(([name, column]) => [
        `\`${name}\``,
        column.type === 'codes' ? 'u16 or u32' : column.type,
        describeLength(column.length),
        describeColumn(column),
      ]),
    ),
    '',
  ];
}

const describeOrigin = (origin: Origin): string =>
  'dataset' in origin
    ? `Dataset \`${origin.dataset}\` (layout ${origin.layout})`
    : `Derived (version ${origin.derivedVersion})`;

/** `per school`, `5 per place`, `per month × area`, `1`. */
function describeLength({ factors, mayBeEmpty }: Length): string {
  const count = factors.reduce<number>(
    (product, own) => (typeof own === 'number' ? product * own : product),
    1,
  );
  const kinds = factors.flatMap((factor) => (typeof factor === 'number' ? [] : [describeKind(factor)]));
  if (kinds.length === 0) return String(count);
  const per = `${count === 1 ? '' : `${count} `}per ${kinds.join(' × ')}`;
  return (mayBeEmpty ? `${per}, or none at all` : per).replace(/^per \((.*) \+ 1\)$/, 'per $1, + 1');
}

const describeKind = (factor: Exclude<Factor, number>): string =>
  typeof factor === 'string' ? factor : `(${factor.andOneMore} + 1)`;

function describeColumn({ meaning, rule }: Column): string {
  const text = describeRule(rule);
  return text === '' ? meaning : `${meaning} (${text})`;
}

function describeRule(rule: Rule): string {
  switch (rule.kind) {
    case 'points-into':
    case 'points-elsewhere': {
      const where = rule.kind === 'points-elsewhere' ? ` of \`${rule.part}\`` : '';
      if (rule.none === 'zero') return `number of the ${rule.rows}${where} plus one; 0: none`;
      const none = rule.none === 'after-last' ? '; the number after the last: none' : '';
      return `number of the ${rule.rows}${where}${none}`;
    }
    case 'one-of': {
      const first = rule.none === 'zero' ? 1 : 0;
      const named = rule.list.map((word, at) => `${at + first} ${word}`);
      return [...(rule.none === 'zero' ? ['0 none'] : []), ...named].join(', ');
    }
    case 'in-turn':
      return rule.rules.every(({ kind }) => kind === 'any')
        ? ''
        : `in turn: ${rule.rules.map((own) => describeRule(own) || 'any').join('; ')}`;
    case 'rising':
      return 'each higher than the one before';
    // Their meaning says it.
    case 'any':
    case 'starts':
    case 'ends':
    case 'counts':
      return '';
  }
}
