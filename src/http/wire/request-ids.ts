// Names for charges and requests: unique over processes, restarts and machines. Those of charges are sorted by time, so that
// the ledger's index grows at its end. Callers see those of requests, so these tell nothing: not how many there were.

/** Digits that are at hand: writing a number in base 36 takes as long as routing a request. */
const lastDigits = Array.from({ length: 36 ** 2 }, (_, low) => low.toString(36).padStart(2, '0'));

export function chargeIds(randomBytes: (size: number) => Uint8Array, startedAtMs: number): () => string {
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

/** 120 random bits, which 20 signs hold: that two are the same will not happen. */
const requestIdBytes = 15;
const requestIdLength = 20;
/** Written together and then cut: writing each by itself takes ten times as long. */
const requestIdsAtOnce = 512;

export function requestIds(randomBytes: (size: number) => Uint8Array): () => string {
  let pool = '';
  let at = 0;
  return () => {
    if (at === pool.length) {
      pool = Buffer.from(randomBytes(requestIdBytes * requestIdsAtOnce)).toString('base64url');
      at = 0;
    }
    at += requestIdLength;
    return pool.slice(at - requestIdLength, at);
  };
}
