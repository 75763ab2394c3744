// What a source is: a publication whose files we know how to tell, read, and turn into the parts of one table. The
// list of sources says what it is called; its loader, which reads the files, is brought in when there are files.

import type { DatasetName } from '../datasets.ts';
import type { Dataset, Extent, ReleaseKind } from '../release/manifest.ts';
import type { Columns } from '../release/part.ts';
import type { Release } from '../release/reader.ts';
import type { LatLong } from '../uk/grid.ts';
import type { Dating } from './dating.ts';
import type { InputFile, LeftOut } from './files.ts';
import type { Progress } from './progress.ts';
import type { LeavesOut, Publication } from './publication.ts';
import type { Tally } from './tally.ts';

/** What is true of every edition. */
export type DatasetFacts = Pick<
  Dataset,
  'publisher' | 'publisherShort' | 'licence' | 'attribution' | 'coverage'
>;

export type RecognisedFile = { readonly file: InputFile; readonly layout: string };

/** Which files are read, and why the others are not. */
export type Judgement = { readonly read: readonly RecognisedFile[]; readonly passedOver: readonly LeftOut[] };

/** A part of a dataset that is loaded anew as a whole: a list, an area, a region. Rows of it before and now. */
export type ReplacedPiece = { readonly name: string; readonly before: number; readonly now: number };

/** How many rows fewer a whole edition may have than the one before it, as shares of those. */
export type Shrinkage = {
  /** On the same day. */
  readonly share: number;
  /** And for each year between the two. */
  readonly perYear: number;
};

/** Tells what a load would take away from data that was loaded before. */
export type LossTeller = {
  /** Throws IngestRefused, unless nothing is lost or the operator gives it up. `advice` says how nothing would be lost. */
  refuse(lost: readonly string[], advice: string): void;
  /** As `refuse`, where a small piece of a large dataset has fewer rows, which its whole does not show. */
  refuseShrunk(pieces: readonly ReplacedPiece[]): void;
  /** As `refuse`, where files that have a row a line and hold everything are too small for it. */
  refuseFragment(files: readonly RecognisedFile[]): void;
};

/** What a loader may look at before anything long is read. */
export type Ground = {
  /** The source itself, as it is listed. */
  readonly source: Source;
  /** The release that the new one is built from. */
  readonly base: Release | undefined;
  readonly dating: Dating;
  readonly losses: LossTeller;
};

/** What the bundled sample says of files that were cut out of those of a publisher, because they cannot say it themselves. */
export type SampleCut = {
  /** In place of what the loader tells of an edition. */
  readonly told?: Partial<
    Pick<Dataset, 'source' | keyof DatasetFacts | 'edition' | 'asOf' | 'nextEditionExpected'>
  >;
  /** Whether the files have everything at a place. Asked by a loader that works out by itself what its files cover. */
  readonly isCompleteAt?: (place: LatLong) => boolean;
  /** Places of postcodes that the files name, and that are not in the sample. */
  readonly postcodes?: ReadonlyMap<string, LatLong>;
  /** Crimes that a force published of a month, and that are not in the files. */
  readonly elsewhere?: readonly { readonly force: string; readonly month: number; readonly crimes: number }[];
  /** What no file of a publisher has, as parts of the dataset. `soFar` has the datasets that were loaded before it. */
  readonly parts?: (soFar: Release | undefined) => Readonly<Record<string, Columns>>;
};

export type SampleCuts = Readonly<Partial<Record<DatasetName, SampleCut>>>;

/** Where a source puts its parts, and what it may look at meanwhile. */
export type Into = {
  /** The source itself, as it is listed. */
  readonly source: Source;
  /** The release that the new one is built from, with what sources listed earlier have loaded in this run. */
  readonly base: Release | undefined;
  readonly kind: ReleaseKind;
  /** Only of a dataset of the bundled sample. */
  readonly cut: SampleCut | undefined;
  /** Tells the days of the files. */
  readonly dating: Dating;
  readonly tally: Tally;
  /** What the files may have and is not to be loaded. */
  readonly leaveOut: ReadonlySet<LeavesOut>;
  /** Tells what of the base these files would take away. */
  readonly losses: LossTeller;
  readonly progress: Progress;
  /** A folder for what does not fit into memory; it is removed with the build. */
  readonly scratch: () => string;
  writePart(name: string, columns: Columns): void;
  /** A part that was encoded elsewhere, in a thread of its own. */
  writeEncoded(name: string, part: Uint8Array): Promise<void>;
  /** A part of the same dataset in the base stays as it is. */
  keepPart(name: string): void;
  /** A loader with `wholeFiles` calls this when it was given other files. Throws IngestRefused if this program cannot read
   *  the dataset in the base, which would be lost. */
  needBefore(): void;
};

/** What is true of the dataset as it now stands. */
export type Loaded = {
  readonly edition: string;
  /** YYYY-MM-DD. Of extracts or lists of several days that of the oldest, so that no part of the data is older than told. */
  readonly asOf: string;
  readonly rows: number;
  /** What the files are. For the sandbox, ingest replaces it by `fictional`. */
  readonly extent: Exclude<Extent, 'fictional'>;
  readonly nextEditionExpected: string | null;
  /** Given where these files cover something else than `facts` says of the publication. */
  readonly coverage?: Dataset['coverage'];
  /** What the files have and was not loaded, as its terms were not accepted. */
  readonly leftOut?: string;
  /** Given where only some of the publishers in `facts` have something in it. */
  readonly publisher?: string;
  readonly publisherShort?: string;
  /** Given where the text has the year of the edition, or names only some of the publishers. */
  readonly attribution?: string;
};

export type Source = {
  /** Unique among all sources. */
  readonly name: string;
  /** What it fills. Where several sources of one dataset are given together, the one listed first is read. */
  readonly dataset: DatasetName;
  /** Raised when the same files would give other parts, so that bundled data is built anew. Where earlier parts cannot be
   *  read any more, the layout of the dataset is raised too (in its table, src/tables/). */
  readonly version: number;
  readonly title: Dataset['title'];
  readonly source: Dataset['source'];
  /** Where an operator gets the files. */
  readonly homepage: string;
  /** `never`: no update fetches its files. A dataset: they come with those of that one. */
  readonly fetched?: 'never' | DatasetName;
  readonly open: () => Promise<Loader>;
};

export type Loader = {
  readonly facts: DatasetFacts;
  /** Where `domesday update` gets its files. Absent where it gets none by itself: what is bundled, and lists of councils. */
  readonly publications?: readonly Publication[];
  /** One line per layout, for an operator whose file was not recognised. */
  readonly layouts: readonly string[];
  /** Names the files that hold the complete data. They may replace data that this program cannot read, because nothing
   *  loaded earlier is needed. Without such files, nothing is loaded over unreadable data. */
  readonly wholeFiles?: string;
  /** `kept` where its files add to the bundled sample; else the sample gives way to them as a whole. */
  readonly bundledSample?: 'kept';
  /** What of the dataset may go from one edition to the next, without anybody being asked. */
  readonly shrinks?: Shrinkage;
  /** Other datasets that it looks at: when they change, the same files may give other parts. */
  readonly uses?: readonly DatasetName[];
  /** The layout of the file, told by its content and never by its name. Undefined where it is not of this source. */
  recognise(file: InputFile): string | undefined;
  /** What a text file means that has its header and nothing below it, where its files have headers. `refused`: it was cut off.
   *  `passed over`: there was nothing to tell, unless all files are so. `read`: it is complete so. */
  headerAlone?(given: RecognisedFile): 'refused' | 'passed over' | 'read';
  /** Chooses among editions and tells what is missing or would be lost, by the heads of the files alone. Throws IngestRefused.
   *  Without it every file is read. */
  judge?(files: readonly RecognisedFile[], ground: Ground): Judgement | Promise<Judgement>;
  /** Throws IngestRefused when the files cannot be trusted; then nothing is built. */
  load(files: readonly RecognisedFile[], into: Into): Promise<Loaded>;
};

export type OpenSource = Source & Loader;

export const openSources = (sources: readonly Source[]): Promise<readonly OpenSource[]> =>
  Promise.all(sources.map(async (source) => ({ ...source, ...(await source.open()) })));
