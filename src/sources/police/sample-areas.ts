// What the bundled sample has of forces whose incidents it holds around a few places only (tables/crime/sample.ts).
//
// crime-areas.csv: `lsoa21Code,force,violent,burglary,vehicleCrime,antisocial,other,previous,residents`. Every LSOA of a
// force, with the crimes of the twelve months up to the force's newest in crimes.csv, all crimes of the twelve months
// before, and the residents of Census 2021. One row of a force without a code: its crimes that name no LSOA.
// `reach` of the note: around which points crimes.csv has every incident.
//
// The force's other crimes, which are neither within reach nor in the file, are in crimes.csv as rows without category and place: the
// number of them by month. They tell that the month was published.

import type { TextFile } from '../../ingest/files.ts';
import { type NamedCells, readNamedCells } from '../../ingest/read/named-rows.ts';
import { FileRefused } from '../../ingest/refusal.ts';
import type { Into } from '../../ingest/source.ts';
import { yearMonths } from '../../tables/crime/areas.ts';
import {
  crimeSampleAreasTable,
  crimeSampleReachTable,
  encodeCrimeSampleAreas,
  type SampleArea,
  type SampleForce,
} from '../../tables/crime/sample.ts';
import { parsePlaceCode } from '../../tables/postcodes/place-names.ts';
import { encodeReach, type ReachPoints } from '../../tables/reach.ts';
import { crimeGroups } from '../../uk/police.ts';
import type { PoliceRows } from './rows.ts';

export const areaColumns = ['lsoa21Code', 'force', ...crimeGroups, 'previous', 'residents'] as const;

type AreaRow = NamedCells<(typeof areaColumns)[number]>;

/** `rows` has all of crimes.csv. Throws FileRefused. */
export async function writeSampleAreas(
  areaFile: TextFile,
  reach: ReachPoints,
  rows: PoliceRows,
  into: Into,
): Promise<void> {
  const areas: SampleArea[] = [];
  const unplaced = new Map<string, number>();
  await readNamedCells(areaFile, { width: 'exact' }, { required: areaColumns }, into, (row) => {
    const area = readArea(row);
    if (area !== undefined) areas.push(area);
    else
      unplaced.set(
        row.cell('force'),
        crimeGroups.reduce((sum, group) => sum + readCount(row, group), 0),
      );
  });
  const names = [...new Set([...areas.map(({ force }) => force), ...unplaced.keys()])];
  const forces = names.map((name) => describeForce(name, unplaced.get(name) ?? 0, rows, areaFile.name));
  into.tally.kept += areas.length + unplaced.size;
  into.writePart(crimeSampleAreasTable.part, encodeCrimeSampleAreas(areas, forces));
  into.writePart(crimeSampleReachTable.part, encodeReach(crimeSampleReachTable, reach));
}

function readArea(row: AreaRow): SampleArea | undefined {
  const text = row.cell('lsoa21Code');
  if (text === '') return undefined;
  const code = parsePlaceCode(text);
  if (code === undefined) throw row.refuse('lsoa21Code', 'a code like E01000001');
  return {
    code,
    force: row.cell('force'),
    counts: {
      violent: readCount(row, 'violent'),
      burglary: readCount(row, 'burglary'),
      vehicleCrime: readCount(row, 'vehicleCrime'),
      antisocial: readCount(row, 'antisocial'),
      other: readCount(row, 'other'),
    },
    previous: readCount(row, 'previous'),
    residents: readCount(row, 'residents'),
  };
}

function readCount<T extends string>({ cell, refuse }: NamedCells<T>, title: T): number {
  const text = cell(title);
  if (!/^\d{1,9}$/.test(text)) throw refuse(title, 'a whole number');
  return Number(text);
}

/** The twelve months up to the newest in which the force has rows. */
function describeForce(
  name: string,
  unplaced: number,
  { builder, forces }: PoliceRows,
  file: string,
): SampleForce {
  const number = forces.list.words.indexOf(name);
  const months = builder.months().filter((month) => number >= 0 && builder.hasPublished(month, number));
  const lastMonth = months.at(-1);
  if (lastMonth === undefined) throw new FileRefused(file, `names ${name}, but crimes.csv has no row of it`);
  const year = months.filter((month) => month > lastMonth - yearMonths);
  if (year.length < yearMonths) {
    throw new FileRefused(file, `names ${name}, but crimes.csv lacks one of its newest twelve months`);
  }
  const rows = year.reduce((sum, month) => sum + builder.rowsOf(month, number), 0);
  return { name, lastMonth, unplacedShare: unplaced / rows };
}
