// Signs in the legend, as the map paints them: those of a layer by their tone, those of the ground as a small piece of it.

import type { ComponentChildren } from 'preact';
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

export type GroundSign = 'place' | 'built' | 'postcode' | 'park';

/** As paint-ground.ts paints it; the place itself as paint-layers.ts does. */
export function GroundSwatch({ sign }: { readonly sign: GroundSign }) {
  return (
    <svg class="swatch ground-swatch" viewBox="0 0 22 16" width={22} height={16} aria-hidden="true">
      {sign === 'place' ? null : <rect class="piece" x={0.5} y={0.5} width={21} height={15} rx={2} />}
      {marks[sign]}
    </svg>
  );
}

const built = <circle class="built" cx={11} cy={8} r={6} />;

const marks: Readonly<Record<GroundSign, ComponentChildren>> = {
  place: (
    <>
      <circle class="place" cx={11} cy={8} r={7.5} />
      <circle class="hole" cx={11} cy={8} r={3} />
    </>
  ),
  built,
  postcode: (
    <>
      {built}
      <rect class="home" x={9.25} y={6.25} width={3.5} height={3.5} />
    </>
  ),
  park: <path class="park" d="M3 10l3-6l7-2l6 4l-2 6l-9 2z" />,
};
