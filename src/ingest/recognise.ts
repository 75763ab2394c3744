// Tells which source each file belongs to, before anything is built: a file that nobody knows stops the run.

import { visible } from '../visible.ts';
import type { DiskFile } from './disk-file.ts';
import type { Found, Holding, InputFile, LeftOut } from './files.ts';
import { estimateLines } from './losses.ts';
import { FileRefused, IngestRefused, type OnRefused, stopAt } from './refusal.ts';
import type { OpenSource, RecognisedFile } from './source.ts';
import { formatCount } from './tally.ts';

/** `disk` is what it lies in. */
export type GroupFile = RecognisedFile & { readonly disk: DiskFile };

export type Group = { readonly source: OpenSource; readonly files: GroupFile[] };

type Recognition = {
  readonly groups: readonly Group[];
  /** Documentation and other files that lay beside recognised ones. */
  readonly skipped: readonly string[];
  /** Data of a known kind that another source in the same run provides, and what is never read. */
  readonly passedOver: readonly LeftOut[];
};

/** Of a folder full of other things. */
const strangersNamed = 5;
const sheetsNamed = 5;

/** `onRefused` is told, in one refusal, what was not recognised and what is known. */
export function recogniseFiles(
  found: Found,
  sources: readonly OpenSource[],
  onRefused: OnRefused = stopAt,
): Recognition {
  const groups = new Map<OpenSource, Group>();
  const skipped: string[] = [];
  const unknown: Holding[] = [];
  const looked = new Set<Holding>();
  for (const given of found.given) {
    const fresh = given.holdings.filter((holding) => !looked.has(holding));
    for (const holding of fresh) looked.add(holding);
    const strangers = recogniseHoldings(fresh, sources, groups, skipped, onRefused);
    const isKnown = strangers.length < given.holdings.length;
    // In a folder, what lies beside recognised files is documentation; a file that was named must be known.
    if (given.form === 'folder' && isKnown) skipped.push(...strangers.map(({ name }) => name));
    else unknown.push(...strangers);
  }
  if (unknown.length > 0)
    onRefused(
      unknown.map(({ name }) => name),
      refusalOf(unknown, sources),
    );
  const inOrder = sources.flatMap((source) => groups.get(source) ?? []);
  const chosen = chooseSources(inOrder, sources);
  return { groups: chosen.groups, skipped, passedOver: [...found.leftOut, ...chosen.passedOver] };
}

/** What to do about it comes last, where a terminal shows it. */
function refusalOf(unknown: readonly Holding[], sources: readonly OpenSource[]): IngestRefused {
  const named = unknown.slice(0, strangersNamed).map((holding) => `  ${visible(describe(holding))}`);
  const more = unknown.length - named.length;
  const titles = [...new Set(sources.map(({ title }) => title))].join('; ');
  const count = unknown.length === 1 ? 'a file was' : `${formatCount(unknown.length)} files were`;
  return new IngestRefused(
    [
      'Not recognised:',
      ...named,
      ...(more > 0 ? [`  and ${formatCount(more)} more`] : []),
      `Known are files of: ${titles}. What each looks like: \`domesday ingest --help\``,
      `Nothing was loaded: ${count} not recognised.`,
    ].join('\n'),
  );
}

/** One source fills a dataset in a run. Of several, it is the one listed first, because the list names the richest first;
 *  but for one of which only a part was given, beside the whole of another. */
function chooseSources(
  groups: readonly Group[],
  sources: readonly OpenSource[],
): Pick<Recognition, 'groups' | 'passedOver'> {
  const byDataset = Map.groupBy(groups, ({ source }) => source.dataset);
  const chosen = [...byDataset.values()].map((same) => {
    const most = Math.max(...same.map(rowsOf));
    const best = sources.find((source) =>
      same.some((group) => group.source === source && !isPartOf(most, group)),
    );
    return same.find(({ source }) => source === best);
  });
  const passedOver = groups
    .filter((group) => !chosen.includes(group))
    .flatMap((group) => {
      const { source, files } = group;
      const other = chosen.find((one) => one?.source.dataset === source.dataset);
      const isPart = other !== undefined && isPartOf(rowsOf(other), group);
      const because = `${isPart ? 'a part only: ' : ''}${source.title} come from ${other?.source.source} in this run`;
      return files.map(({ file }) => ({ name: file.name, because }));
    });
  return { groups: groups.filter((group) => chosen.includes(group)), passedOver };
}

/** Estimated by the first lines, so that only a large difference counts. */
const leastOfWhole = 0.5;
const fewestLacking = 1_000;

const isPartOf = (most: number, group: Group) =>
  Number.isFinite(most) && rowsOf(group) < Math.min(leastOfWhole * most, most - fewestLacking);

const rowsOf = ({ files }: Group) => files.reduce((sum, { file }) => sum + estimateLines(file), 0);

/** Puts recognised files into groups. Returns the files on disk in which nothing was recognised. */
function recogniseHoldings(
  holdings: readonly Holding[],
  sources: readonly OpenSource[],
  groups: Map<OpenSource, Group>,
  skipped: string[],
  onRefused: OnRefused,
): readonly Holding[] {
  return holdings.filter((holding) => {
    const matches = matchAll(holding, sources, onRefused);
    if (matches === 'refused') return false;
    if (matches.every(({ match }) => match === undefined)) return true;
    for (const { file, match } of matches) {
      if (match === undefined) {
        skipped.push(file.name);
        continue;
      }
      const group = groups.get(match.source) ?? { source: match.source, files: [] };
      groups.set(match.source, group);
      group.files.push({ file, layout: match.layout, disk: holding.disk });
    }
    return false;
  });
}

type Match = { readonly source: OpenSource; readonly layout: string };

/** Of every file that it holds. */
function matchAll(
  { name, files }: Holding,
  sources: readonly OpenSource[],
  onRefused: OnRefused,
): readonly { readonly file: InputFile; readonly match: Match | undefined }[] | 'refused' {
  try {
    for (const file of files) {
      refuseEmpty(file);
      refuseErrorPage(file);
    }
    return files.map((file) => ({ file, match: findSource(file, sources) }));
  } catch (error) {
    if (!(error instanceof IngestRefused)) throw error;
    onRefused([name], error);
    return 'refused';
  }
}

function findSource(file: InputFile, sources: readonly OpenSource[]): Match | undefined {
  for (const source of sources) {
    const layout = source.recognise(file);
    if (layout !== undefined) return { source, layout };
  }
  return undefined;
}

/** An empty file is a failed download, so it is never skipped as documentation. */
function refuseEmpty(file: InputFile): void {
  if (file.form === 'text' && file.head.length === 0 && /\.(csv|gz|zip|xlsx?|ods|pbf)$/i.test(file.name)) {
    throw new FileRefused(file.name, 'is empty. Download it again');
  }
}

const isPage = (head: string) => /^\s*<(!doctype\s+html|html|head|title)\b/i.test(head);

/** Some publishers answer a wrong address with a page and status 200. The page is then saved as "data.csv". */
function refuseErrorPage(file: InputFile): void {
  if (file.form !== 'text') return;
  const head = file.head.toString('latin1').replace(/^\xef\xbb\xbf/, '');
  if (!isPage(head) || /\.html?$/i.test(file.name)) return;
  const title = /<title>\s*([^<]{1,80}?)\s*<\/title>/i.exec(head)?.[1];
  throw new FileRefused(
    file.name,
    `is a web page${title === undefined ? '' : ` titled "${title}"`}, not data; the publisher's site answered with it instead of the file. Download it again`,
  );
}

const unknownBinary = 'the file is binary and of an unknown kind';

/** The name and the beginning of the content, so that the operator can find the mistake. */
function describe(holding: Holding): string {
  const [only] = holding.files;
  if (holding.form === 'archive' || only === undefined) {
    const names = holding.files.slice(0, 3).map(({ name }) => name.slice(`${holding.name} > `.length));
    const more = holding.files.length > 3 ? `, and ${holding.files.length - 3} more` : '';
    return `${holding.name}: an archive with ${names.length === 0 ? 'no files' : names.join(', ')}${more}`;
  }
  if (only.form === 'workbook') {
    const names = only.sheetNames.slice(0, sheetsNamed).map((name) => `"${name}"`);
    const more = only.sheetNames.length - names.length;
    return `${only.name}: a workbook with the sheets ${names.join(', ')}${more > 0 ? `, and ${more} more` : ''}`;
  }
  return `${only.name}: ${only.form === 'binary' ? unknownBinary : describeText(only.head)}`;
}

function describeText(head: Buffer): string {
  if (head.length === 0) return 'the file is empty';
  if ((head[0] === 0xff && head[1] === 0xfe) || (head[0] === 0xfe && head[1] === 0xff)) {
    return 'the file is in UTF-16; save it as CSV in UTF-8';
  }
  if (head.includes(0)) return unknownBinary;
  const line = head.toString('utf8').split(/\r?\n/, 1)[0] ?? '';
  return `its first line is ${JSON.stringify(line.length > 100 ? `${line.slice(0, 100)}…` : line)}`;
}
