// What operators see can be read by everybody.

import { lookOverStates } from './look-over-states.ts';
import { adminStates } from './states/admin.ts';

lookOverStates(adminStates);
