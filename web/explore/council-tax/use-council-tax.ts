// The council tax of a place. Whoever shows something of it asks the same, so that all of it is one call.

import { type Called, useCall } from '../use-call.ts';

export const useCouncilTax = (postcode: string): Called<'/council-tax/lookup'> =>
  useCall('/council-tax/lookup', { postcode, allYears: 'true' });
