// Every page in every state that is looked at.

import type { State } from '../state.ts';
import { accountStates } from './account.ts';
import { adminStates } from './admin.ts';
import { docsStates } from './docs.ts';
import { exploreCrimeStates } from './explore-crime.ts';
import { exploreGroundStates } from './explore-ground.ts';
import { exploreMapStates } from './explore-map.ts';
import { explorePriceStates } from './explore-prices.ts';
import { frontStates } from './front.ts';
import { personStates } from './person.ts';

export const states: readonly State[] = [
  ...frontStates,
  ...exploreGroundStates,
  ...exploreCrimeStates,
  ...explorePriceStates,
  ...exploreMapStates,
  ...docsStates,
  ...personStates,
  ...accountStates,
  ...adminStates,
];
