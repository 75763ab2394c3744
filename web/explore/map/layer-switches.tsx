// The switches of the layers, which are the legend too: what each sign means, how many there are, and what is not known.

import type { ComponentChildren } from 'preact';
import { Tick } from '../../components/form.tsx';
import type { LayerId, Tone } from './layer.ts';
import type { LayerWords } from './layer-words.ts';
import { Swatch } from './swatch.tsx';

type SwitchWish = {
  readonly id: LayerId;
  readonly title: string;
  readonly tones: readonly Tone[];
  readonly state: 'on' | 'off';
  readonly onTurn: (to: 'on' | 'off') => void;
  readonly words: LayerWords;
  readonly children?: ComponentChildren;
};

export function LayerSwitch({ id, title, tones, state, onTurn, words, children }: SwitchWish) {
  const { standing, lacking, legend } = words;
  return (
    <li class={`layer layer-${state}`} data-layer={id}>
      <Tick label={title} value={state} onValue={onTurn} />
      {standing === '' ? null : <p class="layer-standing">{standing}</p>}
      {state === 'off' || legend === 'left out' ? null : (
        <ul class="legend">
          {tones.map((tone) => (
            <li key={tone.words}>
              <Swatch tone={tone} /> {tone.words}
            </li>
          ))}
        </ul>
      )}
      {lacking === undefined ? null : <p class="layer-lacking">{lacking}</p>}
      {children}
    </li>
  );
}
