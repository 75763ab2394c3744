// Names for requests and charges: unique over threads, restarts and machines, and sorted by time so that the
// ledger's index grows at its end.

/** Digits that are at hand: writing a number in base 36 takes as long as routing a request. */
const lastDigits = Array.from({ length: 36 ** 2 }, (_, low) => low.toString(36).padStart(2, '0'));

export function idSource(randomBytes: (size: number) => Uint8Array, startedAtMs: number): () => string {
  const boot = startedAtMs.toString(36).padStart(9, '0');
  const source = Buffer.from(randomBytes(6)).toString('hex');
  let high = 0;
  let low = 0;
  let firstDigits = `${boot}-${source}-0000`;
  return () => {
    low += 1;
    if (low === lastDigits.length) {
      low = 0;
      high += 1;
      firstDigits = `${boot}-${source}-${high.toString(36).padStart(4, '0')}`;
    }
    return `${firstDigits}${lastDigits[low]}`;
  };
}
