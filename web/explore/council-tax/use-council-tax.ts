// The council tax of a place. Whoever shows something of it asks the same, so that all of it is one call.

import { councilTaxCall } from '../calls/place-calls.ts';
import { type Called, useCall } from '../calls/use-call.ts';

export const useCouncilTax = (postcode: string): Called<'/council-tax/lookup'> =>
  useCall(councilTaxCall(postcode));
