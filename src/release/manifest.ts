// manifest.json of a release: where each dataset came from, how current and how complete it is, and which
// parts the release consists of. docs/release-format.md is its description.

import { isEarlyFormat } from '../before-release.ts';
import type { DatasetName } from '../datasets.ts';
import { EarlyFormat, FieldFault, FieldReader, readFields } from './fields.ts';

export const releaseFormat = 'domesday-data';
export const releaseVersion = 1;

export type ReleaseKind = 'sample' | 'loaded' | 'sandbox';
/** `complete`: from the publisher's files, and nothing of the publication is known to be missing. `partial`: something is
 *  known to be missing. `coverage` says what is loaded. `sample`: bundled with the program. `fictional`: made up. */
export type Extent = 'complete' | 'partial' | 'sample' | 'fictional';

type SourceFile = { readonly name: string; readonly bytes: number; readonly sha256: string };

/** A source and its version: the same files read by another give other parts. */
type LoadedBy = { readonly source: string; readonly version: number };

export type Dataset = {
  /** One of src/datasets.ts; another where a later version of the program has made the release. */
  readonly name: string;
  readonly title: string;
  /** The publication, as its publisher calls it. */
  readonly source: string;
  readonly publisher: string;
  /** For the X-Data-Source header. */
  readonly publisherShort: string;
  readonly licence: string;
  readonly attribution: string;
  readonly edition: string;
  /** YYYY-MM-DD: the newest day the data speaks about; of extracts or lists of several days, that of the oldest. */
  readonly asOf: string;
  /** ISO 8601 instant. */
  readonly loadedAt: string;
  readonly rows: number;
  readonly rejects: Readonly<Record<string, number>>;
  readonly extent: Extent;
  /** By nation ("England", … or "United Kingdom"): what is covered there. */
  readonly coverage: Readonly<Record<string, string>>;
  readonly nextEditionExpected: string | null;
  readonly files: readonly SourceFile[];
  /** What read the files. */
  readonly loadedBy: LoadedBy;
  /** What the files have and was not loaded, because its terms were not accepted. */
  readonly leftOut?: string;
  /** Names of the parts that hold it. */
  readonly parts: readonly string[];
  /** How the parts are laid out; a program reads one layout of each dataset (`Layouts`). */
  readonly layout: number;
};

/** A dataset that this program knows. */
export type KnownDataset = Dataset & { readonly name: DatasetName };

/**
 * The one layout of each dataset that a program writes and reads. A layout is raised whenever a reader can no longer read
 * what was written before. So data of another version of the program is told by its manifest, never by a missing column.
 */
export type Layouts = ReadonlyMap<string, number>;

export type PartEntry = {
  readonly bytes: number;
  /** Checksum of the part's header, which covers that of its data. */
  readonly crc32: number;
};

/** A part that no file was read into: it is worked out from datasets of the same release. */
export type DerivedPart = {
  readonly part: string;
  /** Of the rule that made it. */
  readonly version: number;
  /** Datasets that it is made of, as far as they are loaded. */
  readonly from: readonly string[];
};

export type Manifest = {
  readonly format: typeof releaseFormat;
  readonly version: number;
  readonly id: string;
  readonly createdAt: string;
  readonly kind: ReleaseKind;
  /** The release this one was built from. */
  readonly parent: string | null;
  readonly datasets: readonly Dataset[];
  readonly derived: readonly DerivedPart[];
  readonly parts: Readonly<Record<string, PartEntry>>;
};

export const isReleaseId = (text: string): boolean => /^[a-z0-9][A-Za-z0-9-]{2,63}$/.test(text);
export const isPartName = (text: string): boolean => /^[a-z0-9][a-z0-9-]{0,63}$/.test(text);

const kinds: readonly ReleaseKind[] = ['sample', 'loaded', 'sandbox'];
const extents: readonly Extent[] = ['complete', 'partial', 'sample', 'fictional'];

function parseDataset(value: unknown, index: number): Dataset {
  const fields = new FieldReader(value, `datasets[${index}]`);
  return {
    name: fields.text('name'),
    title: fields.text('title'),
    source: fields.text('source'),
    publisher: fields.text('publisher'),
    // It goes out as a header.
    publisherShort: fields.matching('publisherShort', /^[\x20-\x7e]+$/, 'printable ASCII'),
    licence: fields.text('licence'),
    attribution: fields.text('attribution'),
    edition: fields.text('edition'),
    asOf: fields.matching('asOf', /^\d{4}-\d\d-\d\d$/, 'a date YYYY-MM-DD'),
    loadedAt: fields.instant('loadedAt'),
    rows: fields.count('rows'),
    rejects: fields.entries('rejects', (counts, reason) => counts.count(reason)),
    extent: fields.oneOf('extent', extents),
    coverage: fields.entries('coverage', (nations, nation) => nations.text(nation)),
    nextEditionExpected: fields.textOrNull('nextEditionExpected'),
    files: fields.list('files').map((file) => {
      const entry = new FieldReader(file, `datasets[${index}].files`);
      return {
        name: entry.text('name'),
        bytes: entry.count('bytes'),
        sha256: entry.sha256('sha256'),
      };
    }),
    loadedBy: parseLoadedBy(fields.within('loadedBy')),
    ...(fields.has('leftOut') ? { leftOut: fields.text('leftOut') } : {}),
    parts: fields.list('parts').map((name) => {
      if (typeof name !== 'string' || !isPartName(name)) throw fields.wrong('parts', 'names of parts');
      return name;
    }),
    layout: fields.count('layout'),
  };
}

const parseLoadedBy = (fields: FieldReader): LoadedBy => ({
  source: fields.text('source'),
  version: fields.count('version'),
});

function parseDerived(value: unknown, index: number): DerivedPart {
  const fields = new FieldReader(value, `derived[${index}]`);
  return {
    part: fields.text('part'),
    version: fields.count('version'),
    from: fields.list('from').map((name) => {
      if (typeof name !== 'string') throw fields.wrong('from', 'names of datasets');
      return name;
    }),
  };
}

/** Throws FieldFault. */
export function parseManifest(json: string): Manifest {
  const fields = readFields(json, 'manifest');
  if (isEarlyFormat(fields.text('format'))) throw new EarlyFormat();
  fields.oneOf('format', [releaseFormat]);
  const version = fields.count('version');
  if (version > releaseVersion) {
    throw new FieldFault(`has format version ${version}, but this program reads up to ${releaseVersion}`);
  }
  const id = fields.text('id');
  if (!isReleaseId(id)) throw fields.wrong('id', 'a release id');
  const parts = fields.entries('parts', (entries, name) => {
    if (!isPartName(name)) throw fields.wrong('parts', 'names of small letters, digits and hyphens');
    const part = entries.within(name);
    return { bytes: part.count('bytes'), crc32: part.count('crc32') };
  });
  const datasets = fields.list('datasets').map(parseDataset);
  for (const dataset of datasets) {
    const absent = dataset.parts.find((name) => !Object.hasOwn(parts, name));
    if (absent !== undefined) throw new FieldFault(`lists no part ${absent}, which ${dataset.name} needs`);
  }
  const derived = fields.list('derived').map(parseDerived);
  const lost = derived.find(({ part }) => !Object.hasOwn(parts, part));
  if (lost !== undefined) throw new FieldFault(`lists no part ${lost.part}, which it says was derived`);
  return {
    format: releaseFormat,
    version,
    id,
    createdAt: fields.instant('createdAt'),
    kind: fields.oneOf('kind', kinds),
    parent: fields.textOrNull('parent'),
    datasets,
    derived,
    parts,
  };
}
