// Every state of the explorer can be read by everybody.

import { lookOverStates } from './look-over-states.ts';
import { exploreCrimeStates } from './states/explore-crime.ts';
import { exploreGroundStates } from './states/explore-ground.ts';
import { exploreMapStates } from './states/explore-map.ts';
import { explorePriceStates } from './states/explore-prices.ts';

lookOverStates([...exploreGroundStates, ...exploreCrimeStates, ...explorePriceStates, ...exploreMapStates]);
