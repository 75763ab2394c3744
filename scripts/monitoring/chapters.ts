// The chapters of docs/observability.md that are written from the metric table and from the alerts. The rest of that
// document is written by hand and stands around them.

import { type Lines, markdownTable } from '../../src/http/docs/markdown.ts';
import { labels, type MetricRow, metricRows } from '../../src/metrics/table.ts';
import { alertGroups } from './alerts.ts';

/** The document with both chapters written anew. */
export async function observability(before: string): Promise<string> {
  return inserted(inserted(before, 'metrics', metricLines()), 'alerts', await alertLines());
}

function inserted(before: string, chapter: string, lines: Lines): string {
  const begin = `<!-- From here on generated: ${chapter}. -->`;
  const end = `<!-- End of ${chapter}. -->`;
  const from = before.indexOf(begin);
  const to = before.indexOf(end);
  if (from === -1 || to < from) throw new Error(`docs/observability.md needs the lines ${begin} and ${end}`);
  return `${before.slice(0, from)}${[begin, '', ...lines, '', end].join('\n')}${before.slice(to + end.length)}`;
}

const unitWords: Readonly<Record<MetricRow['unit'], string>> = {
  seconds: 'seconds',
  timestamp: 'seconds since 1970',
  bytes: 'bytes',
  credits: 'credits',
  none: '',
};

function metricLines(): Lines {
  return [
    ...markdownTable(
      ['Metric', 'Type', 'Labels', 'Unit', 'Meaning'],
      metricRows.map(([name, row]) => [
        `\`${name}\``,
        row.type,
        row.labels.map((label) => `\`${label}\``).join(', '),
        unitWords[row.unit],
        row.type === 'histogram' ? `${row.help} Buckets: ${row.buckets.join(', ')}.` : row.help,
      ]),
    ),
    '',
    ...markdownTable(
      ['Label', 'Values'],
      Object.entries(labels).map(([label, values]) => [`\`${label}\``, values]),
    ),
  ];
}

async function alertLines(): Promise<Lines> {
  return [...(await alertGroups())].flatMap(([, alerts]) =>
    alerts.flatMap(({ name, severity, expr, for: how, meaning, advice }) => [
      `<a id="${name}"></a>`,
      '',
      `### ${name}`,
      '',
      `${severity === 'critical' ? 'Critical' : 'Warning'}${how === '0m' ? '' : `, after ${how}`}. ${meaning}`,
      '',
      `- What to do: ${advice.replaceAll(/\{\{ \$labels\.(\w+) \}\}/g, (_, label: string) => label.toUpperCase())}`,
      `- Rule: \`${expr}\``,
      '',
    ]),
  );
}
