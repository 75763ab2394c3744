// A caller's patience that ends when it is met with silence, and never by the clock: a slow machine is no slow service.

export type Patience = {
  /** For the request that begins now. */
  readonly deadline: () => AbortSignal;
  /** The service will not answer the newest request. */
  readonly meetSilence: () => void;
};

export function patienceOfCaller(): Patience {
  let newest = new AbortController();
  return {
    deadline: () => {
      newest = new AbortController();
      return newest.signal;
    },
    meetSilence: () => newest.abort(new DOMException('Nothing was answered.', 'TimeoutError')),
  };
}
