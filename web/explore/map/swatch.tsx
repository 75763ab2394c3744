// The sign of a tone in the legend: the same shape and letter as on the map.

import type { Tone } from './layer.ts';

const shapes: Readonly<Record<Tone['shape'], string>> = {
  disc: 'M15 8a7 7 0 1 1-14 0a7 7 0 1 1 14 0',
  ring: 'M14 8a6 6 0 1 1-12 0a6 6 0 1 1 12 0',
  square: 'M1 1h14v14h-14z',
  diamond: 'M8 1l7 7l-7 7l-7-7z',
  leaf: 'M8 1l7 13h-14z',
};

export function Swatch({ tone }: { readonly tone: Tone }) {
  return (
    <svg
      class={`swatch swatch-${tone.shape}`}
      viewBox="0 0 16 16"
      width={16}
      height={16}
      aria-hidden="true"
      style={{ color: `var(${tone.colour})` }}
    >
      <path d={shapes[tone.shape]} />
      {tone.letter === undefined ? null : (
        <text x={8} y={11.6} text-anchor="middle">
          {tone.letter}
        </text>
      )}
    </svg>
  );
}
