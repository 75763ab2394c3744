// Look-ups from output areas to the areas above them: OA (2021) to LSOA of ONS, OA 2022 to data zone 2022 of National
// Records of Scotland. Columns go by name; names of areas that lie beside the codes are not read here.

import path from 'node:path';
import type { InputFile, TextFile } from '../../ingest/files.ts';
import { reporting } from '../../ingest/progress.ts';
import { firstRows, readCsv } from '../../ingest/read/csv.ts';
import { FileRefused } from '../../ingest/refusal.ts';
import type { Into } from '../../ingest/source.ts';
import type { OutputAreas } from '../../tables/census/output-areas.ts';
import { parsePlaceCode } from '../../tables/postcodes/place-names.ts';

export type LookupLayout = {
  readonly child: RegExp;
  readonly parent: RegExp;
  readonly childCode: RegExp;
  readonly parentCode: RegExp;
  /** For people: "OA21CD and LSOA21CD". */
  readonly names: string;
};

export const englandWalesLookup: LookupLayout = {
  child: /^oa21cd$/,
  parent: /^lsoa21cd$/,
  childCode: /^[EW]00\d{6}$/,
  parentCode: /^[EW]01\d{6}$/,
  names: 'OA21CD and LSOA21CD',
};

export const scotlandLookup: LookupLayout = {
  child: /^(oa(20)?22(cd|code)?|outputarea2022code)$/,
  parent: /^(dz(20)?22(cd|code)?|datazone2022code)$/,
  childCode: /^S00\d{6}$/,
  parentCode: /^S01\d{6}$/,
  names: 'OA22 and DZ22',
};

const normalise = (cell: string) => cell.replace(/[\s_]/g, '').toLowerCase();
/** Directories of postcodes have both columns too. */
const isOfPostcodes = (name: string) => /^pcds?\d?$/.test(name);

export function isLookup(file: InputFile, layout: LookupLayout): file is TextFile {
  if (file.form !== 'text') return false;
  const header = (firstRows(file.head, 1, 'cp1252')[0] ?? []).map(normalise);
  return (
    header.some((name) => layout.child.test(name)) &&
    header.some((name) => layout.parent.test(name)) &&
    !header.some(isOfPostcodes)
  );
}

/** Adds to `areas`; what was known of an output area's figures stays. */
export async function readLookup(
  file: TextFile,
  layout: LookupLayout,
  areas: OutputAreas,
  into: Into,
): Promise<void> {
  const { tally } = into;
  const base = path.basename(file.name);
  let childAt = -1;
  let parentAt = -1;
  let count = 0;
  const chunks = reporting(file.open(), `Reading ${file.name}`, file.bytes, into.progress);
  await readCsv(chunks, { file: file.name, encoding: 'utf-8' }, (row) => {
    if (childAt === -1) {
      const header = row.texts().map(normalise);
      childAt = onlyColumn(file.name, header, layout.child, layout);
      parentAt = onlyColumn(file.name, header, layout.parent, layout);
      return;
    }
    tally.read += 1;
    const child = row.text(childAt).trim();
    const parent = row.text(parentAt).trim();
    const code = parsePlaceCode(child);
    const above = parsePlaceCode(parent);
    if (
      code === undefined ||
      above === undefined ||
      !layout.childCode.test(child) ||
      !layout.parentCode.test(parent)
    ) {
      tally.reject('no codes of an output area and the area above it', `${base}:${row.line}`);
      return;
    }
    const known = areas.get(code);
    if (known !== undefined && known.parent !== above) {
      tally.revise('output area that belongs to another area now', `${base}:${row.line}`);
    }
    areas.set(code, {
      parent: above,
      population: known?.population ?? Number.NaN,
      density: known?.density ?? Number.NaN,
    });
    count += 1;
    tally.kept += 1;
  });
  if (count === 0) throw new FileRefused(file.name, `holds no pairs of codes; expected ${layout.names}`);
}

function onlyColumn(
  file: string,
  header: readonly string[],
  pattern: RegExp,
  { names }: LookupLayout,
): number {
  const found = header.flatMap((name, index) => (pattern.test(name) ? [index] : []));
  const [index, ...others] = found;
  if (index !== undefined && others.length === 0) return index;
  throw new FileRefused(
    file,
    `line 1 has ${found.length} columns for one code; expected ${names}, each once. Its columns are ${header.join(', ')}`,
  );
}
