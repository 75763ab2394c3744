// Whoever saw a page over TLS never asks for one in the clear again.

import type { Headers } from '../envelope.ts';

/** For this name alone: what lies below it is not ours to decide about. Browsers heed it over TLS alone. */
export const tlsAlone = (publicUrl: string | undefined): Headers =>
  publicUrl?.startsWith('https:') === true ? ['strict-transport-security', 'max-age=31536000'] : [];
