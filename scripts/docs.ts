// Writes the documents that repeat what the code knows; with --check it only says which ones have drifted.

import { readFileSync, writeFileSync } from 'node:fs';
import { commands } from '../src/cli/index.ts';
import { settings } from '../src/config.ts';
import type { Endpoint } from '../src/contract/endpoint.ts';
import type { ExampleAnswers } from '../src/contract/examples.ts';
import { datasetsReadBy, describeNeed } from '../src/contract/needs.ts';
import type { DatasetName } from '../src/datasets.ts';
import { areaStatistics } from '../src/endpoints/area-statistics.ts';
import { endpoints } from '../src/endpoints/index.ts';
import { errorCodes, errors, isErrorCode } from '../src/errors.ts';
import type { DocsPage } from '../src/http/docs/blocks.ts';
import { errorCodePage, errorListPage } from '../src/http/docs/error-pages.ts';
import { guideNames, readGuides } from '../src/http/docs/guides.ts';
import {
  fenced,
  inlineMarkdown,
  type Lines,
  type MarkdownStyle,
  markdownPage,
  markdownTable,
} from '../src/http/docs/markdown.ts';
import { endpointPage, endpointPath } from '../src/http/docs/reference.ts';
import { formatShare, mostLost, usualShrinkage } from '../src/ingest/losses.ts';
import { openSources, type Shrinkage } from '../src/ingest/source.ts';
import { publicKey } from '../src/ledger/public-sandbox.ts';
import { sources } from '../src/sources/index.ts';
import { aboutValuationSite } from '../src/upstream/index.ts';
import { exampleAnswers } from './examples.ts';
import { alertsFile } from './monitoring/alerts.ts';
import { observability } from './monitoring/chapters.ts';
import { dashboardFile } from './monitoring/dashboard.ts';
import { publicationLines, setLines } from './publications.ts';
import { releaseFormat } from './release-format.ts';

const root = new URL('../', import.meta.url);

/** Every generated document: its path in the checkout, and its text. */
export async function generateDocs(): Promise<ReadonlyMap<string, string>> {
  const { start, reference } = await readGuides(endpoints, style.shown);
  const answers = await exampleAnswers(endpoints);
  return new Map([
    ['docs/api.md', document('src/endpoints/ and src/http/docs/', apiLines(reference, answers))],
    ['data/examples.json', exampleFile(answers)],
    ['docs/errors.md', document('src/errors.ts and src/http/docs/', errorLines())],
    ['docs/settings.md', document('src/config.ts', settingLines())],
    ['docs/data-sources.md', document('src/sources/', await sourceLines())],
    ['docs/cli.md', document('src/cli/', await commandLines())],
    ['docs/observability.md', await observability(readIfThere('docs/observability.md') ?? '')],
    ['deploy/prometheus/alerts.yaml', await alertsFile()],
    ['deploy/grafana/domesday.json', dashboardFile()],
    ['web/api/credits.ts', creditsOfCalls(townPostcodes(start))],
    ['docs/release-format.md', releaseFormat(readIfThere('docs/release-format.md') ?? '')],
  ]);
}

/** The paths whose file on disk is not what the code says. */
export async function findDrift(): Promise<readonly string[]> {
  const docs = await generateDocs();
  return [...docs].filter(([path, text]) => readIfThere(path) !== text).map(([path]) => path);
}

function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(new URL(path, root), 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
}

function document(from: string, lines: Lines): string {
  const note = `<!-- Generated from ${from} by \`npm run docs\`; do not edit by hand. -->`;
  return `${[note, '', ...lines]
    .join('\n')
    .replace(/\n{3,}/g, '\n\n')
    .trimEnd()}\n`;
}

/** What its place is called in docs/api.md. */
const anchorOf = ({ method, path }: Endpoint): string =>
  `${method.toLowerCase()}${path.replaceAll('/', '-')}`;

const endpointLink = (endpoint: Endpoint): string => `[\`${endpoint.path}\`](api.md#${anchorOf(endpoint)})`;

/** Where a link of the pages leads among the documents; what only a running service has keeps its words alone. */
function documentLink(href: string): string | undefined {
  const [path = ''] = href.split('#');
  const [, folder, name = ''] = /^\/docs\/(errors|guides)\/([\w-]+)$/.exec(path) ?? [];
  if (folder === 'errors' && isErrorCode(name)) return `errors.md#${name}`;
  if (folder === 'guides' && guideNames.includes(name)) return `guides/${name}.md`;
  const endpoint = endpoints.find((each) => endpointPath(each) === path);
  if (endpoint !== undefined) return `api.md#${anchorOf(endpoint)}`;
  const whole = new Map([
    ['/docs', 'guides/start.md'],
    ['/docs/reference', 'api.md'],
    ['/docs/errors', 'errors.md'],
    ['/docs/data', 'data-sources.md'],
    ['/docs/changelog', '../CHANGELOG.md'],
  ]);
  return whole.get(path);
}

const style: MarkdownStyle = {
  shown: { publicKey, publicUrl: undefined, planPrices: [] },
  link: documentLink,
  level: 2,
  codes: 'named',
};

const prose = (text: string): string => inlineMarkdown(text, style);

const anchored = (id: string, lines: Lines): Lines => [`<a id="${id}"></a>`, '', ...lines];

function exampleFile(answers: ExampleAnswers): string {
  const description =
    'Generated from what the sandbox answers to the example call of each endpoint by `npm run docs`; do not edit by hand.';
  return `${JSON.stringify({ description, answers }, null, 1)}\n`;
}

function apiLines(reference: DocsPage, answers: ExampleAnswers): Lines {
  return [
    ...markdownPage(reference, { ...style, level: 1 }),
    'How to call them: [guides](guides/start.md). Error codes: [errors.md](errors.md). The running service shows all of it at `/docs`, with a search.',
    '',
    ...endpoints.flatMap((endpoint) =>
      anchored(anchorOf(endpoint), markdownPage(endpointPage(endpoint, answers), style)),
    ),
  ];
}

/** What the pages know of calls before they make one. */
const creditsOfCalls = (
  town: readonly string[],
): string => `// Generated from src/endpoints/ by \`npm run docs\`; do not edit by hand.

import type { Answers } from './answers.ts';

/** Of a call that is answered. */
export const credits: Readonly<Record<keyof Answers, number>> = {
${endpoints.map((each) => `  '${each.path}': ${each.credits},`).join('\n')}
};

/** Of the made-up town that the sandbox answers from: those worth a look. */
export const townPostcodes = [${town.map((postcode) => `'${postcode}'`).join(', ')}] as const;
`;

/** Those of the made-up town that the first page names. */
const townPostcodes = ({ blocks }: DocsPage): readonly string[] =>
  blocks.flatMap((block) =>
    block.kind === 'table' && block.head[0] === 'Postcode'
      ? block.rows.map(([postcode = '']) => postcode.replaceAll('`', ''))
      : [],
  );

/** Its answer rests on more datasets than that of any other endpoint. */
const areaDatasetLines = (): Lines => [
  `# What ${endpointLink(areaStatistics)} has of each dataset`,
  '',
  ...markdownTable(
    ['Dataset', 'Gives', 'Publications'],
    datasetsReadBy(areaStatistics).map((dataset) => [
      `\`${dataset}\``,
      prose(givenBy(areaStatistics, dataset)),
      sources
        .filter((source) => source.dataset === dataset)
        .map(({ source }) => prose(source))
        .join('; '),
    ]),
  ),
  '',
];

/** What an endpoint has of a dataset; of one that has it in several tables, of each. */
function givenBy({ datasets, needs, answer }: Endpoint, dataset: DatasetName): string {
  const own = needs.filter((need) => need.dataset === dataset);
  const inTables = new Set(own.flatMap(({ holding, fields }) => (holding === undefined ? [] : fields)));
  const given = own
    .filter(
      ({ holding, fields }) =>
        holding !== undefined ||
        fields === 'every answer' ||
        fields.some((field) => !inTables.has(field)) ||
        fields.length === 0,
    )
    .map((need) => {
      const { what, where } = describeNeed(need, answer.schema);
      return `${need.holding === undefined ? '' : `${need.holding.what}: `}${what}${where}`;
    });
  return [...(datasets.includes(dataset) ? ['every answer'] : []), ...given].join('; ');
}

function errorLines(): Lines {
  const codes = errorCodes.toSorted((a, b) => errors[a].status - errors[b].status);
  return [
    `# ${errorListPage.title}`,
    '',
    errorListPage.summary,
    'A reply names its code in `error.code` and links to its page, `/docs/errors/CODE`, in `error.docs`.',
    '',
    ...markdownTable(
      ['Status', 'Code', 'When'],
      codes.map((code) => [String(errors[code].status), `[\`${code}\`](#${code})`, prose(errors[code].when)]),
    ),
    '',
    ...codes.flatMap((code) => anchored(code, markdownPage(errorCodePage(code, endpoints), style))),
  ];
}

function settingLines(): Lines {
  return [
    '# Settings',
    '',
    'Read once at start. A flag of `domesday serve` wins over the environment; an empty variable counts as unset.',
    '',
    ...markdownTable(
      ['Environment', 'Flag', 'Default', 'Allowed', 'Meaning'],
      Object.values(settings).map(({ env, flag, placeholder, fallback, unset, help, parse }) => {
        const probe = parse('');
        return [
          `\`${env}\``,
          `\`--${flag} ${placeholder}\``,
          fallback === undefined ? prose(unset ?? 'none') : `\`${fallback}\``,
          probe.ok ? 'any text' : probe.expected,
          prose(help),
        ];
      }),
    ),
    '',
    '## Paths for whoever runs it',
    '',
    'They need no key and answer `HEAD` too, as monitors ask.',
    '',
    ...markdownTable(
      ['Path', 'Answers'],
      [
        ['`/health/live`', '200 while the process answers at all. Restart it where this fails.'],
        [
          '`/health/ready`',
          '200 with the id of the release that is served, where the ledger can be read and written; else 503, and so after a signal to stop (`DOMESDAY_DRAIN_SECONDS`). Send no calls where this fails, but do not restart: `domesday check` says what is wrong.',
        ],
        [
          '`/metrics`',
          'Prometheus text ([every metric](observability.md)). With the token of `DOMESDAY_METRICS_TOKEN`, or without on `DOMESDAY_METRICS_PORT`.',
        ],
        [
          '`/api/v1/datasets`',
          'What is loaded: publisher, licence, edition, date, rows, extent; and what is not.',
        ],
        ['`/docs`', 'The documentation, with a page for each endpoint and each error code.'],
      ],
    ),
  ];
}

const shrinkageLine = ({ share, perYear }: Shrinkage): string =>
  `- Fewer rows: at most ${formatShare(share)} of those loaded may be gone${perYear === 0 ? '' : `, and ${formatShare(perYear)} for each year between the editions`}`;

async function sourceLines(): Promise<Lines> {
  return [
    '# Data sources',
    '',
    'Give any of these files, or a folder or zip of them, to `domesday ingest`: each is recognised by its content, whatever its name. `GET /api/v1/datasets` tells which are loaded, and how old they are.',
    '',
    'A file is of the day that its rows tell where each has the day of its last change (GIAS, NaPTAN, sales, crimes, rates); else of the day in its name, or that its publisher states above the tables, or that you give with `--edition`, or of the month in its name, or of the day on which the workbook was last saved, or of the newest day in its rows. Where nothing tells, it is refused. An older edition never takes the place of a newer one. Of crime that holds for each month of a force: an archive is of its newest month, and single files that were cut out of one are of the newest month given, or of the one that `--edition` tells.',
    '',
    `A file with a header and no rows is refused. An edition with fewer rows than the loaded one is refused if more are gone than its publication can lose in the time between; each chapter says how many. At most ${formatShare(mostLost)} may go, whatever the time. Fewer than 20 rows may always go. More rows are never refused. Some datasets are loaded piece by piece, and each piece is compared too: areas of stops, authorities' counts of traffic, councils' lists and regions of the map (${formatShare(mostLost)}), months of a police force (one half). Pieces that the files do not have stay. So one month of crime takes nothing away, and neither does a month of few sales. \`--replace\` loads an edition anyway.`,
    '',
    ...(await openSources(sources)).flatMap(
      ({ dataset, title, source, facts, homepage, layouts, publications, shrinks }) => [
        `## ${title}: ${source}`,
        '',
        `- Dataset: \`${dataset}\``,
        `- Publisher: ${prose(facts.publisher)}`,
        `- Publication: ${prose(source)}`,
        `- Files: ${prose(homepage)}`,
        `- Licence: ${prose(facts.licence)}`,
        `- Attribution: ${prose(facts.attribution)}`,
        `- Coverage: ${Object.entries(facts.coverage)
          .map(([nation, extent]) => `${nation}: ${prose(extent)}`)
          .join('; ')}`,
        '- Files recognised:',
        ...layouts.map((layout) => `  - ${prose(layout)}`),
        `- Used by: ${
          endpoints
            .filter((endpoint) => datasetsReadBy(endpoint).includes(dataset))
            .map(endpointLink)
            .join(', ') || 'no endpoint yet'
        }`,
        ...(publications === undefined ? [] : [shrinkageLine(shrinks ?? usualShrinkage)]),
        ...publicationLines(publications),
        '',
      ],
    ),
    ...areaDatasetLines(),
    ...(await setLines()),
    '# Live service',
    '',
    'Asked only where nothing is loaded for the place, and only where the operator sets its address ([settings](settings.md)); `GET /api/v1/datasets` names it under `live` where it is on.',
    '',
    `- \`${settings.valuationSite.env}\`: ${aboutValuationSite}`,
  ];
}

async function commandLines(): Promise<Lines> {
  const loaded = await Promise.all(commands.map(({ load }) => load()));
  return [
    '# Commands',
    '',
    'Each is called as `npx domesday COMMAND`. Exit status: 0 done, 1 refused or failed with one line on standard error, 2 wrong usage, 3 done in part (`update` alone).',
    '',
    ...markdownTable(
      ['Command', 'Does'],
      commands.map(({ name, summary }) => [`[\`${name}\`](#${name})`, prose(summary)]),
    ),
    '',
    ...loaded.flatMap(({ name, help }) => [`## ${name}`, '', ...fenced('text', help.trimEnd()), '']),
  ];
}

async function main(args: Lines): Promise<number> {
  if (args.length === 1 && args[0] === '--check') {
    const drifted = await findDrift();
    for (const path of drifted) console.error(`${path} is not what the code says; run: npm run docs`);
    return drifted.length === 0 ? 0 : 1;
  }
  if (args.length > 0) {
    console.error('Usage: npm run docs [-- --check]');
    return 2;
  }
  for (const [path, text] of await generateDocs()) writeFileSync(new URL(path, root), text);
  return 0;
}

if (import.meta.main) process.exitCode = await main(process.argv.slice(2));
