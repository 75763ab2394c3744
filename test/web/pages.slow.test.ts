// What visitors see, and everybody of themselves, can be read by everybody.

import { lookOverStates } from './look-over-states.ts';
import { frontStates } from './states/front.ts';
import { personStates } from './states/person.ts';

lookOverStates([...frontStates, ...personStates]);
