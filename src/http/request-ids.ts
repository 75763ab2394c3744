// Names for requests and charges: unique over threads, restarts and machines, and sorted by time so that the
// ledger's index grows at its end.

export function idSource(randomBytes: (size: number) => Uint8Array, startedAtMs: number): () => string {
  const boot = startedAtMs.toString(36).padStart(9, '0');
  const source = Buffer.from(randomBytes(6)).toString('hex');
  let count = 0;
  return () => {
    count += 1;
    return `${boot}-${source}-${count.toString(36).padStart(6, '0')}`;
  };
}
