// Whether a write comes from a page of our own. A browser tells where a request comes from in Sec-Fetch-Site, which no page
// can set; older ones in Origin. Both must agree where both are there, and one of them must be.

import type { Refusal } from '../people/people.ts';
import { refused } from './refused.ts';
import type { Way } from './way.ts';

type Sent = {
  readonly secFetchSite: string | undefined;
  readonly origin: string | undefined;
  readonly contentType: string | undefined;
};

export function refuseForeignWrite(
  way: Way,
  { secFetchSite, origin, contentType }: Sent,
): Refusal | undefined {
  if (way.kind === 'in the clear') return refused('NOT_ALLOWED', way.because);
  const isOurs =
    (secFetchSite === 'same-origin' || secFetchSite === undefined) &&
    (origin === way.origin || origin === undefined) &&
    (secFetchSite !== undefined || origin !== undefined);
  if (!isOurs) {
    return refused(
      'NOT_ALLOWED',
      `The service accepts changes from the pages of ${way.origin} alone; open the dashboard there and try again.`,
    );
  }
  // What forms can send without asking is never JSON.
  const type = contentType?.split(';')[0]?.trim().toLowerCase();
  return type === 'application/json'
    ? undefined
    : refused('INVALID', 'Send the body as JSON, with Content-Type: application/json.');
}
