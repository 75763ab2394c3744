// Which layers are on: in the address, so that a link shows the same map.

import { setQuery, useQuery } from '../../router.ts';
import { type LayerId, layerIds } from './layer.ts';

/** On where the address does not say. */
const usual: readonly LayerId[] = ['crime', 'schools', 'stations'];

export type ChosenLayers = {
  readonly isOn: (id: LayerId) => boolean;
  readonly turn: (id: LayerId, to: 'on' | 'off') => void;
};

export function useChosenLayers(): ChosenLayers {
  const asked = useQuery().get('layers');
  const names = asked?.split(',');
  const on = names === undefined ? usual : layerIds.filter((id) => names.includes(id));
  return {
    isOn: (id) => on.includes(id),
    turn: (id, to) => {
      const next = layerIds.filter((each) => (each === id ? to === 'on' : on.includes(each)));
      const isUsual = next.join() === usual.join();
      setQuery({ layers: isUsual ? undefined : next.join() || 'none' });
    },
  };
}
