// What customers see can be read by everybody.

import { lookOverStates } from './look-over-states.ts';
import { accountStates } from './states/account.ts';

lookOverStates(accountStates);
