// Control characters in a field of data mean nothing to a reader and may mean something to a terminal. They never get
// into a release: each becomes a space. White space (tab, line feed, carriage return) stays.

/** Any but white space. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what it looks for.
const control = /[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]/g;

export const withoutControls = (text: string): string => text.replace(control, ' ');
