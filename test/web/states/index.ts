// Every page in every state that is looked at.

import type { State } from '../state.ts';
import { accountStates } from './account.ts';
import { adminStates } from './admin.ts';
import { frontStates } from './front.ts';
import { personStates } from './person.ts';

export const states: readonly State[] = [...frontStates, ...personStates, ...accountStates, ...adminStates];
