// The crimes around a place. Whoever shows something of them asks the same, so that all of it is one call.

import { type Called, useCall } from '../use-call.ts';

export const useCrime = (postcode: string): Called<'/crime/by-postcode'> =>
  useCall('/crime/by-postcode', { postcode, months: 12, points: 'true', limit: 2000 });
