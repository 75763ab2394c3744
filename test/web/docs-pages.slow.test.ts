// The documentation can be read by everybody.

import { lookOverStates } from './look-over-states.ts';
import { docsStates } from './states/docs.ts';

lookOverStates(docsStates);
