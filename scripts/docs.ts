// Writes the documents that repeat what the code knows; with --check it only says which ones have drifted.

import { readFileSync, writeFileSync } from 'node:fs';
import { commands } from '../src/cli/index.ts';
import { settings } from '../src/config.ts';
import type { Endpoint } from '../src/contract/endpoint.ts';
import { datasetsReadBy, describeNeed } from '../src/contract/needs.ts';
import type { DatasetName } from '../src/datasets.ts';
import { areaStatistics } from '../src/endpoints/area-statistics.ts';
import { endpoints } from '../src/endpoints/index.ts';
import { errorCodes, errors, isErrorCode } from '../src/errors.ts';
import { errorCodePage, errorListPage } from '../src/http/docs/error-pages.ts';
import { type Field, fieldsOf } from '../src/http/docs/fields.ts';
import { guides } from '../src/http/docs/guides/index.ts';
import { sandboxPostcodes, startPage } from '../src/http/docs/guides/start.ts';
import {
  fenced,
  inlineMarkdown,
  type Lines,
  type MarkdownStyle,
  markdownPage,
  markdownTable,
} from '../src/http/docs/markdown.ts';
import { endpointPage, endpointPath } from '../src/http/docs/reference.ts';
import { guidePage } from '../src/http/docs/site.ts';
import { formatShare, mostLost, usualShrinkage } from '../src/ingest/losses.ts';
import { openSources, type Shrinkage } from '../src/ingest/source.ts';
import { publicKey } from '../src/ledger/public-sandbox.ts';
import { sources } from '../src/sources/index.ts';
import { upstreams } from '../src/upstream/index.ts';
import { answerTypes } from './answer-types.ts';
import { alertsFile } from './monitoring/alerts.ts';
import { observability } from './monitoring/chapters.ts';
import { dashboardFile } from './monitoring/dashboard.ts';
import { publicationLines, setLines } from './publications.ts';
import { releaseFormat } from './release-format.ts';

const root = new URL('../', import.meta.url);

/** Every generated document: its path in the checkout, and its text. */
export async function generateDocs(): Promise<ReadonlyMap<string, string>> {
  return new Map([
    ['docs/api.md', document('src/endpoints/ and src/http/docs/', apiLines())],
    ['docs/area-statistics.md', document('src/endpoints/area-statistics/', areaLines())],
    ['docs/errors.md', document('src/errors.ts and src/http/docs/', errorLines())],
    ['docs/settings.md', document('src/config.ts', settingLines())],
    ['docs/data-sources.md', document('src/sources/', await sourceLines())],
    ['docs/cli.md', document('src/cli/', await commandLines())],
    ['docs/observability.md', await observability(readIfThere('docs/observability.md') ?? '')],
    ['deploy/prometheus/alerts.yaml', await alertsFile()],
    ['deploy/grafana/domesday.json', dashboardFile()],
    [
      'web/api/answers.ts',
      answerTypes(
        endpoints,
        sandboxPostcodes.map(([postcode]) => postcode),
      ),
    ],
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

/** What its chapter of docs/api.md is called. */
const anchorOf = ({ method, path: place }: Endpoint): string =>
  `${method.toLowerCase()}${place.replaceAll('/', '-')}`;

const endpointLink = (endpoint: Endpoint): string => `[\`${endpoint.path}\`](api.md#${anchorOf(endpoint)})`;

/** Where a link of the pages leads among the documents; what only a running service has keeps its words alone. */
function documentLink(href: string): string | undefined {
  const [path = ''] = href.split('#');
  const [, folder, name = ''] = /^\/docs\/(errors|guides)\/([\w-]+)$/.exec(path) ?? [];
  if (folder === 'errors' && isErrorCode(name)) return `errors.md#${name}`;
  if (folder === 'guides') return `api.md#${name}`;
  const endpoint = endpoints.find((each) => endpointPath(each) === path);
  if (endpoint !== undefined) return `api.md#${anchorOf(endpoint)}`;
  const whole = new Map([
    ['/docs', 'api.md#start'],
    ['/docs/reference', 'api.md'],
    ['/docs/errors', 'errors.md'],
    ['/docs/data', 'data-sources.md'],
    ['/docs/changelog', '../CHANGELOG.md'],
  ]);
  return whole.get(path);
}

const style: MarkdownStyle = {
  shown: { publicKey, publicUrl: undefined },
  link: documentLink,
  level: 2,
  codes: 'named',
};

const prose = (text: string): string => inlineMarkdown(text, style);

const anchored = (id: string, lines: Lines): Lines => [`<a id="${id}"></a>`, '', ...lines];

function apiLines(): Lines {
  return [
    '# API reference',
    '',
    'The running service shows the same at `/docs`, with a search and a form to try each endpoint. Error codes: [errors.md](errors.md).',
    '',
    ...anchored('start', markdownPage(startPage(endpoints, style.shown), style)),
    ...guides.flatMap((guide) => anchored(guide.name, markdownPage(guidePage(guide, style.shown), style))),
    ...endpoints.flatMap((endpoint) =>
      anchored(anchorOf(endpoint), markdownPage(endpointPage(endpoint), style)),
    ),
  ];
}

/** Every figure of the area statistics; `basis` is the same in each object, and told once. */
function areaLines(): Lines {
  const objects = fieldsOf(areaStatistics.answer);
  const basis = objects[0]?.fields.find(({ name }) => name === 'basis');
  return [
    '# Area statistics',
    '',
    `What every figure of ${endpointLink(areaStatistics)} means: source, geography, period, and when it is null. Why it was decided so: [decision 10](decisions/0010-area-statistics.md).`,
    '',
    prose(areaStatistics.description),
    '',
    ...objects.flatMap(({ name, description, fields }) => [
      `## ${name}`,
      '',
      prose(description),
      '',
      ...figureTable(fields.filter((field) => field !== basis && field.name !== 'basis')),
      '',
    ]),
    '## basis',
    '',
    prose(basis?.description ?? ''),
    '',
    ...figureTable(basis?.fields ?? []),
    '',
    '## Where it comes from',
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
    'Files, licences and coverage of each: [data-sources.md](data-sources.md).',
  ];
}

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
      const { what, where } = describeNeed(need, answer);
      return `${need.holding === undefined ? '' : `${need.holding.what}: `}${what}${where}`;
    });
  return [...(datasets.includes(dataset) ? ['every answer'] : []), ...given].join('; ');
}

function figureTable(fields: readonly Field[]): Lines {
  const rows = (field: Field, within: string): readonly Lines[] => [
    [`\`${within}${field.name}\``, field.type, prose(field.description)],
    ...field.fields.flatMap((inner) => rows(inner, `${within}${field.name}.`)),
  ];
  return markdownTable(
    ['Figure', 'Value', 'Meaning'],
    fields.flatMap((field) => rows(field, '')),
  );
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
    `A file with a header and no rows is refused. An edition with fewer rows than the loaded one is refused if more are gone than its publication can lose in the time between; each chapter says how many. At most ${formatShare(mostLost)} may go, whatever the time. Fewer than 20 rows may always go. More rows are never refused. Some datasets are loaded piece by piece, and each piece is compared too: areas of stops, councils' lists and regions of the map (${formatShare(mostLost)}), months of a police force (one half). Pieces that the files do not have stay. So one month of crime takes nothing away, and neither does a month of few sales. \`--replace\` loads an edition anyway.`,
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
    ...(await setLines()),
    '# Live services',
    '',
    'Asked only where nothing is loaded for the place, and only where the operator sets their address ([settings](settings.md)); `GET /api/v1/datasets` names those that are on, under `live`.',
    '',
    ...upstreams.map(({ setting, about }) => `- \`${settings[setting].env}\`: ${about}`),
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
