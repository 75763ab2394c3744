// A chart as a file: PNG and SVG of the same marks.

import { canvasBrush } from './canvas-brush.ts';
import type { Drawing } from './drawing.ts';
import { fontOf, paletteOf } from './palette.ts';
import { paintPicture, pictureSize } from './picture.ts';
import { svgSheet } from './svg-brush.ts';

export function svgOf(place: HTMLElement, drawing: Drawing, title: string): Blob {
  const palette = paletteOf(place);
  const { width, height } = pictureSize;
  const sheet = svgSheet(width, height, palette.sheet, title, fontOf(place));
  paintPicture(sheet.brush, drawing, title, palette);
  return new Blob([sheet.text()], { type: 'image/svg+xml' });
}

/** Twice as dense as a screen of old, for print and slides. */
const density = 2;

export async function pngOf(place: HTMLElement, drawing: Drawing, title: string): Promise<Blob> {
  const palette = paletteOf(place);
  const canvas = document.createElement('canvas');
  canvas.width = pictureSize.width * density;
  canvas.height = pictureSize.height * density;
  const context = canvas.getContext('2d');
  if (context === null) throw new Error('This browser draws no pictures.');
  context.scale(density, density);
  context.fillStyle = palette.sheet;
  context.fillRect(0, 0, pictureSize.width, pictureSize.height);
  paintPicture(canvasBrush(context, fontOf(place)), drawing, title, palette);
  return new Promise((resolve, reject) => {
    canvas.toBlob((blob) => (blob === null ? reject(new Error('The picture is too large.')) : resolve(blob)));
  });
}
