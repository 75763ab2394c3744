// What a depot consists of: the place from which replicas fetch published releases. docs/releases.md is its description.
//   newest                         names the newest release, in one line; a second line is its signature
//   releases/<sequence>-<id>.json  the files of a release, with length and hash
//   files/<sha256>                 each file under the hash of its content

import { isEarlyFormat } from '../before-release.ts';
import { EarlyFormat, FieldFault, type FieldReader, readFields } from '../release/fields.ts';
import { isPartName, isReleaseId } from '../release/manifest.ts';
import { manifestName, partFileName, sealName } from '../release/reader.ts';

const depotFormat = 'domesday-published-data';
const depotVersion = 1;

export const pointerName = 'newest';
export const filesFolder = 'files/';
export const listsFolder = 'releases/';
export const fileKey = (sha256: string): string => `${filesFolder}${sha256}`;
export const listKey = (sequence: number, release: string): string =>
  `${listsFolder}${String(sequence).padStart(10, '0')}-${release}.json`;

/** Undefined where it is no name of a list. */
export function sequenceOf(key: string): number | undefined {
  const digits = /^releases\/(\d{10,15})-[A-Za-z0-9-]+\.json$/.exec(key)?.[1];
  return digits === undefined ? undefined : Number(digits);
}

/** No pointer is longer, and no list: a release of 10,000 parts has one of some 1.5 MB. */
export const mostPointerBytes = 1 << 14;
export const mostListBytes = 1 << 26;

export type Content = { readonly bytes: number; readonly sha256: string };

export type Pointer = {
  /** Grows with each publication, also where that goes back to an older release. */
  readonly sequence: number;
  readonly release: string;
  /** Of the release, and of the publication: ISO 8601 instants. */
  readonly createdAt: string;
  readonly publishedAt: string;
  readonly list: Content;
};

export type PublishedPointer = {
  readonly pointer: Pointer;
  /** The line that a signature is of. */
  readonly line: string;
  /** Base64; undefined where there is none. */
  readonly signature: string | undefined;
};

/** By the names of the files in the release. */
export type FileList = ReadonlyMap<string, Content>;

export const pointerLine = (pointer: Pointer): string =>
  JSON.stringify({ format: depotFormat, version: depotVersion, ...pointer });

export const pointerText = (line: string, signature: string | undefined): string =>
  signature === undefined ? `${line}\n` : `${line}\ned25519 ${signature}\n`;

/** Throws FieldFault. */
export function parsePointer(text: string): PublishedPointer {
  // Its last line end is the last byte to come.
  const [, line = '', signature] = /^(\{[^\n]*\})\n(?:ed25519 ([A-Za-z0-9+/]{86}==)\n)?$/.exec(text) ?? [];
  if (line === '') throw new FieldFault('is not whole, or is none');
  const fields = readFields(line, pointerName);
  checkFormat(fields);
  const release = fields.text('release');
  if (!isReleaseId(release)) throw fields.wrong('release', 'a release id');
  const pointer = {
    sequence: fields.count('sequence'),
    release,
    createdAt: fields.instant('createdAt'),
    publishedAt: fields.instant('publishedAt'),
    list: readContent(fields.within('list')),
  };
  return { pointer, line, signature };
}

export const listText = (release: string, files: FileList): string =>
  `${JSON.stringify({ format: depotFormat, version: depotVersion, release, files: Object.fromEntries(files) }, null, 1)}\n`;

/** Throws FieldFault. */
export function parseList(text: string, release: string): FileList {
  const fields = readFields(text, 'list');
  checkFormat(fields);
  if (fields.text('release') !== release) throw fields.wrong('release', release);
  const files = fields.entries('files', (entries, name) => {
    if (!isFileName(name)) throw fields.wrong('files', 'names of files of a release');
    return readContent(entries.within(name));
  });
  return new Map(Object.entries(files));
}

function isFileName(name: string): boolean {
  if (name === manifestName || name === sealName) return true;
  const part = name.replace(/\.part$/, '');
  return isPartName(part) && name === partFileName(part);
}

function checkFormat(fields: FieldReader): void {
  if (isEarlyFormat(fields.text('format'))) throw new EarlyFormat();
  fields.oneOf('format', [depotFormat]);
  const version = fields.count('version');
  if (version !== depotVersion)
    throw new FieldFault(`has version ${version}, and this program reads ${depotVersion}; update it`);
}

const readContent = (fields: FieldReader): Content => ({
  bytes: fields.count('bytes'),
  sha256: fields.sha256('sha256'),
});
