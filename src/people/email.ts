// An address as somebody typed it, and as it is compared: ANN@Example.com and ann@example.com are one person.

export type Email = { readonly typed: string; readonly key: string };

const lengthMost = 254;
/** No blank, bracket, quote or control character: what goes into the head of a mail stays one address. */
const form = /^[^\s\p{C}@<>()[\]\\,;:"]{1,64}@[^\s\p{C}@<>()[\]\\,;:"]+\.[^\s\p{C}@<>()[\]\\,;:".]{2,}$/u;

export function parseEmail(text: string): Email | undefined {
  const typed = text.trim().normalize('NFC');
  if (typed.length > lengthMost || !form.test(typed) || /\.\./.test(typed)) return undefined;
  return { typed, key: typed.toLowerCase() };
}
