// Look-ups from output areas to the areas above them: OA (2021) to LSOA of ONS, OA 2022 to data zone 2022 of National
// Records of Scotland. Columns go by name; names of areas that lie beside the codes are not read here.

import type { InputFile, TextFile } from '../../ingest/files.ts';
import { headerOf, placeOf, readNamedRows } from '../../ingest/read/named-rows.ts';
import { FileRefused } from '../../ingest/refusal.ts';
import type { Into } from '../../ingest/source.ts';
import type { OutputAreas } from '../../tables/census/output-areas.ts';
import { parsePlaceCode } from '../../tables/postcodes/place-names.ts';

type LookupLayout = {
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
  const header = headerOf(file).map(normalise);
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
  let count = 0;
  const find = (titles: readonly string[]) => {
    const header = titles.map(normalise);
    return {
      child: onlyColumn(file.name, header, layout.child, layout),
      parent: onlyColumn(file.name, header, layout.parent, layout),
    };
  };
  await readNamedRows(file, { width: 'any' }, find, into, (row, at) => {
    const child = row.text(at.child).trim();
    const parent = row.text(at.parent).trim();
    const code = parsePlaceCode(child);
    const above = parsePlaceCode(parent);
    if (
      code === undefined ||
      above === undefined ||
      !layout.childCode.test(child) ||
      !layout.parentCode.test(parent)
    ) {
      tally.reject('no codes of an output area and the area above it', placeOf(file, row));
      return;
    }
    const known = areas.get(code);
    if (known !== undefined && known.parent !== above) {
      tally.revise('output area that now belongs to another area', placeOf(file, row));
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
