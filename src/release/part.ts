// A part is one file: a header and its columns. Columns are read as typed arrays over one (shared) buffer, without a copy.
// docs/release-format.md describes every byte; raise `partVersion` when that changes.

import { crc32 } from 'node:zlib';
import { isObject, parseJson } from '../json.ts';
import { outOfRange } from '../out-of-range.ts';

export const partVersion = 1;

const magic = Buffer.from('DDAYPART', 'latin1');
const prefixBytes = 32;
const alignBytes = 8;

export type Numbers =
  | Uint8Array
  | Int8Array
  | Uint16Array
  | Int16Array
  | Uint32Array
  | Int32Array
  | Float32Array
  | Float64Array;

/** A column's type follows from its class; an array of strings is kept as offsets and UTF-8 bytes. */
export type ColumnValues = Numbers | readonly string[];
export type Columns = Readonly<Record<string, ColumnValues>>;

/** A column with no more text than this is decoded as a whole when one of its strings is first asked for. Cutting a
 *  string out of the text takes a tenth of the time of decoding it alone. */
const mostKeptBytes = 2 ** 20;

const widths = { u8: 1, i8: 1, u16: 2, i16: 2, u32: 4, i32: 4, f32: 4, f64: 8 } as const;
type NumberType = keyof typeof widths;
type ColumnType = NumberType | 'strings';

type Column = {
  readonly name: string;
  readonly type: ColumnType;
  /** From the start of the body, a multiple of 8. */
  readonly offset: number;
  readonly bytes: number;
  /** Number of values. */
  readonly length: number;
};

export type PartFaultKind =
  | 'not-a-part'
  | 'newer-version'
  | 'truncated'
  | 'checksum'
  | 'malformed'
  | 'no-such-column'
  | 'unsound';

/** What is wrong with one part; the reader of a release adds which part and what to do. */
export class PartFault extends Error {
  override name = 'PartFault';
  readonly kind: PartFaultKind;
  constructor(kind: PartFaultKind, message: string) {
    super(message);
    this.kind = kind;
  }
}

/** Turns a fault into the error to throw: whoever opens a part knows which part it is. */
type Blame = (fault: PartFault) => Error;

export type Strings = {
  readonly length: number;
  at(index: number): string;
  /** All of them; much faster than asking for one after the other. */
  list(): readonly string[];
};

const padded = (bytes: number) => Math.ceil(bytes / alignBytes) * alignBytes;

function numberTypeOf(values: Numbers): NumberType {
  if (values instanceof Uint8Array) return 'u8';
  if (values instanceof Int8Array) return 'i8';
  if (values instanceof Uint16Array) return 'u16';
  if (values instanceof Int16Array) return 'i16';
  if (values instanceof Uint32Array) return 'u32';
  if (values instanceof Int32Array) return 'i32';
  if (values instanceof Float32Array) return 'f32';
  return 'f64';
}

const isStrings = (values: ColumnValues): values is readonly string[] => Array.isArray(values);

const bytesOf = (values: Numbers) => new Uint8Array(values.buffer, values.byteOffset, values.byteLength);

function encodeStrings(values: readonly string[]): Uint8Array {
  const offsets = new Uint32Array(values.length + 1);
  let total = 0;
  for (const [index, text] of values.entries()) {
    total += Buffer.byteLength(text);
    if (total > 0xffff_ffff) throw new RangeError('A column of strings holds at most 4 GB of text.');
    offsets[index + 1] = total;
  }
  const encoded = Buffer.allocUnsafe(offsets.byteLength + total);
  encoded.set(bytesOf(offsets));
  let at = offsets.byteLength;
  for (const text of values) at += encoded.write(text, at, 'utf8');
  return encoded;
}

/** The bytes of a part, ready to be written as one file. */
export function encodePart(columns: Columns): Buffer<ArrayBuffer> {
  const bodies: { readonly column: Column; readonly bytes: Uint8Array }[] = [];
  let offset = 0;
  for (const [name, values] of Object.entries(columns)) {
    const bytes = isStrings(values) ? encodeStrings(values) : bytesOf(values);
    const type = isStrings(values) ? 'strings' : numberTypeOf(values);
    bodies.push({
      column: { name, type, offset, bytes: bytes.byteLength, length: values.length },
      bytes,
    });
    offset += padded(bytes.byteLength);
  }
  const json = JSON.stringify({ columns: bodies.map(({ column }) => column) });
  const headerBytes = padded(Buffer.byteLength(json));
  const bodyAt = prefixBytes + headerBytes;
  // Zero-filled, because the gaps between columns are part of what the checksum covers.
  const file = Buffer.alloc(bodyAt + offset);
  magic.copy(file);
  file.writeUInt32LE(partVersion, 8);
  file.writeUInt32LE(headerBytes, 12);
  file.fill(' ', prefixBytes, bodyAt);
  file.write(json, prefixBytes, 'utf8');
  for (const { column, bytes } of bodies) file.set(bytes, bodyAt + column.offset);
  file.writeUInt32LE(crc32(file.subarray(bodyAt)), 20);
  file.writeBigUInt64LE(BigInt(offset), 24);
  file.writeUInt32LE(headerChecksum(file, bodyAt), 16);
  return file;
}

/** The checksum of an encoded part's header, which covers that of its data. */
export const checksumOf = (part: Uint8Array): number =>
  Buffer.from(part.buffer, part.byteOffset, part.byteLength).readUInt32LE(16);

/** Covers everything before the body but the checksum itself; through the body's checksum, the body too. */
function headerChecksum(file: Uint8Array, bodyAt: number): number {
  return crc32(file.subarray(20, bodyAt), crc32(file.subarray(0, 16)));
}

/** Memory that was held against its checksum. Nobody writes to it afterwards, so that once is enough: a gigabyte takes a
 *  second. */
const proved = new WeakSet<ArrayBufferLike>();

export const isProved = (buffer: ArrayBufferLike): boolean => proved.has(buffer);

/** For memory that another thread has proved. */
export function takeAsProved(buffer: ArrayBufferLike): void {
  proved.add(buffer);
}

export class Part {
  readonly columns: readonly Column[];
  /** The header's checksum, which covers the body's: it identifies the whole content of the part. */
  readonly checksum: number;
  readonly #buffer: ArrayBufferLike;
  readonly #bodyAt: number;
  readonly #byName: ReadonlyMap<string, Column>;
  readonly #blame: Blame;

  private constructor(
    buffer: ArrayBufferLike,
    bodyAt: number,
    checksum: number,
    columns: readonly Column[],
    blame: Blame,
  ) {
    this.#blame = blame;
    this.#buffer = buffer;
    this.#bodyAt = bodyAt;
    this.checksum = checksum;
    this.columns = columns;
    this.#byName = new Map(columns.map((column) => [column.name, column]));
  }

  /** Checks everything once; afterwards columns are views without checks or copies. `blame` makes the error for a
   *  column that is missing. */
  static open(buffer: ArrayBufferLike, blame: Blame = (fault) => fault): Part {
    const file = Buffer.from(buffer);
    if (file.length < magic.length || !file.subarray(0, magic.length).equals(magic)) {
      throw new PartFault('not-a-part', 'it does not begin like a part of a release');
    }
    if (file.length < prefixBytes) throw new PartFault('truncated', `it ends after ${file.length} bytes`);
    const version = file.readUInt32LE(8);
    if (version > partVersion) {
      throw new PartFault(
        'newer-version',
        `it has format version ${version}, but this program reads up to version ${partVersion}`,
      );
    }
    const bodyAt = prefixBytes + file.readUInt32LE(12);
    if (file.length < bodyAt) throw new PartFault('truncated', 'it ends within its header');
    const checksum = file.readUInt32LE(16);
    if (headerChecksum(file, bodyAt) !== checksum) {
      throw new PartFault('checksum', 'its header does not match its checksum');
    }
    if (version !== partVersion) throw new PartFault('malformed', `format version ${version} never existed`);
    const bodyBytes = Number(file.readBigUInt64LE(24));
    if (file.length !== bodyAt + bodyBytes) {
      throw new PartFault('truncated', `it has ${file.length} bytes instead of ${bodyAt + bodyBytes}`);
    }
    const columns = parseColumns(file.toString('utf8', prefixBytes, bodyAt), bodyBytes);
    const part = new Part(buffer, bodyAt, checksum, columns, blame);
    if (!proved.has(buffer)) {
      if (crc32(file.subarray(bodyAt)) !== file.readUInt32LE(20)) {
        throw new PartFault('checksum', 'its data does not match its checksum');
      }
      for (const column of columns) if (column.type === 'strings') part.#checkStrings(column);
      proved.add(buffer);
    }
    return part;
  }

  /** The error to throw where its columns do not fit each other. */
  fault(problem: string): Error {
    return this.#blame(new PartFault('unsound', problem));
  }

  find(name: string): Column | undefined {
    return this.#byName.get(name);
  }

  u8(name: string): Uint8Array {
    const { at, length } = this.#locate(name, 'u8');
    return new Uint8Array(this.#buffer, at, length);
  }
  i8(name: string): Int8Array {
    const { at, length } = this.#locate(name, 'i8');
    return new Int8Array(this.#buffer, at, length);
  }
  u16(name: string): Uint16Array {
    const { at, length } = this.#locate(name, 'u16');
    return new Uint16Array(this.#buffer, at, length);
  }
  i16(name: string): Int16Array {
    const { at, length } = this.#locate(name, 'i16');
    return new Int16Array(this.#buffer, at, length);
  }
  u32(name: string): Uint32Array {
    const { at, length } = this.#locate(name, 'u32');
    return new Uint32Array(this.#buffer, at, length);
  }
  i32(name: string): Int32Array {
    const { at, length } = this.#locate(name, 'i32');
    return new Int32Array(this.#buffer, at, length);
  }
  f32(name: string): Float32Array {
    const { at, length } = this.#locate(name, 'f32');
    return new Float32Array(this.#buffer, at, length);
  }
  f64(name: string): Float64Array {
    const { at, length } = this.#locate(name, 'f64');
    return new Float64Array(this.#buffer, at, length);
  }

  strings(name: string): Strings {
    const { at, length, bytes } = this.#locate(name, 'strings');
    const offsets = new Uint32Array(this.#buffer, at, length + 1);
    const text = Buffer.from(this.#buffer, at + offsets.byteLength, bytes - offsets.byteLength);
    const cut = (index: number, whole: string | undefined) => {
      const start = offsets[index];
      const end = offsets[index + 1];
      if (start === undefined || end === undefined) {
        return outOfRange();
      }
      return whole === undefined ? text.toString('utf8', start, end) : whole.slice(start, end);
    };
    // With as many characters as bytes, the offsets count characters too.
    const decode = () => {
      const whole = text.toString('utf8');
      return whole.length === text.length ? whole : undefined;
    };
    let kept: { readonly whole: string | undefined } | undefined =
      text.length > mostKeptBytes ? { whole: undefined } : undefined;
    return {
      length,
      at: (index) => {
        kept ??= { whole: decode() };
        return cut(index, kept.whole);
      },
      list: () => {
        const whole = decode();
        return Array.from({ length }, (_, index) => cut(index, whole));
      },
    };
  }

  #locate(name: string, type: ColumnType): { at: number; length: number; bytes: number } {
    const column = this.#byName.get(name);
    if (column === undefined) throw this.#lacks(`it has no column ${name}`);
    if (column.type !== type) throw this.#lacks(`its column ${name} is of type ${column.type}, not ${type}`);
    return { at: this.#bodyAt + column.offset, length: column.length, bytes: column.bytes };
  }

  #lacks(problem: string): Error {
    return this.#blame(new PartFault('no-such-column', problem));
  }

  #checkStrings(column: Column): void {
    const offsets = new Uint32Array(this.#buffer, this.#bodyAt + column.offset, column.length + 1);
    let previous = 0;
    for (const offset of offsets) {
      if (offset < previous) throw new PartFault('malformed', `the strings of ${column.name} overlap`);
      previous = offset;
    }
    if (offsets[0] !== 0 || offsets.byteLength + previous !== column.bytes) {
      throw new PartFault('malformed', `the strings of ${column.name} do not fill their column`);
    }
  }
}

function parseColumns(json: string, bodyBytes: number): readonly Column[] {
  const malformed = (what: string) => new PartFault('malformed', `its header ${what}`);
  const header = parseJson(json);
  if (header === undefined) throw malformed('is not JSON');
  if (!isObject(header) || !Array.isArray(header.columns)) throw malformed('lists no columns');
  const entries: readonly unknown[] = header.columns;
  const columns = entries.map((entry) => {
    const column = readColumn(entry);
    if (column === undefined) throw malformed('describes a column wrongly');
    if (column.offset % alignBytes !== 0 || column.offset + column.bytes > bodyBytes) {
      throw malformed(`places column ${column.name} outside the data`);
    }
    return column;
  });
  if (new Set(columns.map((column) => column.name)).size !== columns.length) {
    throw malformed('names a column twice');
  }
  return columns;
}

const isNumberType = (type: unknown): type is NumberType =>
  typeof type === 'string' && Object.hasOwn(widths, type);

const isCount = (value: unknown): value is number =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;

function readColumn(entry: unknown): Column | undefined {
  if (typeof entry !== 'object' || entry === null) return undefined;
  if (!('name' in entry && 'type' in entry && 'offset' in entry && 'bytes' in entry && 'length' in entry)) {
    return undefined;
  }
  const { name, type, offset, bytes, length } = entry;
  if (typeof name !== 'string' || !isCount(offset) || !isCount(bytes) || !isCount(length)) return undefined;
  if (type === 'strings') {
    return bytes < (length + 1) * 4 ? undefined : { name, type, offset, bytes, length };
  }
  if (!isNumberType(type) || bytes !== length * widths[type]) return undefined;
  return { name, type, offset, bytes, length };
}
