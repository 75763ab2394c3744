// The colours and letters of the page that a chart stands in.

import type { Palette } from './brush.ts';

const numbers = [1, 2, 3, 4, 5, 6];

export function paletteOf(place: HTMLElement): Palette {
  const style = getComputedStyle(place);
  const colour = (name: string) => style.getPropertyValue(name).trim();
  return {
    series: numbers.map((number) => colour(`--series-${number}`)),
    names: numbers.map((number) => colour(`--series-${number}-name`)),
    ink: colour('--ink'),
    soft: colour('--soft'),
    rule: colour('--rule'),
    line: colour('--line'),
    sheet: colour('--sheet'),
  };
}

export const fontOf = (place: HTMLElement): string => getComputedStyle(place).fontFamily;
