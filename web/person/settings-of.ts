// What each part of a person's settings is given.

import type { PersonView } from '../../src/people/people.ts';

export type SettingsOf = { readonly person: PersonView; readonly again: () => Promise<void> };
