// The crimes around a place. Whoever shows something of them asks the same, so that all of it is one call.

import { crimeCall } from '../calls/place-calls.ts';
import { type Called, useCall } from '../calls/use-call.ts';

export const useCrime = (postcode: string): Called<'/crime/by-postcode'> => useCall(crimeCall(postcode));
