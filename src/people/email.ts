// An address as somebody typed it, and as it is compared: ANN@Example.com and ann@example.com are one person, and so are the ways
// to write one domain.

import { domainToASCII } from 'node:url';

export type Email = { readonly typed: string; readonly key: string };

const lengthMost = 254;
/** No blank, bracket, quote or control character: what goes into the head of a mail stays one address. */
const form = /^[^\s\p{C}@<>()[\]\\,;:"]{1,64}@[^\s\p{C}@<>()[\]\\,;:"]+\.[^\s\p{C}@<>()[\]\\,;:".]{2,}$/u;
/** What stands for a full stop in a domain, as keyboards of East Asia write it. */
const fullStops = /[\u3002\uff0e\uff61]/g;

export function parseEmail(text: string): Email | undefined {
  const given = text.trim().normalize('NFC');
  const at = given.lastIndexOf('@') + 1;
  const typed = given.slice(0, at) + given.slice(at).replaceAll(fullStops, '.');
  if (typed.length > lengthMost || !form.test(typed) || /\.\./.test(typed)) return undefined;
  const domain = domainToASCII(typed.slice(at));
  const key = `${typed.slice(0, at).toLowerCase()}${domain}`;
  // A domain that nobody can have, or that means a number of the network.
  return form.test(key) && !/\.\d+$/.test(key) ? { typed, key } : undefined;
}

/** What the mailbox is called without its tag: ann+trial@example.com is delivered to ann@example.com. */
export function mailboxOf(key: string): string {
  const at = key.lastIndexOf('@');
  const tag = key.indexOf('+');
  return tag > 0 && tag < at ? key.slice(0, tag) + key.slice(at) : key;
}
