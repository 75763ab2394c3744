// A brush that writes SVG.

import type { Brush } from './brush.ts';
import type { Point } from './drawing.ts';

type SvgSheet = {
  readonly brush: Brush;
  /** The whole file. */
  readonly text: () => string;
};

export function svgSheet(
  width: number,
  height: number,
  background: string,
  title: string,
  font: string,
): SvgSheet {
  const parts: string[] = [];
  const brush: Brush = {
    fill: (points, colour, opacity) =>
      parts.push(
        `<path d="${pathOf(points)}z" fill="${escaped(colour)}"${opacity === 1 ? '' : ` fill-opacity="${opacity}"`}/>`,
      ),
    stroke: (points, colour, thickness, dash) =>
      parts.push(
        `<path d="${pathOf(points)}" fill="none" stroke="${escaped(colour)}" stroke-width="${thickness}" stroke-linejoin="round"${
          dash.length === 0 ? '' : ` stroke-dasharray="${dash.join(' ')}"`
        }/>`,
      ),
    shape: (path, colour, edge) =>
      parts.push(
        `<path d="${path}" fill="${escaped(colour)}" stroke="${escaped(edge)}" stroke-width="0.75"/>`,
      ),
    text: (words, [x, y], colour, align) =>
      parts.push(
        `<text x="${short(x)}" y="${short(y)}" fill="${escaped(colour)}" text-anchor="${align}">${escaped(words)}</text>`,
      ),
  };
  return {
    brush,
    text: () =>
      [
        `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img" font-family="${escaped(font)}" font-size="12">`,
        `<title>${escaped(title)}</title>`,
        `<rect width="${width}" height="${height}" fill="${escaped(background)}"/>`,
        ...parts,
        '</svg>',
        '',
      ].join('\n'),
  };
}

const pathOf = (points: readonly Point[]): string =>
  points.map(([x, y], at) => `${at === 0 ? 'M' : 'L'}${short(x)} ${short(y)}`).join('');

const short = (pixels: number): number => Math.round(pixels * 100) / 100;

const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
