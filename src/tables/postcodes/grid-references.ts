// Where postcodes lie on the National Grid, as their publisher has it: worked out from latitude and longitude it would be
// metres off. A part of its own, so that only who asks for it has it in memory.

import { defined } from '../../out-of-range.ts';
import { i32, times } from '../../release/column.ts';
import { oncePerRelease, type Release } from '../../release/reader.ts';
import { table } from '../../release/table.ts';

export const gridTable = table({
  part: 'postcodes-grid',
  origin: { dataset: 'postcodes', layout: 1 },
  about: 'Grid references of the rows of `postcodes`.',
  order: 'as the rows of `postcodes`',
  columns: {
    grid: i32(
      times('postcode', 2),
      'easting and northing in metres on the National Grid, as published; both 0: none is given',
    ),
  },
});

type GridReference = { readonly eastingMetres: number; readonly northingMetres: number };

/** By the row of a postcode; null where the publisher gives none. Undefined where the loaded directory has none. */
export const findGridReferences: (release: Release) => ((row: number) => GridReference | null) | undefined =
  oncePerRelease((release) => {
    const { grid } = gridTable.open(release);
    if (!grid.some((metres) => metres > 0)) return undefined;
    return (row) => {
      const eastingMetres = defined(grid[2 * row]);
      const northingMetres = defined(grid[2 * row + 1]);
      return eastingMetres === 0 && northingMetres === 0 ? null : { eastingMetres, northingMetres };
    };
  });
