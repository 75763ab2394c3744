// The bundled sample of amenities (data/sample/amenities.csv): objects of OpenStreetMap around some places, as an
// extract gives them, and in the note which cells they are all of. A park has the nodes of its outline.

import type { NamedCells } from '../../ingest/read/named-rows.ts';
import { FileRefused } from '../../ingest/refusal.ts';
import { isObject } from '../../json.ts';
import { defined, outOfRange } from '../../out-of-range.ts';
import { pointKinds } from '../../tables/amenities/amenities.ts';
import { AmenitiesBuilder, type MapExtract, type Mapped } from '../../tables/amenities/amenities-builder.ts';
import { CoverageCells } from '../../tables/amenities/coverage-cells.ts';
import type { MapBox } from '../../tables/amenities/map-box.ts';
import type { Note } from '../bundled-note.ts';
import { sampleLoader } from '../sample-loader.ts';
import { openStreetMapFacts } from './facts.ts';

/** `outline`: latitude and longitude in millionths of a degree; each pair after the first as the difference from the one
 *  before. */
const columns = ['extract', 'kind', 'object', 'outline'] as const;

type Row = { readonly region: string; readonly mapped: Mapped };

export const amenitySample = sampleLoader({
  subject: 'sample-amenities',
  facts: {
    ...openStreetMapFacts,
    coverage: {
      England: 'some 5 km around PO33 2RX in Ryde and LE15 6QU in Oakham',
      Wales: 'some 5 km around NP10 8WA in Newport',
    },
  },
  columns,
  readRow: readObject,
  write: (rows, note, into) => {
    const builder = new AmenitiesBuilder();
    for (const extract of extractsOf(note)) {
      const own = rows.filter(({ region }) => region === extract.region);
      builder.add(
        extract,
        own.map(({ mapped }) => mapped),
      );
    }
    for (const [name, parts] of Object.entries(builder.encode())) into.writePart(name, parts);
  },
});

function readObject({ cell, refuse }: NamedCells<(typeof columns)[number]>): Row {
  const region = cell('extract');
  const object = Number(cell('object'));
  const outline = Int32Array.from(cell('outline').split(' '), Number);
  if (outline.length < 2 || outline.length % 2 === 1) throw refuse('outline', 'pairs of whole numbers');
  for (let at = 2; at < outline.length; at += 1)
    outline[at] = defined(outline[at]) + defined(outline[at - 2]);
  const named = cell('kind');
  if (named === 'park') return { region, mapped: { kind: named, object, outline } };
  const kind = pointKinds.find((known) => known === named);
  if (kind === undefined) throw refuse('kind', `park or one of ${pointKinds.join(', ')}`);
  const [latitudeMicro = outOfRange(), longitudeMicro = outOfRange()] = outline;
  return { region, mapped: { kind, object, latitudeMicro, longitudeMicro } };
}

/** Newest first, as the builder takes them. Throws FileRefused. */
function extractsOf({ name, fields }: Note): readonly MapExtract[] {
  const given: readonly unknown[] = Array.isArray(fields.extracts) ? fields.extracts : [];
  const extracts = given.map((value): MapExtract => {
    const { region, asOf, firstRow, firstColumn, cells, box } = isObject(value) ? value : {};
    const rows: readonly unknown[] = Array.isArray(cells) ? cells : [];
    const texts = rows.filter((row) => typeof row === 'string');
    const asOfMs = Date.parse(String(asOf));
    const [{ length: columns = 0 } = ''] = texts;
    if (
      typeof region !== 'string' ||
      typeof firstRow !== 'number' ||
      typeof firstColumn !== 'number' ||
      Number.isNaN(asOfMs) ||
      columns === 0
    )
      throw new FileRefused(name, 'has an extract without region, asOf, firstRow, firstColumn or cells');
    const kinds = Uint8Array.from(texts.join(''), Number);
    const window = { firstRow, firstColumn, rows: texts.length, columns };
    return { region, asOfMs, cells: new CoverageCells(window, kinds), box: boxOf(box) };
  });
  if (extracts.length === 0) throw new FileRefused(name, 'has no "extracts" with the cells that they cover');
  return extracts.sort((a, b) => b.asOfMs - a.asOfMs);
}

/** Undefined where the map was not cut to a rectangle. */
function boxOf(value: unknown): MapBox | undefined {
  if (!isObject(value)) return undefined;
  const { west, east, north, south } = value;
  if (typeof west !== 'number' || typeof east !== 'number') return undefined;
  return typeof north === 'number' && typeof south === 'number' ? { west, east, north, south } : undefined;
}
