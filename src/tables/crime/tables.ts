// The tables of street-level crime: points and totals, and the incidents of each month apart from them.

import {
  andOneMore,
  exactly,
  i32,
  into,
  intoOrZero,
  intoPart,
  intoPartOrZero,
  rising,
  starts,
  strings,
  times,
  u8,
  u16,
  u32,
} from '../../release/column.ts';
import { table } from '../../release/table.ts';
import { byBand, pointColumns } from '../point-columns.ts';

const crimesPart = 'crimes';
export const idBytes = 32;

export const crimeOrigin = { dataset: 'crime', layout: 1 } as const;

export const crimesTable = table({
  part: crimesPart,
  origin: crimeOrigin,
  about:
    'The points at which incidents lie, and what all months have in common. Months are 12 × year + month − 1.',
  order: byBand,
  columns: {
    ...pointColumns('point'),
    'point-name': u32('point', 'where it is said to be', into('name')),
    'point-lsoa': u32('point', 'the LSOA it was last published with', intoOrZero('LSOA')),
    'totals-before': u32(
      times(andOneMore('point'), 'month'),
      'for each month the incidents of all points before this one',
    ),
    months: u16('month', 'loaded months', rising),
    'month-parts': u16('month', 'first month of the part that has its incidents'),
    'coverage-rows': u32(times('force', 'month'), 'rows read; 0: the month of the force is not loaded'),
    names: strings('name', 'each name once'),
    lsoas: strings('LSOA', 'each code once'),
    forces: strings('force', 'as the files name them'),
    categories: strings('category', 'slugs'),
    outcomes: strings('outcome', 'labels'),
  },
});

export const crimeMonthColumns = {
  first: starts('point', 'incident'),
  category: u8('incident', 'its category', intoPart(crimesPart, 'category')),
  outcome: u8('incident', 'its last outcome', intoPartOrZero(crimesPart, 'outcome')),
  'outcome-after': u8('incident', 'months from the crime to its outcome, plus one; 0: not known'),
  force: u8('incident', 'who reported it', intoPart(crimesPart, 'force')),
  'context-row': u32('context', 'the incident that has it', into('incident')),
  contexts: strings('context', 'texts; few incidents have one'),
};

/** Both as `2026-01`: small months share a part, which is named by its first. */
export const crimeMonthTable = (firstOfPart: string, month: string) =>
  table({
    part: `crimes-${firstOfPart}`,
    prefix: month,
    origin: crimeOrigin,
    about: 'Incidents of a month. Small months share a part, which is named by its first.',
    order: 'as the points of `crimes`',
    columns: crimeMonthColumns,
  });

const crimeIdColumns = { id: u8(times('incident', idBytes), '32 bytes; zero where it has none') };

/** Apart from the rest: ids are three quarters of the bytes, and only raw answers need them. */
export const crimeIdsTable = (firstOfPart: string, month: string) =>
  table({
    part: `crime-ids-${firstOfPart}`,
    prefix: month,
    origin: crimeOrigin,
    about: 'Ids of the incidents of a month.',
    order: 'as `crimes-<month>`',
    columns: crimeIdColumns,
  });

export const crimeGroundPart = { part: 'crime-ground', version: 1 } as const;

/** Of a cell of `crime-ground`, in millionths of a degree. Below 2 ** 16: a postcode keeps its distance from the corner of its
 *  cell in 16 bits. */
export const cellHigh = 9_000;
export const cellWide = 14_400;

export const crimeGroundTable = table({
  part: crimeGroundPart.part,
  origin: { derivedVersion: crimeGroundPart.version },
  about: `The postcodes in use with the force responsible for each, in cells of ${cellHigh} by ${cellWide} millionths of a degree.`,
  order: 'cells in rows from the south-west; postcodes by cell',
  columns: {
    corner: i32(exactly(2), 'latitude and longitude of the first cell, counted in cells'),
    wide: u32(exactly(1), 'one value: how many cells a row has'),
    starts: starts('cell', 'postcode'),
    north: u16('postcode', 'millionths of a degree from the south of its cell'),
    east: u16('postcode', 'millionths of a degree from the west of its cell'),
    force: u8('postcode', 'the force responsible', into('force')),
    'cell-set': u16('cell', 'the forces in it', into('set')),
    sets: starts('set', 'member'),
    'set-force': u8('member', 'a force of the set', into('force')),
    forces: strings('force', 'as the files of crime name them'),
  },
});
