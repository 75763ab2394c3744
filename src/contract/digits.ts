// Whole numbers as text, put together from texts that are always there. V8's own conversion keeps each text in a table for a
// while; with hundreds of new numbers an answer these outlive the young objects, and clearing them away stops the service
// for milliseconds.

const thousand = 1000;
const plain = Array.from({ length: thousand }, (_, value) => String(value));
const padded = plain.map((text) => text.padStart(3, '0'));

/** As `String` writes it; the number is whole and not negative. */
export function writeWhole(value: number): string {
  if (value < thousand) return plain[value] ?? String(value);
  const rest = padded[value % thousand] ?? '';
  return writeWhole(Math.floor(value / thousand)) + rest;
}
