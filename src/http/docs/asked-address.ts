// Calls in the pages are written for an example address where the service has not been told its own. Here they get the one
// that the reader asked, so that they can be copied without a script too; web/docs/origin.js adds what only a browser knows.

import { exampleOrigin } from './blocks.ts';

/** A name or an address with its port: nothing that means something to HTML or to a shell. */
const plainHost = /^(?:[\w.-]{1,253}|\[[\da-f:.]{2,45}\])(?::\d{1,5})?$/i;

/** The page as it is where the request names no such host. */
export function atAskedAddress(page: string, host: string): string {
  return plainHost.test(host) ? page.replaceAll(exampleOrigin, `http://${host}`) : page;
}
