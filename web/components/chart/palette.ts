// The colours and letters of the page that a chart stands in.

import type { Palette } from './brush.ts';

export function paletteOf(place: HTMLElement): Palette {
  const style = getComputedStyle(place);
  const colour = (name: string) => style.getPropertyValue(name).trim();
  return {
    series: [1, 2, 3, 4, 5, 6].map((number) => colour(`--series-${number}`)),
    ink: colour('--ink'),
    soft: colour('--soft'),
    rule: colour('--rule'),
    line: colour('--line'),
    sheet: colour('--sheet'),
  };
}

export const fontOf = (place: HTMLElement): string => getComputedStyle(place).fontFamily;
