// A brush for a canvas, in the pixels of the page.

import type { Brush } from './brush.ts';
import type { Point } from './drawing.ts';

export function canvasBrush(context: CanvasRenderingContext2D, font: string): Brush {
  const trace = (points: readonly Point[]) => {
    context.beginPath();
    for (const [at, [x, y]] of points.entries()) {
      if (at === 0) context.moveTo(x, y);
      else context.lineTo(x, y);
    }
  };
  return {
    fill: (points, colour, opacity) => {
      trace(points);
      context.globalAlpha = opacity;
      context.fillStyle = colour;
      context.fill();
      context.globalAlpha = 1;
    },
    stroke: (points, colour, width, dash) => {
      trace(points);
      context.strokeStyle = colour;
      context.lineWidth = width;
      context.lineJoin = 'round';
      context.setLineDash([...dash]);
      context.stroke();
      context.setLineDash([]);
    },
    shape: (path, colour, edge) => {
      const shape = new Path2D(path);
      context.fillStyle = colour;
      context.fill(shape);
      context.strokeStyle = edge;
      context.lineWidth = 0.75;
      context.stroke(shape);
    },
    text: (words, [x, y], colour, align) => {
      context.fillStyle = colour;
      context.font = `12px ${font}`;
      context.textAlign = align === 'middle' ? 'center' : align;
      context.textBaseline = 'alphabetic';
      context.fillText(words, x, y);
    },
  };
}
